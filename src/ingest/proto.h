/*
 * Protocol buffers' wire format, read: the fields of a message, one after the other.
 * Nothing is copied or allocated, and nothing behind the message is looked at.
 * Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef PTOOL_INGEST_PROTO_H
#define PTOOL_INGEST_PROTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Bytes of a message that are not read yet. */
struct proto {
	const uint8_t *p, *end;
};

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5
};

struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value;   /* of a number; of PROTO_BYTES how many */
	struct str bytes; /* borrowed: text, a message or packed numbers */
};

static inline struct proto proto_of(struct str message)
{
	const uint8_t *p = (const uint8_t *)(message.p ? message.p : "");

	return (struct proto){ p, message.n ? p + message.n : p };
}

/* A number of 64 bits; false: the bytes end in it, or it is longer than ten. */
bool proto_varint(struct proto *m, uint64_t *value);
/*
 * 1: *f is the next field; 0: the message is at its end; -1: the bytes end within the
 * field, or are none.  m->p stands at the field that could not be read then.
 */
int proto_next(struct proto *m, struct proto_field *f);

#endif
