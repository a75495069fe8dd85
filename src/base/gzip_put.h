/* gzip (RFC 1952), written: what is added goes to a stream, compressed by zlib. */
#ifndef PTOOL_BASE_GZIP_PUT_H
#define PTOOL_BASE_GZIP_PUT_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct gzip_put;

/* NULL with an ERR_IO: no memory.  The stream is borrowed; its failures show in it. */
struct gzip_put *gzip_put_open(FILE *out, struct err *err);
void gzip_put_add(struct gzip_put *gz, const void *bytes, size_t n);
/* Writes what waits and the end, and frees; accepts NULL. */
void gzip_put_close(struct gzip_put *gz);

#endif
