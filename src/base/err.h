/*
 * One failure: what kind, where in the input, and one line of text.  The code
 * that sees the failure fills it; nobody rewrites it; only cli/ prints it.
 * No allocation: the caller owns a struct err, usually on its stack.
 */
#ifndef PTOOL_BASE_ERR_H
#define PTOOL_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

/* The kinds are what a user can do about it; cli/ maps them to exit codes. */
enum err_kind {
	ERR_NONE = 0,
	ERR_USAGE,    /* the command line is wrong; exit 2 */
	ERR_EMPTY,    /* nothing matched, or not recorded; exit 3 */
	ERR_INPUT,    /* missing, unreadable or foreign input; exit 4 */
	ERR_IO,       /* disk full, broken output, out of memory; exit 5 */
	ERR_INTERRUPT /* Ctrl-C; exit 130 */
};

#define ERR_NO_OFFSET INT64_C(-1)
#define ERR_TEXT_MAX  768

struct err {
	enum err_kind kind;
	int64_t offset;     /* byte in the input, or ERR_NO_OFFSET */
	bool names_culprit; /* the text says what it is about, and that is not what is read */
	char text[ERR_TEXT_MAX];
};

/* clang-format off */
#define ERR_INIT { ERR_NONE, ERR_NO_OFFSET, false, "" }
/* clang-format on */

/* Both return -1, so that a failing function can `return err_set(...)`. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* An ERR_INPUT at a byte of the input. */
int err_at(struct err *err, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* An ERR_IO about a file that the command does not read: "FILE: what". */
int err_of_file(struct err *err, const char *file, const char *what);
/* ERR_INPUT of what is wrong with a path (ENOENT, EACCES, ...); else ERR_IO: it may pass. */
enum err_kind err_kind_of(int number);
/* Of that kind from errno: "what: strerror". */
int err_errno(struct err *err, const char *what);

#endif
