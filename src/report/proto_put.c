/* Protocol buffers, written: see proto_put.h. */
#include "report/proto_put.h"

#include <string.h>

#include "base/utf8.h"

#define WIRE_VARINT 0U
#define WIRE_FIXED  1U
#define WIRE_BYTES  2U

#define VARINT_MAX 10 /* bytes of 64 bits, seven each */
#define FIXED_SIZE 8

void proto_put_varint(struct buf *to, uint64_t value)
{
	unsigned char bytes[VARINT_MAX];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (unsigned char)(value | 0x80);
	bytes[n++] = (unsigned char)value;
	buf_add(to, bytes, n);
}

static void put_tag(struct buf *to, unsigned int field, unsigned int wire)
{
	proto_put_varint(to, (uint64_t)field << 3 | wire);
}

void proto_put_int(struct buf *to, unsigned int field, int64_t value)
{
	put_tag(to, field, WIRE_VARINT);
	proto_put_varint(to, (uint64_t)value);
}

void proto_put_bytes(struct buf *to, unsigned int field, struct str bytes)
{
	put_tag(to, field, WIRE_BYTES);
	proto_put_varint(to, bytes.n);
	buf_add_str(to, bytes);
}

void proto_put_text(struct buf *to, unsigned int field, struct str text)
{
	struct buf valid;

	buf_init(&valid, SIZE_MAX);
	utf8_add_valid(&valid, text);
	proto_put_bytes(to, field, buf_str(&valid));
	buf_release(&valid);
}

void proto_put_message(struct buf *to, unsigned int field, const struct buf *message)
{
	proto_put_bytes(to, field, buf_str(message));
}

void proto_put_fixed(struct buf *to, unsigned int field, uint64_t value)
{
	unsigned char bytes[FIXED_SIZE];

	for (size_t i = 0; i < FIXED_SIZE; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	put_tag(to, field, WIRE_FIXED);
	buf_add(to, bytes, FIXED_SIZE);
}

void proto_put_double(struct buf *to, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	proto_put_fixed(to, field, bits);
}
