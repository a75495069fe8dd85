/*
 * The labels of record_function that are open at a moment of a thread, by time alone:
 * the tree of slices cuts what overruns, here a label lasts until its end.  The same as
 * at ingest (store/ranges.h), so that device work has one owner everywhere.
 */
#ifndef PTOOL_QUERY_OPEN_LABELS_H
#define PTOOL_QUERY_OPEN_LABELS_H

#include <stddef.h>
#include <stdint.h>

#define OPEN_LABELS_NONE UINT32_MAX

struct open_label {
	int64_t end_ns;
	uint32_t at; /* the caller's number of it */
};

/* Zeroed it is empty. */
struct open_labels {
	struct open_label *items; /* owned; by start, ended ones may be among them */
	size_t n, cap;
};

/* Labels of a thread in the order of their starts; one that has no length is left out. */
void open_labels_add(struct open_labels *l, int64_t start_ns, int64_t end_ns,
		     uint32_t at);
/* The innermost one that is open at a time no earlier than any start: its number. */
uint32_t open_labels_innermost(struct open_labels *l, int64_t ns);
void open_labels_release(struct open_labels *l);

#endif
