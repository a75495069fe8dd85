/* Where results go: see output.h. */
#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/beside.h"
#include "base/drawn_ascii.h"
#include "base/utf8.h"
#include "cli/budget.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "query/short_name.h"

static const char *format_at(size_t i)
{
	return renderers[i] ? renderers[i]->name : NULL;
}

#define PIPE_NAME 100 /* terminal cells of a name where there is no terminal */

static const char *const names_choices[] = { "short", "full", NULL };

#define INTO(type, member) OPT_INTO(type, struct output_opts, member)

/* clang-format off */
/* All of them; -f may be taken. */
#define OUTPUT_ROWS(short_force) \
	{ .name = "format", .arg = "FORMAT", .help = "output format", \
	  .choice_at = format_at, INTO(CHOICE, format) }, \
	{ .name = "output", .arg = "FILE", .help = "write to this file; its suffix chooses the format", \
	  INTO(STRING, path), .short_name = 'o', .is_written = true }, \
	{ .name = "force", .help = "replace FILE when it exists", \
	  INTO(FLAG, force), .short_name = (short_force) }, \
	{ .name = "color", .arg = "WHEN", .help = "use colour", \
	  .choices = terminal_color_choices, INTO(CHOICE, color) }, \
	{ .name = "quiet", .help = "do not report what was read into the cache", \
	  INTO(FLAG, quiet), .short_name = 'q' }, \
	{ .name = "wide", .help = "show every column and whole names, however long the lines", \
	  INTO(FLAG, wide) }, \
	{ .name = "width", .arg = "COLUMNS", .help = "fit tables to this width (default: the terminal's, or 120)", \
	  INTO(UINT, width) }, \
	{ .name = "names", .arg = "LENGTH", .help = "shorten long names to fit, or keep them whole", \
	  .choices = names_choices, INTO(CHOICE, names) }, \
	{ .name = "budget", .arg = "TOKENS", .help = "leave out rows until the answer has at most so many tokens (of 3.5 bytes)", \
	  INTO(UINT, budget) }, \
	{ .name = "no-pager", .help = "write straight to the terminal", \
	  INTO(FLAG, no_pager) }, \
	{ .name = "escape-formulas", .help = "put ' before text that a spreadsheet would execute (csv, tsv)", \
	  INTO(FLAG, escape_formulas) }, \
	OPT_END

const struct opt output_options[] = { OUTPUT_ROWS('f') };
const struct opt output_options_long_force[] = { OUTPUT_ROWS(0) };
/* clang-format on */

bool output_to_stdout(const struct output_opts *o)
{
	return !o->path || strcmp(o->path, "-") == 0;
}

static bool has_suffix(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strchr(slash ? slash + 1 : path, '.') != NULL;
}

const struct renderer *output_renderer(const struct output_opts *o, struct err *err)
{
	const struct renderer *renderer;

	if (o->format) {
		renderer = renderer_find(o->format);
		if (!renderer)
			err_set(err, ERR_USAGE, "unknown --format '%s'", o->format);
		return renderer;
	}
	if (output_to_stdout(o))
		return renderers[0];
	renderer = renderer_for_path(o->path);
	if (renderer || !has_suffix(o->path))
		return renderer ? renderer : renderers[0];
	err_set(err, ERR_USAGE, "%s: no format has this suffix; name one with --format",
		o->path);
	return NULL;
}

/* Markdown's tables have no lines to fit. */
static bool is_laid_out(const struct output_opts *o)
{
	struct err err = ERR_INIT;
	const struct renderer *renderer = output_renderer(o, &err);

	return !renderer || renderer == renderers[0];
}

int output_width(const struct output_opts *o)
{
	if (o->wide || o->width)
		return o->wide || o->width > INT_MAX ? 0 : (int)o->width;
	if (!is_laid_out(o))
		return 0;
	return terminal_width(output_to_stdout(o) ? STDOUT_FILENO : -1);
}

static bool is_for_terminal(const struct output_opts *o)
{
	return output_to_stdout(o) && terminal_is(STDOUT_FILENO);
}

static int path_error(struct err *err, const char *path)
{
	return err_of_file(err, path, strerror(errno));
}

static int refuse(struct err *err, const char *path)
{
	return err_set(err, ERR_USAGE, "%s exists; -f replaces it", path);
}

/* A terminal shows no bytes. */
static int check_terminal(const struct output_opts *o, struct err *err)
{
	const struct renderer *renderer = o->format ? renderer_find(o->format) : NULL;

	if (!renderer || !renderer->is_binary || !is_for_terminal(o))
		return 0;
	return err_set(err, ERR_USAGE,
		       "%s is binary and is not written to a terminal: -o FILE writes a "
		       "file",
		       renderer->name);
}

int output_check(const struct output_opts *o, struct err *err)
{
	struct stat st;

	if (check_terminal(o, err) < 0)
		return -1;
	if (output_to_stdout(o))
		return 0;
	if (!*o->path)
		return err_set(err, ERR_USAGE, "--output wants a file name");
	if (stat(o->path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "%s is a directory", o->path);
	return S_ISREG(st.st_mode) && !o->force ? refuse(err, o->path) : 0;
}

int output_refuse_budget(const struct output_opts *o, const char *format, struct err *err)
{
	if (!o->budget)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--budget does not cut the format %s: give --format csv or json",
		       format);
}

/* What open() would have made: mkstemp's file is the owner's alone. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static FILE *open_temporary(char *path, mode_t mode)
{
	int fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	FILE *stream = fchmod(fd, mode) == 0 ? fdopen(fd, "w") : NULL;
	if (!stream) {
		close(fd);
		unlink(path);
	}
	return stream;
}

static bool is_same(const char *path, const struct stat *st)
{
	struct stat other;

	return stat(path, &other) == 0 && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

static FILE *open_beside(struct output *out, mode_t mode)
{
	sigset_t all, before;

	out->temporary = beside_name(out->path, ".XXXXXX", 0);
	/* no signal comes between making the file and telling who removes it */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	FILE *stream = open_temporary(out->temporary, mode);
	int why = errno;
	if (stream)
		interrupt_unlink(out->temporary);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return stream;
}

/*
 * A file keeps its mode.  What a symbolic link points at is written, there or not, and the
 * link stays.  A device or a pipe is written to, not replaced, and so is what has a name in
 * /proc alone.
 */
static int open_file(struct output *out, const struct output_opts *o, struct err *err)
{
	struct stat st;
	bool is_there = stat(o->path, &st) == 0;
	bool is_device = is_there && !S_ISREG(st.st_mode);

	out->path = is_device ? xstrdup(o->path) : beside_target(o->path);
	if (!out->path)
		return path_error(err, o->path);
	if (is_there && !is_same(out->path, &st))
		is_device = true;
	out->stream =
		is_device ? fopen(o->path, "w")
			  : open_beside(out, is_there ? st.st_mode & 0777 : usual_mode());
	if (out->stream)
		return 0;
	path_error(err, out->path);
	free(out->path);
	free(out->temporary);
	return -1;
}

int output_open(struct output *out, const char *command, const struct output_opts *o,
		struct err *err)
{
	bool is_whole = o->wide || (o->names && strcmp(o->names, "full") == 0);
	bool is_capped = !is_whole && !o->width && !is_for_terminal(o);

	*out = (struct output){ .render = { .command = command,
					    .escape_formulas = o->escape_formulas,
					    .shorten = short_name_add,
					    .whole_names = is_whole,
					    .name_max = is_capped ? PIPE_NAME : 0,
					    .width = output_width(o) },
				.force = o->force };
	if (output_check(o, err) < 0)
		return -1;
	if (!output_to_stdout(o)) {
		if (open_file(out, o, err) < 0)
			return -1;
		out->render.color = terminal_color(o->color, fileno(out->stream));
		return 0;
	}
	out->render.is_shown = terminal_is(STDOUT_FILENO);
	out->render.color = terminal_color(o->color, STDOUT_FILENO);
	pager_open(&out->pager, !o->no_pager);
	out->stream = out->pager.out;
	return 0;
}

/*
 * Writing to a pipe whose reader went away fails like a full disk does; errno
 * is long gone when the renderer has returned, the pipe still knows.
 */
static bool reader_is_gone(int fd)
{
	struct pollfd state = { .fd = fd, .events = POLLOUT };

	return poll(&state, 1, 0) == 1 && (state.revents & POLLERR);
}

/* `number`: the errno of a write that failed before, 0 when it is not known. */
static int flush(FILE *stream, const char *name, int number, struct err *err)
{
	bool had_failed = ferror(stream) != 0;

	if (fflush(stream) != 0)
		number = errno;
	else if (!had_failed)
		return 0;
	if (reader_is_gone(fileno(stream)))
		return 0;
	return err_of_file(err, name, number ? strerror(number) : "writing failed");
}

int output_flush_stdout(struct err *err)
{
	return flush(stdout, "standard output", 0, err);
}

/* link() where -f was not given: a file made meanwhile is not overwritten either. */
static int put_in_place(const struct output *out, struct err *err)
{
	if (!out->force) {
		if (link(out->temporary, out->path) == 0) {
			unlink(out->temporary);
			return 0;
		}
		if (errno == EEXIST)
			return refuse(err, out->path);
	}
	return rename(out->temporary, out->path) == 0 ? 0 : path_error(err, out->path);
}

static int close_file(struct output *out, bool ok, struct err *err)
{
	int rc = ok ? flush(out->stream, out->path, out->write_errno, err) : 0;

	if (fclose(out->stream) != 0 && ok && rc == 0)
		rc = path_error(err, out->path);
	if (!out->temporary)
		return rc;
	if (ok && rc == 0)
		rc = put_in_place(out, err);
	if (!ok || rc < 0)
		unlink(out->temporary);
	interrupt_unlink(NULL);
	return rc;
}

int output_close(struct output *out, bool ok, struct err *err)
{
	int rc = 0;

	if (out->path) {
		rc = close_file(out, ok, err);
		free(out->path);
		free(out->temporary);
	} else {
		if (ok)
			rc = flush(out->stream, "standard output", out->write_errno, err);
		pager_close(&out->pager);
	}
	*out = (struct output){ 0 };
	return rc;
}

static void write_ascii(struct str text, FILE *out)
{
	uint32_t code;

	while (text.n) {
		size_t n = utf8_decode(text, &code);
		char ascii = drawn_ascii(code);
		if (ascii)
			putc(ascii, out);
		else
			fwrite(text.p, 1, n, out);
		text = str_behind(text, n);
	}
}

void output_picture(const struct output *out, struct str text)
{
	if (terminal_is_ascii())
		write_ascii(text, out->stream);
	else
		fwrite(text.p, 1, text.n, out->stream);
}

static bool is_for_ascii(const struct renderer *renderer)
{
	return strcmp(renderer->name, "table") == 0 && terminal_is_ascii();
}

/* Tables of people are made whole before they are drawn: so is their text here. */
static int render_ascii(const struct renderer *renderer, struct table *t,
			const struct output *out, struct err *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *memory = xopen_memory(&text, &n);
	int rc = renderer->render(t, &out->render, memory, err);

	fclose(memory);
	if (rc == 0)
		write_ascii((struct str){ text, n }, out->stream);
	free(text);
	return rc == 0 ? render_end(out->stream, err) : -1;
}

static int render_within(const struct renderer *renderer, struct table *t,
			 const struct output *out, int64_t tokens, struct err *err)
{
	struct budget_text text;
	int rc = budget_draw(renderer, t, &out->render, tokens, &text, err);

	if (rc == 0 && is_for_ascii(renderer))
		write_ascii((struct str){ text.p, text.n }, out->stream);
	else if (rc == 0)
		fwrite(text.p, 1, text.n, out->stream);
	free(text.p);
	return rc == 0 ? render_end(out->stream, err) : -1;
}

/* The table, and those that belong below it. */
static int render_all(const struct renderer *renderer, struct table *t,
		      const struct output *out, struct err *err)
{
	bool is_ascii = is_for_ascii(renderer);

	for (const struct table *first = t; t; t = t->more) {
		if (t != first)
			putc('\n', out->stream);
		int rc = is_ascii ? render_ascii(renderer, t, out, err)
				  : renderer->render(t, &out->render, out->stream, err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int output_table(const char *command, struct table *t, const struct output_opts *o,
		 struct err *err)
{
	const struct renderer *renderer = output_renderer(o, err);
	struct output out;

	if (!renderer || output_open(&out, command, o, err) < 0)
		return -1;
	errno = 0;
	int rc = o->budget ? render_within(renderer, t, &out, o->budget, err)
			   : render_all(renderer, t, &out, err);
	if (rc < 0 && !ferror(out.stream)) {
		/* the table failed, not the stream: its message stands */
		output_close(&out, false, err);
		return -1;
	}
	if (rc < 0)
		out.write_errno = errno;
	return output_close(&out, true, err);
}

int output_nothing(const char *command, const char *status, const char *message,
		   const struct output_opts *o, struct err *err)
{
	const struct renderer *renderer = output_renderer(o, err);
	struct output out;

	if (!renderer || !renderer->nothing)
		return renderer ? 0 : -1;
	if (output_open(&out, command, o, err) < 0)
		return -1;
	renderer->nothing(command, status, message, out.stream);
	return output_close(&out, true, err);
}
