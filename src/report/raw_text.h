/*
 * Text of csv and tsv, as it is but for what would reach a terminal behind a pipe:
 * controls that are neither \t, \n nor \r become \x1b, and bytes that are no UTF-8, as in
 * names of files, \xff.  On a terminal all that people's tables make visible is.
 */
#ifndef PTOOL_REPORT_RAW_TEXT_H
#define PTOOL_REPORT_RAW_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"
#include "report/renderer.h"

struct raw_text {
	bool is_shown, escape_formulas; /* of struct render_opts */
	struct buf room, cell;
};

void raw_text_init(struct raw_text *r, const struct render_opts *opts);
void raw_text_release(struct raw_text *r);
/* Borrowed: from `text`, or from `r` until the next call. */
struct str raw_text(struct raw_text *r, struct str text);
/* True when the cell wants a ' before it, lest a spreadsheet takes it for a formula. */
bool raw_text_is_formula(const struct raw_text *r, struct str cell);
/* A whole cell with that: borrowed in the same way. */
struct str raw_cell(struct raw_text *r, struct str cell);

#endif
