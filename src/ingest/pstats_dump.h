/*
 * A dump of cProfile while it is read: what its files share.  Inside the reader only.
 */
#ifndef PTOOL_INGEST_PSTATS_DUMP_H
#define PTOOL_INGEST_PSTATS_DUMP_H

#include "base/idmap.h"
#include "base/spelt.h"
#include "ingest/marshal.h"
#include "ingest/reader.h"

/* A dump that is being read. */
struct dump {
	struct marshal marshal;
	struct sink *sink;                  /* borrowed */
	const struct read_options *options; /* borrowed */
	/* By the number of a reference: what it means, or TEXT_NONE. */
	uint32_t *ref_text, *ref_function, *interned_text;
	struct buf text;    /* the newest name */
	struct buf bytes;   /* of the newest file where they are no UTF-8, else empty */
	struct buf digits;  /* of the newest sums */
	struct buf shown;   /* dump_entry()'s */
	size_t entry;       /* where the key of the entry stands that is read */
	size_t ticked;      /* progress was told up to there */
	uint64_t calls;     /* from callers, so far */
	struct spelt spelt; /* file names that are no UTF-8, and code objects */
	struct idmap long_texts; /* by place: numbers, as a dict may be given again */
	/* What tells the producer. */
	bool is_sampled, is_swapped, is_uncounted, is_pure, has_pairs;
	size_t mixed_at; /* the first entry with more self time than total, or 0 */
};

/* pstats_dump_row.c.  What gives int: 0, or -1 with err set. */
/* Places of the items of a tuple or list; false: it is none, or has not that many. */
bool dump_items(struct dump *d, const struct marshal_value *tuple, size_t n,
		size_t *places);
/*
 * The entry that is read as messages call it, as far as its key is one: "b.py:10(f)";
 * until the next.
 */
struct str dump_entry(struct dump *d);
/* Tells a finding at a byte of the text; when strict a warning is an error. */
int dump_finding(struct dump *d, enum finding what, size_t at, struct err *err);
/* The function that a key names, as the sink numbers it. */
int dump_function(struct dump *d, size_t at, uint32_t *function, struct err *err);
/*
 * Counts and times that stand at those places, calls first.  Digits are borrowed until
 * the next.
 */
int dump_sums(struct dump *d, const size_t *places, struct call_sums *sums,
	      struct err *err);
/*
 * Another n calls by callers, each of which takes bytes of its own, unless one dict or value
 * is given again and again.  0, or -1 with err set.
 */
int dump_spend(struct dump *d, uint64_t n, struct err *err);
/* What a caller has. */
int dump_caller(struct dump *d, size_t at, struct call_sums *sums, struct err *err);

#endif
