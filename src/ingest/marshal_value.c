/* Objects where they stand: see marshal.h. */
#include <math.h>
#include <stdlib.h>

#include "ingest/marshal_walk.h"

#define SHIFT 15 /* bits of a digit of a long int */
/* Of so many the highest is not 0, so that no double holds them. */
#define REAL_DIGITS 70

const struct marshal_kind marshal_kinds[MARSHAL_CODES] = {
	['0'] = { MARSHAL_SHAPE_NONE, MARSHAL_NULL, 0 },
	['N'] = { MARSHAL_SHAPE_NONE, MARSHAL_NONE, 0 },
	['F'] = { MARSHAL_SHAPE_NONE, MARSHAL_BOOL, 0 },
	['T'] = { MARSHAL_SHAPE_NONE, MARSHAL_BOOL, 0 },
	['S'] = { MARSHAL_SHAPE_NONE, MARSHAL_OTHER, 0 },
	['.'] = { MARSHAL_SHAPE_NONE, MARSHAL_OTHER, 0 },
	['i'] = { MARSHAL_SHAPE_FIXED, MARSHAL_INT, 4 },
	['I'] = { MARSHAL_SHAPE_FIXED, MARSHAL_INT, 8 },
	['l'] = { MARSHAL_SHAPE_DIGITS, MARSHAL_INT, 0 },
	['g'] = { MARSHAL_SHAPE_FIXED, MARSHAL_FLOAT, 8 },
	['f'] = { MARSHAL_SHAPE_SHORT, MARSHAL_FLOAT, 0 },
	['y'] = { MARSHAL_SHAPE_FIXED, MARSHAL_COMPLEX, 16 },
	['x'] = { MARSHAL_SHAPE_PAIR, MARSHAL_COMPLEX, 0 },
	['s'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['t'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['u'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['a'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['A'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['z'] = { MARSHAL_SHAPE_SHORT, MARSHAL_STRING, 0 },
	['Z'] = { MARSHAL_SHAPE_SHORT, MARSHAL_STRING, 0 },
	[')'] = { MARSHAL_SHAPE_SMALL, MARSHAL_TUPLE, 0 },
	['('] = { MARSHAL_SHAPE_MANY, MARSHAL_TUPLE, 0 },
	['['] = { MARSHAL_SHAPE_MANY, MARSHAL_LIST, 0 },
	['<'] = { MARSHAL_SHAPE_MANY, MARSHAL_SET, 0 },
	['>'] = { MARSHAL_SHAPE_MANY, MARSHAL_SET, 0 },
	['{'] = { MARSHAL_SHAPE_DICT, MARSHAL_DICT, 0 },
	[':'] = { MARSHAL_SHAPE_THREE, MARSHAL_OTHER, 0 },
	['c'] = { MARSHAL_SHAPE_CODE, MARSHAL_CODE, 0 },
};

bool marshal_parse_real(struct str in, double *real)
{
	char text[256], *end;

	if (in.n == 0 || in.n >= sizeof(text))
		return false;
	for (size_t i = 0; i < in.n; i++)
		if (!strchr("0123456789+-.eEinfatyINFATY", in.p[i]) || in.p[i] == '\0')
			return false;
	memcpy(text, in.p, in.n);
	text[in.n] = '\0';
	*real = strtod(text, &end);
	return *end == '\0';
}

/* Where the object stands that a reference means. */
static size_t follow(const struct marshal *m, size_t at)
{
	char code = (char)(m->text.p[at] & ~MARSHAL_FLAG_REF);

	if (code != 'r' && code != 'R')
		return at;
	size_t number = (size_t)marshal_number(m, at + 1, 4);
	return code == 'r' ? m->refs[number] : m->interned[number];
}

static struct str text_of(const struct marshal *m, size_t at, size_t n)
{
	return (struct str){ (const char *)m->text.p + at, n };
}

/* Below 2^63 by its digits, else the largest and is_big. */
static void read_long(const struct marshal *m, struct marshal_value *v)
{
	int64_t count = (int32_t)(uint32_t)marshal_number(m, v->at + 1, 4);
	size_t n = (size_t)(count < 0 ? -count : count);
	uint64_t sum = 0;

	v->n = n;
	/* Whoever refers to it looks at it again, so its length must not matter. */
	if (n >= REAL_DIGITS) {
		v->is_big = true;
		v->real = count < 0 ? -(double)INFINITY : (double)INFINITY;
		v->number = count < 0 ? -INT64_MAX : INT64_MAX;
		return;
	}
	for (size_t i = n; i-- > 0;) {
		uint64_t digit = marshal_number(m, v->at + 5 + 2 * i, 2);
		v->real = v->real * (1 << SHIFT) + (double)digit;
		v->is_big |= sum >> (63 - SHIFT) != 0;
		sum = sum << SHIFT | digit;
	}
	v->is_big |= sum > INT64_MAX;
	if (v->is_big)
		sum = INT64_MAX;
	v->number = count < 0 ? -(int64_t)sum : (int64_t)sum;
	if (count < 0)
		v->real = -v->real;
}

static void read_int(const struct marshal *m, struct marshal_value *v)
{
	if (v->code == 'l') {
		read_long(m, v);
		return;
	}
	v->number = v->code == 'i' ? (int32_t)(uint32_t)marshal_number(m, v->at + 1, 4)
				   : (int64_t)marshal_number(m, v->at + 1, 8);
	v->real = (double)v->number;
}

static void read_real(const struct marshal *m, struct marshal_value *v)
{
	uint64_t bits;

	if (v->code == 'f') {
		marshal_parse_real(text_of(m, v->at + 2, m->text.p[v->at + 1]), &v->real);
		return;
	}
	bits = marshal_number(m, v->at + 1, 8);
	memcpy(&v->real, &bits, sizeof(bits));
}

struct marshal_value marshal_at(const struct marshal *m, size_t at)
{
	struct marshal_value v = { .at = follow(m, at) };

	v.code = (char)(m->text.p[v.at] & ~MARSHAL_FLAG_REF);
	const struct marshal_kind kind = marshal_kinds[(unsigned char)v.code];
	v.type = kind.type;
	size_t head =
		kind.shape == MARSHAL_SHAPE_SMALL || kind.shape == MARSHAL_SHAPE_SHORT ? 2
		: kind.shape == MARSHAL_SHAPE_MANY || kind.shape == MARSHAL_SHAPE_LONG
			? 5
			: 1;
	if (head > 1)
		v.n = (size_t)marshal_number(m, v.at + 1, head - 1);
	v.items = v.at + head;
	if (v.type == MARSHAL_STRING)
		v.bytes = text_of(m, v.items, v.n);
	else if (v.type == MARSHAL_INT)
		read_int(m, &v);
	else if (v.type == MARSHAL_FLOAT)
		read_real(m, &v);
	else if (v.type == MARSHAL_BOOL)
		v.real = (double)(v.number = v.code == 'T');
	return v;
}
