/* Fields of a message: see proto.h. */
#include "ingest/proto.h"

#define VARINT_BITS 64
#define NUMBER_MAX  ((UINT32_C(1) << 29) - 1) /* of a field */

bool proto_varint(struct proto *m, uint64_t *value)
{
	const uint8_t *p = m->p;

	*value = 0;
	for (unsigned shift = 0; shift < VARINT_BITS && p < m->end; shift += 7) {
		*value |= (uint64_t)(*p & 0x7f) << shift;
		if (*p++ < 0x80) {
			m->p = p;
			return true;
		}
	}
	return false;
}

static bool fixed(struct proto *m, size_t n, uint64_t *value)
{
	if ((size_t)(m->end - m->p) < n)
		return false;
	*value = 0;
	for (size_t i = 0; i < n; i++)
		*value |= (uint64_t)m->p[i] << 8 * i;
	m->p += n;
	return true;
}

static bool read_value(struct proto *m, struct proto_field *f)
{
	switch (f->wire) {
	case PROTO_VARINT:
		return proto_varint(m, &f->value);
	case PROTO_FIXED64:
		return fixed(m, sizeof(uint64_t), &f->value);
	case PROTO_FIXED32:
		return fixed(m, sizeof(uint32_t), &f->value);
	case PROTO_BYTES:
		if (!proto_varint(m, &f->value) || f->value > (uint64_t)(m->end - m->p))
			return false;
		f->bytes = (struct str){ (const char *)m->p, (size_t)f->value };
		m->p += f->value;
		return true;
	}
	return false;
}

int proto_next(struct proto *m, struct proto_field *f)
{
	struct proto start = *m;
	uint64_t tag;

	if (m->p == m->end)
		return 0;
	*f = (struct proto_field){ .number = 0 };
	if (proto_varint(m, &tag) && tag >> 3 != 0 && tag >> 3 <= NUMBER_MAX) {
		f->number = (uint32_t)(tag >> 3);
		f->wire = (enum proto_wire)(tag & 7);
		if (read_value(m, f))
			return 1;
	}
	*m = start;
	return -1;
}
