/*
 * Python's pickle, protocols 2 to 5, as far as plain data goes: None, booleans, numbers,
 * text, bytes, tuples, lists and dicts, and references among them.  Lib/pickletools.py
 * of CPython tells the format.
 *
 * Nothing is executed, imported or built that is not plain data: an opcode that would
 * do so is refused by its name, and by that of the class or function where it has one.
 * A caller may name classes whose objects are read as data all the same, as a class and
 * its state; then protocols 0 and 1 are read too.
 * Each object stands once however often it is referred to; lists may hold themselves,
 * so that who walks them needs limits of his own.  What would take much more memory than
 * snapshots do, 64 MiB and 16 bytes for each of the text, or more than 4 GiB, is refused.
 */
#ifndef PTOOL_INGEST_PICKLE_H
#define PTOOL_INGEST_PICKLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct spill;

#define PICKLE_NONE UINT32_MAX /* no value, no item */
/* Containers that are open at once, and values that wait for one. */
#define PICKLE_DEPTH_MAX 1000
#define PICKLE_STACK_MAX 1000000

enum pickle_type {
	PICKLE_NULL, /* None */
	PICKLE_BOOL,
	PICKLE_INT,
	PICKLE_BIG, /* an int beyond int64 */
	PICKLE_FLOAT,
	PICKLE_TEXT, /* as it stands: should be UTF-8, with halves of pairs in it */
	PICKLE_BYTES,
	PICKLE_TUPLE,
	PICKLE_LIST,
	PICKLE_DICT,
	PICKLE_CLASS, /* a name of struct pickle_class */
	PICKLE_OBJECT /* of such a class; its item, if any, is its state */
};

/* What a name in a pickle is for. */
enum pickle_role {
	PICKLE_DATA, /* a class whose objects hold data */
	PICKLE_MAKER, /* copyreg._reconstructor(class, object, None), in protocols 0 and 1 */
	PICKLE_BASE /* object */
};

struct pickle_class {
	const char *module, *name; /* NULL ends an array */
	enum pickle_role role;
};

struct pickle_value {
	uint64_t at;      /* its opcode's byte */
	uint32_t first;   /* of a container: its first item, or PICKLE_NONE */
	uint32_t last, n; /* of a dict keys and values in turn, 2 for each entry */
	enum pickle_type type;
	union {
		int64_t number; /* int, bool, role; of a big one the end of the range */
		double real;
		struct str text; /* borrowed from the input, or from `texts` */
	} as;
};

struct pickle_item {
	uint32_t value, next; /* next: item, or PICKLE_NONE */
};

struct pickle {
	struct spill *spill;                /* borrowed, or NULL: where the objects lie */
	struct bytes text;                  /* borrowed */
	const struct pickle_class *classes; /* borrowed, or NULL: plain data alone */
	struct arena texts;                 /* that stand in the input with escapes */
	struct pickle_value *values;        /* owned */
	struct pickle_item *items;          /* owned */
	uint32_t *stack, *memo;             /* owned; values */
	uint32_t *marks;                    /* owned; heights of the stack */
	size_t nvalues, nitems, nstack, nmemo, nmarks;
	size_t values_cap, items_cap, stack_cap, memo_cap, marks_cap;
	size_t bytes_max; /* of values, items and memo, 4 GiB at most: places fit 32 bits */
	size_t at;        /* of the next opcode */
	uint32_t top;     /* the value that all of it is */
};

/* 0, or an ERR_INPUT that names the byte.  pickle_release() in both cases. */
int pickle_open(struct pickle *p, struct bytes text, struct err *err);
/* The same with the objects in a spill, borrowed. */
int pickle_open_in(struct pickle *p, struct bytes text, struct spill *spill,
		   struct err *err);
/* The same with objects of these classes, in protocols 0 to 5. */
int pickle_open_classes(struct pickle *p, struct bytes text, struct spill *spill,
			const struct pickle_class *classes, struct err *err);
void pickle_release(struct pickle *p);

/* "a list", "None", "a number": for messages. */
const char *pickle_type_name(enum pickle_type type);

#endif
