/*
 * Text of the formats for machines, as it is but for what they cannot hold: bytes
 * that are no UTF-8, as in names of files, become \xff.  On a terminal all that
 * could drive it is made visible, as in people's tables.
 */
#ifndef PTOOL_REPORT_RAW_TEXT_H
#define PTOOL_REPORT_RAW_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct raw_text {
	bool is_shown; /* on a terminal */
	struct buf room;
};

void raw_text_init(struct raw_text *r, bool is_shown);
void raw_text_release(struct raw_text *r);
/* Borrowed: from `text`, or from `r` until the next call. */
struct str raw_text(struct raw_text *r, struct str text);

#endif
