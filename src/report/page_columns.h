/*
 * Numbers of a page's data, a column at a time: LEB128, with the k-th bytes of all numbers
 * together in plane k, which deflates better (ptool-report(1)).
 */
#ifndef PTOOL_REPORT_PAGE_COLUMNS_H
#define PTOOL_REPORT_PAGE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/varint.h"

struct page_plane {
	uint8_t *bytes; /* owned */
	size_t n, cap;
};

/* Zeroed it is empty. */
struct page_column {
	struct page_plane planes[VARINT_MAX];
};

void page_column_add(struct page_column *c, uint64_t value);
/* How many planes it has, how long each is, their bytes; it is empty then. */
void page_column_write(struct page_column *c, struct buf *out);
void page_column_release(struct page_column *c);
/* One number by itself. */
void page_number_write(uint64_t value, struct buf *out);

#endif
