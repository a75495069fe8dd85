/* --series, --mode and --no-idle: the options of commands that work on sampled stacks. */
#ifndef PTOOL_CLI_SAMPLE_OPTIONS_H
#define PTOOL_CLI_SAMPLE_OPTIONS_H

#include <stddef.h>

#include "cli/opt.h"
#include "query/filter.h"

struct sample_opts {
	const char *series, *mode; /* NULL: not given */
	bool no_idle;
};

/* The row in the command's list of groups; the member's initialiser is { 0 }. */
/* clang-format off */
#define SAMPLE_GROUP(type, member) { "Sampled stacks", sample_options, offsetof(type, member), true }
/* clang-format on */
extern const struct opt sample_options[];

/* Into the filter, whose texts they stay. */
void sample_options_set(const struct sample_opts *o, struct filter *filter);

#endif
