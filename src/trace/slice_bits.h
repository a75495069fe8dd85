/* The bits of slice_row.flags and of slice_pack.marks: schema.sql. */
#ifndef PTOOL_TRACE_SLICE_BITS_H
#define PTOOL_TRACE_SLICE_BITS_H

enum {
	SLICE_INSTANT = 1,    /* of both */
	SLICE_UNFINISHED = 2, /* likewise */
	SLICE_APART = 4,      /* of flags: in the table quarantine */
	SLICE_SEQUENCE = 4    /* of marks: an autograd sequence number was recorded */
};

#endif
