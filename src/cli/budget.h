/*
 * An answer that fits a number of tokens, for programs that pay for what they read: rows
 * that do not fit are left out, the last first, then notes.  Where one row is too much, its
 * long texts are cut; then tables are left out.  A token is taken as 3.5 bytes, what
 * tokenizers make of tables of names and numbers on average.
 */
#ifndef PTOOL_CLI_BUDGET_H
#define PTOOL_CLI_BUDGET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "report/renderer.h"

/* Bytes of so many tokens. */
size_t budget_bytes(int64_t tokens);

struct budget_text {
	char *p; /* owned by who asked: free() */
	size_t n;
};

/*
 * The table and those below it, drawn as they fit into `tokens` (over 0).  What was left
 * out is told in a note of the last table, or, by formats that have none, on stderr.
 */
int budget_draw(const struct renderer *renderer, struct table *t,
		const struct render_opts *opts, int64_t tokens, struct budget_text *out,
		struct err *err);

#endif
