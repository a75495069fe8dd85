/* The options of `ptool report`. */
#ifndef PTOOL_CLI_REPORT_OPTIONS_H
#define PTOOL_CLI_REPORT_OPTIONS_H

#include "cli/output.h"
#include "cli/report_timeline.h"
#include "cli/scope_options.h"

struct report_opts {
	struct opt_args operands; /* STORE|FILE, or two of them to compare */
	struct scope_opts scope;
	struct report_timeline_opts timeline;
	struct output_opts output;
};

#endif
