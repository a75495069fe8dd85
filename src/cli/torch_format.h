/*
 * ptool top --format torch: from the operator table to the text that torch's
 * key_averages().table() prints.
 */
#ifndef PTOOL_CLI_TORCH_FORMAT_H
#define PTOOL_CLI_TORCH_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "query/top/top.h"

struct torch_opts {
	const char *header;     /* NULL: none */
	const char *name_width; /* NULL: torch's 55; "0": no limit */
	const char *time_unit;  /* NULL: each number its own */
};

/* --header, --max-name-column-width, --time-unit */
extern const struct opt torch_options[];

/* For other formats: an ERR_USAGE when one of these options was given. */
int torch_options_check(const struct torch_opts *o, struct err *err);

/* All borrowed. */
struct torch_request {
	const struct top_rows *rows; /* loaded with torch_times */
	const struct scope *scope;
	const struct top_query *query;
	const struct torch_opts *opts;
	bool top_level;
};

int torch_format_write(const char *command, const struct torch_request *request,
		       const struct output_opts *output, struct err *err);

#endif
