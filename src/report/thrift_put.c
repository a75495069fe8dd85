/* Thrift's compact protocol: see thrift_put.h. */
#include "report/thrift_put.h"

#include <assert.h>

#include "report/proto_put.h"

#define DELTA_MAX 15U /* between fields: what fits into the byte of the type */

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static void put_head(struct thrift *t, int field, enum thrift_type type)
{
	int delta = field - t->last[t->depth];

	assert(delta > 0 && delta <= (int)DELTA_MAX);
	t->last[t->depth] = field;
	buf_add_char(t->out, (char)((unsigned int)delta << 4 | type));
}

struct thrift thrift_of(struct buf *out)
{
	return (struct thrift){ .out = out };
}

void thrift_item_i32(struct thrift *t, int32_t value)
{
	proto_put_varint(t->out, zigzag(value));
}

void thrift_item_text(struct thrift *t, struct str text)
{
	proto_put_varint(t->out, text.n);
	buf_add_str(t->out, text);
}

void thrift_i32(struct thrift *t, int field, int32_t value)
{
	put_head(t, field, THRIFT_I32);
	thrift_item_i32(t, value);
}

void thrift_i64(struct thrift *t, int field, int64_t value)
{
	put_head(t, field, THRIFT_I64);
	proto_put_varint(t->out, zigzag(value));
}

void thrift_text(struct thrift *t, int field, struct str text)
{
	put_head(t, field, THRIFT_TEXT);
	thrift_item_text(t, text);
}

void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n)
{
	put_head(t, field, THRIFT_LIST);
	if (n < DELTA_MAX) {
		buf_add_char(t->out, (char)(n << 4 | of));
		return;
	}
	buf_add_char(t->out, (char)(DELTA_MAX << 4 | of));
	proto_put_varint(t->out, n);
}

void thrift_begin_item(struct thrift *t)
{
	assert(t->depth + 1 < THRIFT_DEPTH_MAX);
	t->last[++t->depth] = 0;
}

void thrift_begin(struct thrift *t, int field)
{
	put_head(t, field, THRIFT_STRUCT);
	thrift_begin_item(t);
}

void thrift_end(struct thrift *t)
{
	buf_add_char(t->out, 0);
	if (t->depth)
		t->depth--;
}
