/* Filling a struct err: see err.h. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct err *err, enum err_kind kind, int64_t offset)
{
	err->kind = kind;
	err->offset = offset;
	err->names_culprit = false;
}

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	va_list args;

	fill(err, kind, ERR_NO_OFFSET);
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -1;
}

int err_at(struct err *err, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	fill(err, ERR_INPUT, offset > INT64_MAX ? INT64_MAX : (int64_t)offset);
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -1;
}

int err_of_file(struct err *err, const char *file, const char *what)
{
	err_set(err, ERR_IO, "%s: %s", file, what);
	err->names_culprit = true;
	return -1;
}

enum err_kind err_kind_of(int number)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case EACCES:
	case EPERM:
	case ELOOP:
	case ENAMETOOLONG:
	case ENXIO: /* a socket */
		return ERR_INPUT;
	default:
		return ERR_IO;
	}
}

int err_errno(struct err *err, const char *what)
{
	int number = errno;

	return err_set(err, err_kind_of(number), "%s: %s", what, strerror(number));
}
