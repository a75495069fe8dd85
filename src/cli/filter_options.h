/*
 * --focus, --ignore, --cat, --thread, --stream, --device, --step, --time and
 * --min-dur: the same in every reading command that has slices to choose from.
 */
#ifndef PTOOL_CLI_FILTER_OPTIONS_H
#define PTOOL_CLI_FILTER_OPTIONS_H

#include <stddef.h>

#include "base/err.h"
#include "cli/opt.h"
#include "query/filter.h"

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

#endif
