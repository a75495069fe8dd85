/* gzip, written: see gzip_put.h. */
#include "base/gzip_put.h"

#define ZLIB_CONST /* what is compressed is not written to */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"

#define ROOM      65536
#define GZIP_BITS (15 + 16) /* the largest window, with gzip's head and end */
#define MEM_LEVEL 8         /* zlib's default */

struct gzip_put {
	z_stream z;
	FILE *out; /* borrowed */
	unsigned char bytes[ROOM];
};

struct gzip_put *gzip_put_open(FILE *out, struct err *err)
{
	struct gzip_put *gz = xcalloc(1, sizeof(*gz));

	gz->out = out;
	if (deflateInit2(&gz->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gz);
		err_set(err, ERR_IO, "out of memory");
		return NULL;
	}
	return gz;
}

static void put(struct gzip_put *gz, int flush)
{
	do {
		gz->z.next_out = gz->bytes;
		gz->z.avail_out = ROOM;
		deflate(&gz->z, flush);
		fwrite(gz->bytes, 1, ROOM - gz->z.avail_out, gz->out);
	} while (gz->z.avail_out == 0);
}

void gzip_put_add(struct gzip_put *gz, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n > 0) {
		unsigned int part = n > INT_MAX ? INT_MAX : (unsigned int)n;
		gz->z.next_in = p;
		gz->z.avail_in = part;
		put(gz, Z_NO_FLUSH);
		p += part;
		n -= part;
	}
}

void gzip_put_close(struct gzip_put *gz)
{
	if (!gz)
		return;
	put(gz, Z_FINISH);
	deflateEnd(&gz->z);
	free(gz);
}
