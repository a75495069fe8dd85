/* Assets that gzip packed: see asset_unpack.h. */
#include "base/asset_unpack.h"

#define ZLIB_CONST /* what is unpacked is not written to */
#include <zlib.h>

#include "base/alloc.h"

/* The last four bytes say how long it was. */
char *asset_unpack(const unsigned char *packed, size_t n, struct str *out)
{
	size_t size = 0;

	for (size_t i = 1; i <= 4; i++)
		size = size << 8 | packed[n - i];
	char *text = xmalloc(size + 1);
	z_stream z = { .next_out = (Bytef *)text, .avail_out = (uInt)size };
	z.next_in = packed;
	z.avail_in = (uInt)n;
	/* The bytes are the program's own: nothing but memory can be missing. */
	if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK ||
	    inflate(&z, Z_FINISH) != Z_STREAM_END)
		xdie_of_memory();
	inflateEnd(&z);
	*out = (struct str){ text, size };
	return text;
}
