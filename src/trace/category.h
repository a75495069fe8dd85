/*
 * PyTorch's categories: what class of slice each means, under which names torch wrote
 * it over the years, and the names of the classes.
 */
#ifndef PTOOL_TRACE_CATEGORY_H
#define PTOOL_TRACE_CATEGORY_H

#include <stdbool.h>

#include "base/str.h"
#include "trace/fact.h"

struct category {
	struct str name;
	enum slice_class class;
	struct str today; /* how torch spells it since 1.10 */
};

/* In any capitals; NULL: it has no meaning here. */
const struct category *category_find(struct str text);
/* Are they the same but for capitals and for torch's old spellings ("Operator", "cpu_op")? */
bool category_is_same(struct str a, struct str b);

/* As in the store and in lists: "op", "kernel", "memcpy", ... */
const char *slice_class_name(enum slice_class class);
/* Category i, in every spelling; NULL after the last. */
const struct category *category_at(size_t i);
/* Word i that chooses slices: a category as torch spells it, or a class; NULL at the end. */
const char *category_word_at(size_t i);
/* The bit (1 << class) of the class that has this name, in any capitals; 0: none has. */
unsigned category_classes(struct str text);

#endif
