/* Texts cut to terminal cells, and what names of all languages share. */
#ifndef PTOOL_QUERY_SHORT_CUT_H
#define PTOOL_QUERY_SHORT_CUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

#define SHORT_ELLIPSIS "\xe2\x80\xa6" /* one cell */

/* A letter, a digit or '_'. */
bool short_is_ident(char c);
/* The place of the '(' that the last ')' of the name closes; SIZE_MAX: it ends otherwise. */
size_t short_arguments_at(struct str name);
/* A path, and what stands behind it in brackets, without the folders; borrowed. */
struct str short_without_folders(struct str name);
/* The beginning in at most `cells` cells, with a sign that there was more. */
void short_add_head(struct buf *out, struct str name, size_t cells);
/* The same, where the name does not fit as it is. */
void short_add_or_cut(struct buf *out, struct str name, size_t cells);

#endif
