/*
 * Reading commands with filters: STORE|FILE, the command's own options, filters,
 * profiles and output, one table.  What they all have is the member `on` of the
 * command's options struct:
 *
 *	struct list_opts {
 *		struct filtered_opts on;
 *		int64_t limit;
 *	};
 *	static const struct opt_group list_groups[] = {
 *		FILTERED_OPERAND(struct list_opts),
 *		{ .opts = list_options },
 *		FILTERED_GROUPS(struct list_opts),
 *		OPT_GROUP_END
 *	};
 */
#ifndef PTOOL_CLI_FILTERED_H
#define PTOOL_CLI_FILTERED_H

#include <stddef.h>

#include "base/err.h"
#include "cli/command.h"
#include "cli/opt.h"
#include "cli/reading.h"
#include "cli/view_options.h"
#include "query/filter.h"

/*
 * --focus, --ignore, --cat, --thread, --stream, --device, --step, --time and
 * --min-dur: the same in every reading command that has slices to choose from.
 */
struct filter_opts {
	const char *focus, *ignore, *step, *time, *min_dur; /* NULL: not given */
	struct opt_strings cat, thread, stream, device;
};

/* The row in the command's list of groups; the member's initialiser is { 0 }. */
/* clang-format off */
#define FILTER_GROUP(type, member) { "Filters", filter_options, offsetof(type, member), true }
/* clang-format on */
extern const struct opt filter_options[];

/* As filter_compile(); argv outlives the filter. */
int filter_options_compile(const struct filter_opts *o, struct filter *out,
			   struct err *err);

struct filtered_opts {
	const char *operand; /* NULL: the default store */
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* The member's initialiser, and the rows before and behind the command's own. */
/* clang-format off */
#define FILTERED_DEFAULTS { .output = OUTPUT_DEFAULTS }
#define FILTERED_OPERAND(type) OPERAND_GROUP(type, on.operand)
#define FILTERED_GROUPS(type)		\
	FILTER_GROUP(type, on.filter),	\
	SCOPE_GROUP(type, on.scope),	\
	OUTPUT_GROUP(type, on.output)
/* clang-format on */

/* All of it is borrowed for the call. */
struct filtered_plan {
	void *options; /* the command's struct; `on` is a member of it */
	const struct filtered_opts *on;
	/* What `--sort help` lists, and where it is found; NULL: there is no --sort. */
	const struct view *view;
	const struct view_opts *show;
	void *request; /* what `make` fills and `open` reads */
	/* Before a store is opened: 0, or -1 with an ERR_USAGE. */
	int (*make)(const void *options, const struct filter *filter, void *request,
		    struct err *err);
	/* As that of struct reading_plan, with the request for its options. */
	int (*open)(const struct reading *r, const void *request, struct table **out,
		    struct err *err);
	const char *nothing, *lacks; /* as in struct reading_plan */
};

/* Parses and reads; returns the exit code. */
int filtered_run(const struct command *self, int argc, char **argv,
		 const struct filtered_plan *plan);
/* What follows parsing, for commands that answer some options without a store. */
int filtered_read(const char *command, const struct filtered_plan *plan);

#endif
