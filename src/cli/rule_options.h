/* --rule NAME[:KEY=VALUE,...]: which rules run, and with what parameters. */
#ifndef PTOOL_CLI_RULE_OPTIONS_H
#define PTOOL_CLI_RULE_OPTIONS_H

#include <stdio.h>

#include "base/err.h"
#include "cli/opt.h"
#include "query/advise/advise.h"

/*
 * The rules that are named, in the order of rules[]; all when none is.  `out` has room
 * for rule_count() choices; *n of them.  ERR_USAGE that names the nearest rule or key.
 */
int rule_options_parse(const struct opt_strings *texts, struct rule_choice *out,
		       size_t *n, struct err *err);

/* ptool help rules: what each rule looks at, its parameters, and where they come from. */
void rule_options_help(FILE *out);

#endif
