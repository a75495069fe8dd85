/* Errors on stderr, exit codes: see message.h. */
#include "cli/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/utf8.h"

/* A path of PATH_MAX bytes, each escaped, and what is said of it. */
#define LINE_MAX_BYTES ((size_t)32 * 1024)

enum exit_code message_exit_code(enum err_kind kind)
{
	switch (kind) {
	case ERR_NONE:
		return EXIT_OK;
	case ERR_USAGE:
		return EXIT_USAGE;
	case ERR_EMPTY:
		return EXIT_EMPTY;
	case ERR_INPUT:
		return EXIT_INPUT;
	case ERR_IO:
		return EXIT_IO;
	case ERR_INTERRUPT:
		return EXIT_INTERRUPT;
	}
	return EXIT_IO;
}

static void add_line(struct buf *line, const char *command, const char *file,
		     int64_t offset, const char *text)
{
	buf_add_text(line, "ptool: ");
	if (command)
		buf_addf(line, "%s: ", command);
	if (file) {
		utf8_add_visible(line, str_of(file));
		buf_add_text(line, ": ");
	}
	if (offset != ERR_NO_OFFSET)
		buf_addf(line, "byte %" PRId64 ": ", offset);
	utf8_add_visible(line, str_of(text));
	buf_add_char(line, '\n');
}

/* What is on stdout comes first, so that the message is the last on the screen. */
static void print_line(const char *command, const char *file, int64_t offset,
		       const char *text)
{
	struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	add_line(&line, command, file, offset, text);
	fflush(stdout);
	fwrite(line.p, 1, line.n, stderr);
	buf_release(&line);
}

int message_error(const char *command, const char *file, const struct err *err)
{
	print_line(command, file, err->offset, err->text);
	return (int)message_exit_code(err->kind);
}

int message_error_reading(const char *command, const char *file, const struct err *err)
{
	bool is_of_other = err->kind == ERR_USAGE || err->kind == ERR_INTERRUPT ||
			   err->names_culprit;

	return message_error(command, is_of_other ? NULL : file, err);
}

char *message_line(const char *command, const char *file, const char *text)
{
	struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	add_line(&line, command, file, ERR_NO_OFFSET, text);
	char *copy = xstrndup(line.p, line.n);
	buf_release(&line);
	return copy;
}

__attribute__((format(printf, 4, 0))) static void print_note(const char *command,
							     const char *file,
							     int64_t offset,
							     const char *fmt,
							     va_list args)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof(text), fmt, args);
	print_line(command, file, offset, text);
}

void message_note(const char *command, const char *file, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_note(command, file, ERR_NO_OFFSET, fmt, args);
	va_end(args);
}

void message_note_at(const char *command, const char *file, int64_t offset,
		     const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_note(command, file, offset, fmt, args);
	va_end(args);
}
