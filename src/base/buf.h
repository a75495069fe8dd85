/*
 * Owned, growable bytes with a ceiling: no input can make one grow past the
 * size its owner chose.
 */
#ifndef PTOOL_BASE_BUF_H
#define PTOOL_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct buf {
	char *p; /* owned; NUL behind the n bytes once anything was added */
	size_t n, cap, max;
};

void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b);
void buf_clear(struct buf *b);
/* False, and nothing added, when the ceiling would be passed. */
bool buf_add(struct buf *b, const void *p, size_t n);
bool buf_add_str(struct buf *b, struct str s);
bool buf_add_text(struct buf *b, const char *text);
bool buf_add_char(struct buf *b, char c);
bool buf_add_blanks(struct buf *b, size_t n);
/* LEB128: base/varint.h. */
bool buf_add_varint(struct buf *b, uint64_t value);
bool buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct str buf_str(const struct buf *b);

#endif
