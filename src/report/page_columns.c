/* Columns of numbers: see page_columns.h. */
#include "report/page_columns.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

static inline void add_byte(struct page_plane *p, uint8_t byte)
{
	if (p->n == p->cap)
		p->bytes = xgrow(p->bytes, &p->cap, p->n + 1, 1);
	p->bytes[p->n++] = byte;
}

void page_column_add(struct page_column *c, uint64_t value)
{
	struct page_plane *plane = c->planes;

	for (; value >= 0x80; value >>= 7)
		add_byte(plane++, (uint8_t)(value | 0x80));
	add_byte(plane, (uint8_t)value);
}

static bool is_zero(const struct page_column *c)
{
	const struct page_plane *first = &c->planes[0];

	for (size_t i = 0; i < first->n; i++)
		if (first->bytes[i])
			return false;
	return true;
}

void page_number_write(uint64_t value, struct buf *out)
{
	uint8_t bytes[VARINT_MAX];

	buf_add(out, bytes, (size_t)(varint_put(bytes, value) - bytes));
}

void page_column_write(struct page_column *c, struct buf *out)
{
	size_t n = 0;

	while (n < VARINT_MAX && c->planes[n].n > 0)
		n++;
	if (is_zero(c))
		n = 0;
	page_number_write(n, out);
	for (size_t i = 0; i < n; i++)
		page_number_write(c->planes[i].n, out);
	for (size_t i = 0; i < n; i++)
		buf_add(out, c->planes[i].bytes, c->planes[i].n);
	for (size_t i = 0; i < VARINT_MAX; i++)
		c->planes[i].n = 0;
}

void page_column_release(struct page_column *c)
{
	for (size_t i = 0; i < VARINT_MAX; i++)
		free(c->planes[i].bytes);
	*c = (struct page_column){ .planes[0].n = 0 };
}
