/*
 * Commands that draw one table of STORE|FILE, as data: the command's own options,
 * filters where it has slices to choose from, profiles and output.  The command's
 * options struct begins with a struct table_opts:
 *
 *	struct list_opts {
 *		struct table_opts on;
 *		int64_t limit;
 *	};
 *	static const struct opt_group list_groups[] = {
 *		TABLE_OPERAND,
 *		{ .opts = list_options },
 *		TABLE_FILTERED_GROUPS,
 *		OPT_GROUP_END
 *	};
 *	const struct command cmd_list = {
 *		...
 *		.groups = list_groups,
 *		.table = &(const struct table_command){ .open = open_list, ... },
 *	};
 */
#ifndef PTOOL_CLI_TABLE_COMMAND_H
#define PTOOL_CLI_TABLE_COMMAND_H

#include <stddef.h>

#include "base/err.h"
#include "cli/command.h"
#include "cli/opt.h"
#include "cli/reading.h"
#include "cli/view_options.h"
#include "query/filter.h"
#include "store/need.h"

/*
 * --focus, --ignore, --cat, --thread, --stream, --device, --step, --phase, --time and
 * --min-dur: the same in every reading command that has slices to choose from.
 */
struct filter_opts {
	const char *focus, *ignore, *step, *phase, *time, *min_dur; /* NULL: not given */
	struct opt_strings cat, thread, stream, device;
};

/* The row in the command's list of groups; the member's initialiser is { 0 }. */
/* clang-format off */
#define FILTER_GROUP(type, member) \
	FILTER_NAMES_GROUP(type, member), \
	{ "", filter_time_options, offsetof(type, member), true }
/* Without --step, --phase, --time and --min-dur. */
#define FILTER_NAMES_GROUP(type, member) { "Filters", filter_options, offsetof(type, member), true }
/* clang-format on */
extern const struct opt filter_options[], filter_time_options[];
/* The row of --phase alone; type: the command's options, of which `member` is one. */
/* clang-format off */
#define FILTER_PHASE(type, member) \
	FILTER_PHASE_TO(type, member, "only steps of an inference engine in this phase")
#define FILTER_PHASE_TO(type, member, what) \
	{ .name = "phase", .arg = "PHASE", .help = (what), .choices = filter_phases, \
	  OPT_INTO(CHOICE, type, member) }
/* clang-format on */
extern const char *const filter_phases[];

/* As filter_compile(); argv outlives the filter. */
int filter_options_compile(const struct filter_opts *o, struct filter *out,
			   struct err *err);

struct table_opts {
	const char *operand; /* NULL: the default store */
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* The member's initialiser, and the rows before and behind the command's own. */
/* clang-format off */
#define TABLE_DEFAULTS { .output = OUTPUT_DEFAULTS }
#define TABLE_OPERAND OPERAND_GROUP(struct table_opts, operand)
#define TABLE_GROUPS					\
	SCOPE_GROUP(struct table_opts, scope),		\
	OUTPUT_GROUP(struct table_opts, output)
#define TABLE_FILTERED_GROUPS				\
	FILTER_GROUP(struct table_opts, filter),	\
	TABLE_GROUPS
/* clang-format on */

/*
 * Defines open_table(), for `open` below, of a view's own function, whose request has a
 * type of its own.
 */
/* clang-format off */
#define TABLE_OPEN(view_open)						\
	static int open_table(const struct reading *r, void *request,	\
			      struct table **out, struct err *err)	\
	{								\
		return view_open(r->store, r->scope, request, out, err); \
	}
/* clang-format on */

/* How the table is made; `request` is what `make` fills and `open` reads. */
struct table_command {
	size_t request_size; /* it begins zeroed; 0: there is none */
	/* Before a store is opened: 0, or -1 with an ERR_USAGE.  NULL: nothing is to do. */
	int (*make)(const void *options, const struct filter *filter, void *request,
		    struct err *err);
	int (*open)(const struct reading *r, void *request, struct table **out,
		    struct err *err);
	void (*release)(void *request); /* also of a zeroed one; may be NULL */
	/*
	 * --sort and its like: whose keys they are (one of both; neither: there is no
	 * such option), and the offsets of the struct view_opts in the options and of the
	 * struct view_request in the request, which is read behind `make`.
	 */
	const struct view *view;
	const struct view *(*view_of)(const void *options);
	size_t sorting, show;
	/* What of a database the request reads; NULL: what its command does. */
	void (*need)(const void *request, struct fetch_need *out);
	bool is_of_devices; /* filters that choose no device work are refused */
	bool all_runs;      /* as in struct reading_plan, as are these */
	const char *nothing, *lacks;
	const char *(*nothing_of)(const void *request); /* in place of `nothing` */
};

/*
 * The table of a command line, such as "kernels -n 0", for who shows it elsewhere.  Options
 * and filters live while `use` pulls the rows; without rows err says why, as the command
 * would.  1, 0 where there are none, or -1 with err set; what `use` returns else.
 */
struct table_use {
	int (*use)(void *to, struct table *t, struct err *err);
	void *to;
};
int table_command_use(const char *line, const struct reading *r,
		      const struct table_use *use, struct err *err);

/* The same of words, which are reordered; none of them is an operand. */
int table_command_use_words(const struct command *command, int nwords, char **words,
			    const struct reading *r, const struct table_use *use,
			    struct err *err);

/* Parses and reads; returns the exit code. */
int table_command_run(const struct command *self, int argc, char **argv);
/* Reads alone: for who has parsed. */
int table_command_answer(const struct command *self, const void *options);
/*
 * The same for who takes the table: prints nothing.  0, or -1 with err set.
 */
int table_command_take(const struct command *self, int argc, char **argv,
		       const struct reading_taker *taker, struct err *err);

#endif
