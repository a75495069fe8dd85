/* A store's bytes into a database: see push_file.h. */
#include "remote/push_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/zstd_pack.h"
#include "remote/rowbinary.h"

#define PACKED_MAX (2 * PUSH_FILE_PIECE)

struct sending {
	int fd;
	const char *path;
	char *piece; /* PUSH_FILE_PIECE */
	uint64_t run_id, push_id;
	int64_t seq, bytes;
	struct sha256 sum;
	struct buf packed;
};

/* A whole piece, but at the end of the file: how much, or -1. */
static ssize_t read_piece(struct sending *s, struct err *err)
{
	size_t n = 0;

	while (n < PUSH_FILE_PIECE) {
		ssize_t now = read(s->fd, s->piece + n, PUSH_FILE_PIECE - n);
		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			return err_of_file(err, s->path, strerror(errno));
		if (now == 0)
			break;
		n += (size_t)now;
	}
	return (ssize_t)n;
}

static int give_piece(void *from, struct buf *to, struct err *err)
{
	struct sending *s = from;
	ssize_t n = read_piece(s, err);

	if (n <= 0)
		return (int)n;
	struct str bytes = { s->piece, (size_t)n };
	sha256_add(&s->sum, bytes);
	s->bytes += n;
	buf_clear(&s->packed);
	if (zstd_pack(bytes, &s->packed, err) < 0)
		return -1;
	bool fits = rowbinary_put_int(to, (int64_t)s->run_id) &&
		    rowbinary_put_int(to, (int64_t)s->push_id) &&
		    rowbinary_put_int(to, s->seq++) &&
		    rowbinary_put_text(to, buf_str(&s->packed));
	return fits ? 0 : err_set(err, ERR_IO, "out of memory");
}

int push_file(struct http *http, const char *path, uint64_t run_id, uint64_t push_id,
	      struct push_file *out, struct err *err)
{
	struct sending s = { .path = path,
			     .run_id = run_id,
			     .push_id = push_id,
			     .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct http_request request = {
		.sql = "INSERT INTO store_chunk (run_id, push_id, "
		       "seq, data) FORMAT RowBinary",
		.give = give_piece,
		.from = &s
	};

	*out = (struct push_file){ .sha256 = "" };
	if (s.fd < 0)
		return err_errno(err, path);
	s.piece = xmalloc(PUSH_FILE_PIECE);
	sha256_init(&s.sum);
	buf_init(&s.packed, PACKED_MAX);
	int rc = http_ask(http, &request, err);
	if (rc == 0) {
		out->push_id = push_id;
		out->bytes = s.bytes;
		sha256_end(&s.sum, out->sha256);
	}
	buf_release(&s.packed);
	free(s.piece);
	close(s.fd);
	return rc;
}
