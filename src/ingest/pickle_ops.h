/*
 * The opcodes of pickles, within src/ingest/pickle*.c: what each is called, how long it
 * is, and what it does.
 */
#ifndef PTOOL_INGEST_PICKLE_OPS_H
#define PTOOL_INGEST_PICKLE_OPS_H

#include <stdbool.h>

#include "ingest/pickle.h"

#define PICKLE_PROTO 0x80

struct pickle_argument {
	uint64_t number;   /* the bytes behind the opcode, little-endian */
	struct bytes body; /* the same as they stand; or what they are the length of */
	size_t next;       /* where the next opcode stands */
};

struct pickle_op {
	const char *name; /* NULL: there is none of that code */
	/* NULL: refused.  1 behind the last opcode, 0, or -1 with err set. */
	int (*run)(struct pickle *p, const struct pickle_argument *argument,
		   struct err *err);
	uint8_t bytes;  /* behind it, */
	bool has_body;  /*   and then so many as these say */
	bool is_signed; /* the length is an int32 */
};

/* By code. */
extern const struct pickle_op pickle_ops[256];
/* The opcode at p->at does what no data needs: -1. */
int pickle_refuse(const struct pickle *p, const char *name, struct err *err);

/* What opcodes are made of; all 0, or -1 with err set. */
int pickle_push(struct pickle *p, uint32_t value, struct err *err);
/* Of the value only what its type has. */
int pickle_push_new(struct pickle *p, struct pickle_value value, struct err *err);
/* Are n values there that the newest container may take? */
int pickle_need(const struct pickle *p, size_t n, struct err *err);
int pickle_mark(struct pickle *p, struct err *err);
/* *from: the height of the stack at the newest mark, which is taken off. */
int pickle_take_mark(struct pickle *p, size_t *from, struct err *err);
/* Values from that height on go into the list or dict below them. */
int pickle_fill(struct pickle *p, size_t from, enum pickle_type type, struct err *err);
/* They become a tuple. */
int pickle_tuple(struct pickle *p, size_t from, struct err *err);
int pickle_put(struct pickle *p, uint64_t number, struct err *err);
int pickle_get(struct pickle *p, uint64_t number, struct err *err);

#endif
