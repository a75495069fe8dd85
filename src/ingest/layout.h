/*
 * How the events of one producer are printed.  It prints the same text between the
 * values of events of one kind: that text is compared with what was read before,
 * which is many times faster than reading it.
 *
 * A layout is a path through a tree: each node is a piece of text that ends where a
 * value begins, or the event; its children are what came behind that value.  The phase
 * and the category belong to the text, so that events with one layout mean the same.
 */
#ifndef PTOOL_INGEST_LAYOUT_H
#define PTOOL_INGEST_LAYOUT_H

#include <stdint.h>

#include "ingest/json.h"
#include "ingest/same_text.h"

#define LAYOUT_NODES    2048
#define LAYOUT_TEXT     48 /* of a node, which has 64 bytes; at most JSON_PADDING */
#define LAYOUT_CHILDREN 16
#define LAYOUT_ENDS     256 /* events whose layout differs */

/* What stands behind the text of a node. */
enum layout_kind {
	LAYOUT_MORE,   /* more text: a child's */
	LAYOUT_STRING, /* a string, whose opening quote belongs to the text */
	LAYOUT_ID,     /* pid or tid, often the same number as the last time */
	LAYOUT_VALUE,  /* any other value */
	LAYOUT_END     /* nothing: the text ends with the event's '}' */
};

/* What a node's value is. */
struct layout_value {
	uint8_t kind; /* enum layout_kind */
	bool is_arg;
	uint8_t place; /* an enum event_field, or NFIELDS; or the number of the arg */
	uint8_t key_before, key_n; /* bytes that the key begins before the value */
	/* Bytes that args begin and end before the value, when they do in this text; or 0. */
	uint8_t args_before, args_end_before;
};

struct layout {
	char text[LAYOUT_TEXT];
	uint8_t n;
	uint8_t meaning; /* the caller's, for its key: 0 at first */
	struct layout_value value;
	uint16_t child, sibling; /* the newest first; 0: none */
	uint16_t seen;           /* the caller's, 0 at first; of an end its number */
};

/* The fields whose values belong to the text. */
enum layout_fixed { LAYOUT_PHASE, LAYOUT_CATEGORY, LAYOUT_NFIXED };

/* What the caller found out of the events that have one layout; all 0 at first. */
struct layout_found {
	bool has_category, has_class;
	uint8_t class; /* an enum slice_class */
	uint8_t name_n;
	uint32_t category;           /* the number of the text */
	uint32_t name;               /* likewise, of the last event's name ... */
	char name_text[LAYOUT_TEXT]; /* ... which is this, when name_n is not 0 */
};

/* What is true of all events that have one layout. */
struct layout_event {
	uint32_t present; /* as in struct event */
	uint8_t nargs;
	bool has_args;
	uint8_t fixed_n[LAYOUT_NFIXED]; /* 0: it is none */
	char fixed[LAYOUT_NFIXED][LAYOUT_TEXT];
	struct layout_found found;
};

/* Zeroed is empty.  Node 0 stands before the event. */
struct layouts {
	unsigned n, nends, nresets;
	struct layout all[LAYOUT_NODES];
	struct layout_event ends[LAYOUT_ENDS];
};

/* Forgets all that was learnt. */
void layouts_clear(struct layouts *l);
/* Makes room when there is none, which forgets all: between two events. */
void layouts_renew(struct layouts *l);
/*
 * The node behind `at` with that text and value, which may be a new one; NULL when
 * it cannot be remembered, or `at` is NULL.
 */
struct layout *layouts_add(struct layouts *l, struct layout *at, struct str text,
			   struct layout_value value);
/* layouts_next where the first child does not fit. */
struct layout *layouts_other(struct layouts *l, struct layout *at, const char *p);

/* The node behind `at` whose text stands at p; NULL: none is known. */
static inline struct layout *layouts_next(struct layouts *l, struct layout *at,
					  const char *p)
{
	struct layout *first = &l->all[at->child];

	return at->child && same_text(first->text, first->n, p) ? first
								: layouts_other(l, at, p);
}

/* What is true of the events that end with that node. */
static inline struct layout_event *layouts_end(struct layouts *l, const struct layout *at)
{
	return &l->ends[at->seen];
}

#endif
