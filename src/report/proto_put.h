/*
 * Protocol buffers' wire format, written: what profile.proto (pprof) and Perfetto's
 * traces are made of.  A message is bytes in a buffer; one within another is made
 * first and then added with its length.
 * Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef PTOOL_REPORT_PROTO_PUT_H
#define PTOOL_REPORT_PROTO_PUT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* A number without a field, as packed ones stand. */
void proto_put_varint(struct buf *to, uint64_t value);
/* int64, uint64, bool and enum; negative ones take ten bytes, as in C++. */
void proto_put_int(struct buf *to, unsigned int field, int64_t value);
/* string: in UTF-8, as readers refuse anything else. */
void proto_put_text(struct buf *to, unsigned int field, struct str text);
/* bytes, packed numbers and messages. */
void proto_put_bytes(struct buf *to, unsigned int field, struct str bytes);
void proto_put_message(struct buf *to, unsigned int field, const struct buf *message);
void proto_put_double(struct buf *to, unsigned int field, double value);
/* fixed64 */
void proto_put_fixed(struct buf *to, unsigned int field, uint64_t value);

#endif
