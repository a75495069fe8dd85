/*
 * Thrift's compact protocol, written: what the descriptions in a Parquet file are made
 * of.  Fields of a struct come in the order of their numbers.
 * Source: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md.
 */
#ifndef PTOOL_REPORT_THRIFT_PUT_H
#define PTOOL_REPORT_THRIFT_PUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

#define THRIFT_DEPTH_MAX 8

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_TEXT = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

struct thrift {
	struct buf *out;            /* borrowed */
	int last[THRIFT_DEPTH_MAX]; /* number of the newest field of each open struct */
	size_t depth;
};

/* Into the outermost struct. */
struct thrift thrift_of(struct buf *out);
void thrift_i32(struct thrift *t, int field, int32_t value);
void thrift_i64(struct thrift *t, int field, int64_t value);
void thrift_text(struct thrift *t, int field, struct str text);
/* n items follow, each by one of the functions below. */
void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n);
void thrift_item_i32(struct thrift *t, int32_t value);
void thrift_item_text(struct thrift *t, struct str text);
/* A struct as an item of a list, or in a field; its fields follow, then thrift_end(). */
void thrift_begin_item(struct thrift *t);
void thrift_begin(struct thrift *t, int field);
/* Ends the newest struct, at last the outermost. */
void thrift_end(struct thrift *t);

#endif
