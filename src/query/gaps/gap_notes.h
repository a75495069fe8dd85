/*
 * What is said beside the table of idle time: of each device how much it is, and in one
 * sentence the largest cause and what usually removes it.
 */
#ifndef PTOOL_QUERY_GAP_NOTES_H
#define PTOOL_QUERY_GAP_NOTES_H

#include "base/memtable.h"
#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_sums.h"

/* For the sentence: zeroed, then added to profile by profile. */
struct gap_causes_seen {
	int64_t cause_ns[NGAP_CAUSES];
	int64_t long_ns[NGAP_CAUSES];    /* as in struct gap_loss */
	int64_t idle_ns, span_ns;        /* of the devices, whatever is shown of it */
	struct str look_at[NGAP_CAUSES]; /* the largest of each; in the table's arena */
	int64_t look_ns[NGAP_CAUSES];
	/* As in struct gap_loss; has_ops: operators were recorded. */
	bool is_xprof, is_pipeline, has_stacks, is_fused, lacks_graphs, has_ops;
};

/* What names of the operator table tell of these, where it is.  -1 with err set. */
int gap_notes_names(struct store *store, const struct scope *scope,
		    struct gap_causes_seen *seen, struct err *err);

/*
 * Sums of a profile by cause: those whose key is the cause have no names, the others
 * have the key GAP_NOTES_NAMES and what is charged.
 */
#define GAP_NOTES_NAMES ((uint32_t)NGAP_CAUSES)
void gap_notes_add(struct memtable *out, struct gap_causes_seen *seen,
		   const struct gap_sums *by_cause, const struct gap_profile *p);
/* What to do about the largest cause, or that there is nothing to do. */
void gap_notes_sentence(struct memtable *out, const struct gap_causes_seen *seen);

/* Nothing of what the rows are for was recorded; and how to record it. */
void gap_notes_no_keys(struct memtable *out, enum gap_by by, bool says_how);

/* The first line is the table's caption, the others are notes. */
void gap_notes_device(struct memtable *out, struct gap_causes_seen *seen,
		      const struct scope *scope, const struct gap_profile *p,
		      uint32_t device);
/* Of a profile whose range is merged. */
void gap_notes_merged(struct memtable *out, const struct gap_profile *p);
/*
 * Of a profile that has more names than are looked at for so many devices: what is charged,
 * a key (gap_kinds.h), or with `has_roots` waits.  Says nothing where none is missed.
 */
void gap_notes_left_out(struct memtable *out, const struct gap_profile *p,
			enum gap_key key, bool has_roots);
void gap_notes_clocks(struct memtable *out, const struct gap_ranks *ranks);

#endif
