/* Compression by libzstd: see zstd_pack.h. */
#include "base/zstd_pack.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"

#define LEVEL 1 /* what is waited for is the disk, not the last tenth of the size */

int zstd_pack(struct str bytes, struct buf *to, struct err *err)
{
	size_t room = ZSTD_compressBound(bytes.n);
	char *frame = xmalloc(room);
	size_t n = ZSTD_compress(frame, room, bytes.p, bytes.n, LEVEL);
	bool is_packed = !ZSTD_isError(n) && buf_add(to, frame, n);

	free(frame);
	return is_packed ? 0 : err_set(err, ERR_IO, "out of memory");
}

int zstd_unpack(struct str frame, char *to, size_t room, size_t *n, struct err *err)
{
	*n = ZSTD_decompress(to, room, frame.p, frame.n);
	if (!ZSTD_isError(*n))
		return 0;
	return err_set(err, ERR_INPUT, "a frame of zstd is damaged: %s",
		       ZSTD_getErrorName(*n));
}
