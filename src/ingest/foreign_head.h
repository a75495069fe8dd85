/*
 * Files that no reader takes, told by their first bytes, so that the refusal can say
 * what they are.
 */
#ifndef PTOOL_INGEST_FOREIGN_HEAD_H
#define PTOOL_INGEST_FOREIGN_HEAD_H

#include "base/str.h"

/* "compiled Python (.pyc)": completes "this is"; NULL: nothing known. */
const char *foreign_head(struct bytes head);

#endif
