/* Names of Python's functions, built-in ones too, without folders and addresses. */
#ifndef PTOOL_QUERY_SHORT_PYTHON_H
#define PTOOL_QUERY_SHORT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/* "file.py:12(f)", "file.py(12): f": where Python's name of a place begins. */
bool short_is_python(struct str name);
/* Adds such a name in at most `cells` cells: the function stays whole. */
void short_add_python(struct buf *out, struct str name, size_t cells);
/* These give a name that is borrowed, or that lies in `text`. */

/* "<built-in method mm of Tensor object at 0x7f...>": the object is another each time. */
struct str short_without_addresses(struct str name, struct buf *text);
/* "<built-in method mm of Tensor object>": "<built-in method mm>", then "<mm>". */
struct str short_built_in(struct str name, size_t cells, struct buf *text);
/* pstats' "{built-in method m.f}", "{method 'f' of 'C' objects}": "{m.f}", "{f of C}". */
struct str short_built_in_of_pstats(struct str name, struct buf *text);

#endif
