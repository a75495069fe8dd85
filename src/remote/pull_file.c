/* The pieces of a store: see pull_file.h. */
#include "remote/pull_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/zstd_pack.h"
#include "remote/push_file.h"

void pull_file_begin(struct pull_file *f)
{
	f->piece = xmalloc(PUSH_FILE_PIECE);
	f->bytes = f->seq = 0;
	f->expand = (struct expand){ .limits = f->limits, .factor = EXPAND_FACTOR };
	sha256_init(&f->sum);
}

void pull_file_end(struct pull_file *f)
{
	free(f->piece);
	f->piece = NULL;
}

static int write_bytes(const struct pull_file *f, struct str bytes, struct err *err)
{
	while (bytes.n) {
		ssize_t n = write(f->fd, bytes.p, bytes.n);
		if (n < 0 && errno != EINTR)
			return err_set(err, ERR_IO, "cannot write '%s': %s", f->path,
				       strerror(errno));
		bytes = str_behind(bytes, n > 0 ? (size_t)n : 0);
	}
	return 0;
}

static int damaged(struct err *err)
{
	return err_set(err, ERR_IO, "the store in the database is damaged");
}

/* Before they are written: whoever sends little must not fill the disk. */
static int count_bytes(struct pull_file *f, struct str packed, size_t n, struct err *err)
{
	struct err ignored = ERR_INIT;

	f->bytes += (int64_t)n;
	if (f->bytes > f->wanted)
		return damaged(err);
	expand_set_read(&f->expand, f->expand.read + packed.n);
	if (expand_add(&f->expand, n, false, &ignored) == 0)
		return 0;
	return err_set(err, ERR_IO,
		       "the store in the database expands to more than %d times what the "
		       "server sends",
		       EXPAND_FACTOR);
}

int pull_file_take(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct pull_file *f = to;
	struct err ignored = ERR_INIT;
	size_t n;

	if (cells[0].number != f->seq++ ||
	    zstd_unpack(cells[1].text, f->piece, PUSH_FILE_PIECE, &n, &ignored) < 0)
		return damaged(err);
	struct str bytes = { f->piece, n };
	if (count_bytes(f, cells[1].text, n, err) < 0)
		return -1;
	sha256_add(&f->sum, bytes);
	return write_bytes(f, bytes, err);
}

int pull_file_check(struct pull_file *f, const char *sha256, struct err *err)
{
	char came[SHA256_HEX];

	sha256_end(&f->sum, came);
	if (f->bytes == f->wanted && strcmp(came, sha256) == 0)
		return 0;
	return err_set(err, ERR_IO,
		       "the server has %" PRId64 " of %" PRId64 " bytes of the store: "
		       "wait until it has all, or push it again",
		       f->bytes, f->wanted);
}
