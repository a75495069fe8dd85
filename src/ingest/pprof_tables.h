/*
 * The tables of a profile.proto that samples refer to: texts, and locations with their
 * functions and mappings, found by id.  The frames of a location are told to the sink
 * once, when a sample first has it.
 * Source: github.com/google/pprof, proto/profile.proto.
 */
#ifndef PTOOL_INGEST_PPROF_TABLES_H
#define PTOOL_INGEST_PPROF_TABLES_H

#include "base/idmap.h"
#include "ingest/proto.h"
#include "ingest/spilled.h"
#include "ingest/stacks.h"

/* Fields of message Profile. */
enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING_TABLE = 6,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
	PPROF_LAST_FIELD = 15
};

/* Rows of one table. */
struct pprof_items {
	const char *what;
	struct pprof_item *at; /* owned */
	size_t n, cap;
	struct spilled_ids ids;
};

/* What is owned lies in the spill. */
struct pprof_tables {
	struct stacks *stacks; /* borrowed */
	struct spill *spill;   /* borrowed, or NULL */
	struct str file;       /* borrowed */
	struct str *texts;     /* owned; they lie in the file */
	size_t ntexts, texts_cap;
	uint32_t *numbers; /* owned: the sink's, by text; TEXT_NONE: it has none yet */
	struct pprof_items locations, functions, mappings;
	uint32_t *frames; /* owned: of all locations, the sink's numbers */
	size_t nframes, frames_cap;
	struct idmap
		pushed; /* by caller's stack and location of several frames: stacks */
	size_t npushed;
	uint64_t nlost; /* references that lead nowhere */
};

/* `stacks` and the file, of up to 1 GiB, are borrowed. */
void pprof_tables_init(struct pprof_tables *t, struct stacks *stacks, struct str file);
/*
 * Keeps the field if it is a row of a table.  pprof_tables_sort() comes after the last.
 * Both: 0, or -1 with err set where two rows of a table have one id.
 */
int pprof_tables_take(struct pprof_tables *t, const struct proto_field *f,
		      struct err *err);
int pprof_tables_sort(struct pprof_tables *t, struct err *err);
void pprof_tables_release(struct pprof_tables *t);

/* The text at a place of the table.  One that is not there is empty, and counted as lost. */
struct str pprof_text(struct pprof_tables *t, uint64_t place);
/* The sink's number of one that is not empty, which is told once.  0, or -1 with err set. */
int pprof_text_number(struct pprof_tables *t, uint64_t place, uint64_t offset,
		      uint32_t *number, struct err *err);
/* The last value of a field that is a number; 0 where it is not there, as in protobuf. */
uint64_t pprof_number(struct str message, uint32_t field);
static inline bool pprof_is_message(const struct proto_field *f)
{
	return f->wire == PROTO_BYTES;
}

/*
 * The sink's stack of a location on top of *stack, which it replaces; `offset` is the byte
 * of the file that findings name.  A location that is not there is counted as lost, and
 * *stack stays.  0, or -1 with err set.
 */
int pprof_push(struct pprof_tables *t, uint64_t location, uint64_t offset,
	       uint32_t *stack, struct err *err);

#endif
