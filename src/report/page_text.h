/*
 * Text of profiles put into a page: data, never markup.  What a reader would not see or
 * what would turn the text around is made visible as in terminals: \n, \x1b, \u202e.
 */
#ifndef PTOOL_REPORT_PAGE_TEXT_H
#define PTOOL_REPORT_PAGE_TEXT_H

#include <stdio.h>

#include "base/str.h"

/* As text of an element, or an attribute's value between double quotes. */
void page_text(FILE *out, struct str text);
/*
 * A whole JSON text as it may stand in a script element: <, > and & only occur in its
 * strings, and are written \u003c there.
 */
void page_text_json(FILE *out, struct str json);

#endif
