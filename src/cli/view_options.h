/*
 * --sort, --reverse and --limit, the same for every view: a struct view_opts among the
 * command's options, and VIEW_OPTIONS among its rows.
 */
#ifndef PTOOL_CLI_VIEW_OPTIONS_H
#define PTOOL_CLI_VIEW_OPTIONS_H

#include "base/err.h"
#include "cli/command.h"
#include "cli/output.h"
#include "query/view.h"

/* A default of --limit: so many rows in people's tables, all in others. */
#define VIEW_LIMIT_PEOPLE (-20)

struct view_opts {
	const char *sort; /* NULL: the view's own */
	int64_t limit;
	bool reverse;
};

/* type: the command's options, of which `member` is one; view: whose keys --sort takes. */
/* clang-format off */
#define VIEW_OPTIONS(type, member, view) \
	VIEW_OPTIONS_KEYS(type, member, .value_of = view_options_sort_at, .of = (view))
/* The same, with other keys. */
#define VIEW_OPTIONS_KEYS(type, member, ...) \
	{ .name = "sort", .arg = "KEY", .help = "sort by this column; 'help' lists them", \
	  __VA_ARGS__, OPT_INTO(STRING, type, member.sort), .short_name = 's' }, \
	{ .name = "reverse", .help = "reverse the order", \
	  OPT_INTO(FLAG, type, member.reverse), .short_name = 'r' }, \
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all", \
	  OPT_INTO(UINT, type, member.limit), .short_name = 'n' }
/* clang-format on */

/* Of a struct view, for option rows: key i of --sort, then OPT_LISTS, then NULL; ... */
const char *view_options_sort_at(const void *view, size_t i);
/* ... word i of --by. */
const char *view_options_by_at(const void *view, size_t i);
/* Is it `--sort help`? */
bool view_options_want_help(const struct view_opts *o);
/* Draws the keys of --sort as a table; returns the exit code. */
int view_options_help(const struct command *self, const struct view *view,
		      const struct output_opts *output);
/* The same, with a note on those of `functions`, which call graphs have instead. */
int view_options_help_both(const struct command *self, const struct view *view,
			   const struct view *functions,
			   const struct output_opts *output);
/*
 * Sets sort, limit and reverse of `out`, whose `asked` and `for_people` are set.  ERR_USAGE names the
 * nearest key, or what must be asked for to have the column.
 */
int view_options_read(const struct view_opts *o, const struct view *view,
		      struct view_request *out, struct err *err);

#endif
