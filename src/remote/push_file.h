/*
 * The store's own bytes in a database: pieces of a mebibyte, each a frame of zstd, under a
 * push_id of their own, which the profiles of the store name in store_push_id.
 */
#ifndef PTOOL_REMOTE_PUSH_FILE_H
#define PTOOL_REMOTE_PUSH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"
#include "remote/http.h"

#define PUSH_FILE_PIECE ((size_t)1 << 20)

struct push_file {
	uint64_t push_id; /* 0: it was not pushed */
	int64_t bytes;
	char sha256[SHA256_HEX];
};

/*
 * Sends the file; `out` says what.  ERR_INPUT or ERR_IO of the file, else as http_ask().
 */
int push_file(struct http *http, const char *path, uint64_t run_id, uint64_t push_id,
	      struct push_file *out, struct err *err);

#endif
