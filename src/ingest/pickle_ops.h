/*
 * What the opcodes of pickles are made of, for the two files that run them: pickle.c
 * those of plain data, pickle_object.c those that make objects, and those of protocols 0
 * and 1, whose arguments are lines of text.
 */
#ifndef PTOOL_INGEST_PICKLE_OPS_H
#define PTOOL_INGEST_PICKLE_OPS_H

#include <stdbool.h>

#include "ingest/pickle.h"

#define PICKLE_PROTO 0x80

struct pickle_argument {
	uint64_t number; /* the bytes behind the opcode, little-endian */
	struct bytes
		body; /* the same as they stand; what they are the length of; lines */
	size_t next;  /* where the next opcode stands */
};

struct pickle_op {
	const char *name; /* NULL: there is none of that code */
	/* NULL: refused.  1 behind the last opcode, 0, or -1 with err set. */
	int (*run)(struct pickle *p, const struct pickle_argument *argument,
		   struct err *err);
	uint8_t bytes;      /* behind it, */
	bool has_body;      /*   and then so many as these say */
	bool is_signed;     /* the length is an int32 */
	uint8_t lines;      /* instead of bytes: lines behind it */
	bool is_of_objects; /* refused unless the caller names classes */
};

/* By code. */
extern const struct pickle_op pickle_ops[256];

#define PICKLE_OPCODE(function) \
	int function(struct pickle *p, const struct pickle_argument *a, struct err *err)

/* All 0, or -1 with err set.  Of a new value only what its type has. */
int pickle_push_new(struct pickle *p, struct pickle_value value, struct err *err);
/* Pushes a mark: at most PICKLE_DEPTH_MAX are open. */
int pickle_mark(struct pickle *p, struct err *err);
/* Are n values there that the newest container may take? */
int pickle_need(const struct pickle *p, size_t n, struct err *err);
/* *from: the height of the stack at the newest mark, which is taken off. */
int pickle_take_mark(struct pickle *p, size_t *from, struct err *err);
/* Values from that height on go into the list or dict below them. */
int pickle_fill(struct pickle *p, size_t from, enum pickle_type type, struct err *err);
/* They become a tuple. */
int pickle_tuple(struct pickle *p, size_t from, struct err *err);
/* Appends to a list, a tuple or a dict: of a dict, a key or a value in turn. */
int pickle_add_item(struct pickle *p, uint32_t container, uint32_t value,
		    struct err *err);
/* CPython numbers what it remembers one after the other, each with an opcode of its own. */
int pickle_put(struct pickle *p, uint64_t number, struct err *err);
/* Pushes what was remembered by that number. */
int pickle_get(struct pickle *p, uint64_t number, struct err *err);
/* The opcode at p->at does what is not read: -1, with the name that it uses. */
int pickle_refuse(const struct pickle *p, const char *name, struct err *err);

PICKLE_OPCODE(pickle_run_global);
PICKLE_OPCODE(pickle_run_stack_global);
PICKLE_OPCODE(pickle_run_reduce);
PICKLE_OPCODE(pickle_run_newobj);
PICKLE_OPCODE(pickle_run_build);
PICKLE_OPCODE(pickle_run_decimal);
PICKLE_OPCODE(pickle_run_real);
PICKLE_OPCODE(pickle_run_quoted);
PICKLE_OPCODE(pickle_run_escaped);
PICKLE_OPCODE(pickle_run_get_line);
PICKLE_OPCODE(pickle_run_put_line);
PICKLE_OPCODE(pickle_run_list);
PICKLE_OPCODE(pickle_run_dict);

#endif
