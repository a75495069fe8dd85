/*
 * Data within a page of HTML, in elements that browsers do not run.
 */
#ifndef PTOOL_REPORT_PAGE_BLOB_H
#define PTOOL_REPORT_PAGE_BLOB_H

#include <stdio.h>

#include "base/str.h"

/*
 * <script type="application/octet-stream" id=ID>: the bytes as base/deflate64.h writes them;
 * the id is a word of ours.  A write that fails is known by ferror().
 */
void page_blob(FILE *out, const char *id, struct bytes bytes);
/* The one or the other of a JSON text, by its length.  base.js: await pageData(ID). */
void page_data(FILE *out, const char *id, struct str json);

#endif
