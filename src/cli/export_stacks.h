/*
 * Stacks with weights, as flame graphs are drawn from: what the exporters of such
 * formats share.
 *
 *	struct export_stacks s;
 *	if (export_stacks_open(request, &s, losses, err) == 0)
 *		while (export_stacks_next(&s))
 *			...
 *	export_stacks_close(&s);
 */
#ifndef PTOOL_CLI_EXPORT_STACKS_H
#define PTOOL_CLI_EXPORT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "cli/export_amount.h"
#include "cli/exporter.h"
#include "query/calls/call_tree.h"
#include "query/samples/stack_paths.h"

struct export_stacks {
	struct call_tree tree;    /* owned */
	uint32_t at;              /* node of the stack */
	struct stack_paths paths; /* owned: its frames, which are numbers of tree.texts */
	struct export_losses *losses; /* borrowed */
	/* What the stack has itself, without those that it called; ns. */
	int64_t calls, host_ns, device_ns;
};

/* export_stacks_close() in both cases.  ERR_EMPTY: there are no calls. */
int export_stacks_open(const struct export_request *request, struct export_stacks *s,
		       struct export_losses *losses, struct err *err);
/* The next stack that has calls or time; false: there are no more. */
bool export_stacks_next(struct export_stacks *s);
/* export_stacks_next() begins again. */
void export_stacks_rewind(struct export_stacks *s);
void export_stacks_close(struct export_stacks *s);

/*
 * An amount as decimal text, in `out`: of sampled stacks a count may have digits behind
 * the point.
 */
const char *export_stacks_amount(const struct export_stacks *s, int64_t amount,
				 char out[EXPORT_AMOUNT_MAX]);
/* "nanoseconds", "bytes", or `count` of counts: what amounts are. */
const char *export_stacks_unit(const struct export_stacks *s, const char *count);

/* The stack's time that the weight means. */
int64_t export_stacks_ns(const struct export_stacks *s, enum export_weight weight);

#endif
