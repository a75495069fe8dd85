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

/*
 * at: the offset of the struct in the command's options; keys(i):
 * view_options_sort_at() of the command's view.
 */
/* clang-format off */
#define VIEW_OPTIONS(at, keys) \
	{ .name = "sort", .arg = "KEY", .help = "sort by this column; 'help' lists them", \
	  .value_at = (keys), .offset = (at) + OPT_OFFSET(STRING, struct view_opts, sort), .type = OPT_STRING, \
	  .short_name = 's' }, \
	{ .name = "reverse", .help = "reverse the order", \
	  .offset = (at) + OPT_OFFSET(FLAG, struct view_opts, reverse), .type = OPT_FLAG, .short_name = 'r' }, \
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all", \
	  .offset = (at) + OPT_OFFSET(UINT, struct view_opts, limit), .type = OPT_UINT, .short_name = 'n' }
/* clang-format on */

/* Key i, then OPT_LISTS, then NULL. */
const char *view_options_sort_at(const struct view *view, size_t i);
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
