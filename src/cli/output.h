/*
 * Where a result goes: the terminal, through the pager; a pipe; or -o FILE,
 * written under a temporary name and renamed, so that it is whole or not there.
 *
 * A reader of our pipe that went away is no error; a full disk is.
 */
#ifndef PTOOL_CLI_OUTPUT_H
#define PTOOL_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/table.h"
#include "cli/opt.h"
#include "cli/terminal.h"
#include "report/renderer.h"

struct output_opts {
	const char *format; /* NULL: by the suffix of `path`, else the default */
	const char *path;   /* NULL or "-": standard output */
	const char *color;  /* "auto", "always", "never" */
	bool force;         /* replace `path` */
	bool no_pager;
	bool escape_formulas; /* of csv and tsv */
	bool quiet;           /* no line about what was read into the cache */
	bool wide;            /* as wide as it gets */
	const char *names;    /* "short", "full"; NULL: short */
	int64_t width;        /* terminal cells of a line; 0: see output_width() */
	int64_t budget;       /* tokens; 0: none */
};

/* The initialiser of the member, and the row in the command's list of groups. */
/* clang-format off */
#define OUTPUT_DEFAULTS { .color = "auto", .names = "short" }
#define OUTPUT_GROUP(type, member) { "Output", output_options, offsetof(type, member), true }
/* clang-format on */
/* --format, -o, -f, --color, -q, --wide, --width, --names, --budget, --no-pager, --escape-formulas */
extern const struct opt output_options[];
/* All but --format (the first row), for commands that have formats of their own. */
#define OUTPUT_OPTIONS_BUT_FORMAT (output_options + 1)
/* -o, -f and -q alone, of the member `output`; `what` is the help of -o. */
/* clang-format off */
#define OUTPUT_FILE_DEFAULTS { .color = "never", .no_pager = true }
#define OUTPUT_FILE_OPTIONS(type, what) \
	{ .name = "output", .arg = "FILE", .help = (what), \
	  OPT_INTO(STRING, type, output.path), .short_name = 'o', .is_written = true }, \
	{ .name = "force", .help = "replace FILE when it exists", \
	  OPT_INTO(FLAG, type, output.force), .short_name = 'f' }, \
	{ .name = "quiet", .help = "do not report what was read into the cache", \
	  OPT_INTO(FLAG, type, output.quiet), .short_name = 'q' }
/* clang-format on */
/* The same, for a command whose -f is another option. */
extern const struct opt output_options_long_force[];

/*
 * Whether the output can be written at all: to be asked before long work.
 * ERR_USAGE when the file exists and may not be replaced.
 */
int output_check(const struct output_opts *o, struct err *err);

/* ERR_USAGE when --budget was given, which cuts no listing of this format. */
int output_refuse_budget(const struct output_opts *o, const char *format,
			 struct err *err);

/*
 * Draws the table, which stays the caller's, and puts it where it belongs.
 * After it, t->total_rows == 0 says that nothing matched.
 */
int output_table(const char *command, struct table *t, const struct output_opts *o,
		 struct err *err);

/* Of what made no table: writes `status` and the message, where the format has a place. */
int output_nothing(const char *command, const char *status, const char *message,
		   const struct output_opts *o, struct err *err);

/* Without -o, or with -o -. */
bool output_to_stdout(const struct output_opts *o);
/* Terminal cells that a line of a people's table has, 120 in a pipe; 0: all it needs. */
int output_width(const struct output_opts *o);

/* For what is no table: a stream to write to, and what belongs to it. */
struct output {
	FILE *stream; /* write here; closed by output_close */
	struct render_opts render;
	struct pager pager;
	char *path, *temporary; /* owned; NULL: standard output */
	bool force;
	int write_errno; /* of a write that failed; 0: none, or not known */
};

/* 0, or -1 with err set and nothing to close. */
int output_open(struct output *out, const char *command, const struct output_opts *o,
		struct err *err);
/*
 * Always to be called once after output_open.  ok: the work went well, keep the
 * file; else it is removed.  -1 with err set when writing failed.
 */
int output_close(struct output *out, bool ok, struct err *err);

/* Writes a text that ptool drew, without blocks and dots where the locale has none. */
void output_picture(const struct output *out, struct str text);

/* The renderer for these options; NULL with err set. */
const struct renderer *output_renderer(const struct output_opts *o, struct err *err);

/* Flushes standard output: 0, also when its reader went away; -1 with err set. */
int output_flush_stdout(struct err *err);

#endif
