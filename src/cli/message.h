/*
 * The only place that prints errors and chooses exit codes.  One line on
 * stderr: "ptool: <command>: <file>: byte N: <what>".  Control characters in
 * what came from a file or a name are escaped, so that a hostile trace cannot
 * speak to the terminal.
 */
#ifndef PTOOL_CLI_MESSAGE_H
#define PTOOL_CLI_MESSAGE_H

#include "base/err.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_FINDING = 1, /* a gate failed, or what diff --fail-on names was found */
	EXIT_USAGE = 2,   /* the command line, or an output that exists */
	EXIT_EMPTY = 3,   /* nothing matched, not recorded, inconclusive */
	EXIT_INPUT = 4,   /* input missing, unreadable or foreign */
	EXIT_IO = 5,      /* disk full, broken output, out of memory */
	EXIT_INTERRUPT = 130
};

enum exit_code message_exit_code(enum err_kind kind);

/*
 * Tells the error and returns its exit code: `return message_error(self->name,
 * path, &err);`.  command and file may be NULL.
 */
int message_error(const char *command, const char *file, const struct err *err);

/*
 * The same for a command that reads this file: it is named where neither the command line
 * nor what the text names (err.h: names_culprit) is to blame.
 */
int message_error_reading(const char *command, const char *file, const struct err *err);

/* The line of such an error without an offset, for who cannot wait; the caller frees it. */
char *message_line(const char *command, const char *file, const char *text);

/* A remark that is no failure, in the same form: "ptool: top: reading x.json ...". */
void message_note(const char *command, const char *file, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One about a byte of the file; ERR_NO_OFFSET: none is named. */
void message_note_at(const char *command, const char *file, int64_t offset,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
