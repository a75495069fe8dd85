/*
 * Summaries: rows that a whole profile has in a table of its own (schema.sql, *_part), from
 * which views answer questions about whole profiles without a look at a slice.  Rows of a
 * profile depend on nothing but that profile, so that those of many profiles, of one store
 * or of many, stand one after the other.
 *
 * Ingest writes them (`ptool ingest --summaries`); a store without them is answered from
 * slices, and the answer is the same to the byte (tests/summary).  Who needs rows whatever
 * the store has (push, baseline, a folder of stores) asks for each profile and each summary
 * of the list:
 *
 *	struct summary_reader reader;
 *	if (summary_reader_open(store, &texts, &reader, err) == 0)
 *		for (size_t i = 0; summaries[i]; i++) {
 *			struct part_rows rows;
 *			rc = summary_need(&reader, &scope.profiles[p], summaries[i], &rows, err);
 *			... rows.n rows, part_rows_at(&rows, k)[COL_STEP_PART_DUR] ...
 *			part_rows_release(&rows);
 *		}
 *	summary_reader_close(&reader);
 *
 * `rows.table` names the table and its columns; bit i of rows.table->texts: column i is a
 * text here, and the id of one in the store.  Texts live as long as the rows and the pool.
 * rows.is_too_many: the profile has so many that it has no summary (PART_ROWS_MOST).
 *
 * A summary: its table in schema.sql, remove_* and max() of its texts in statements.sql, a
 * `struct summary` beside its view, and its name in summaries.c.
 */
#ifndef PTOOL_QUERY_SUMMARY_H
#define PTOOL_QUERY_SUMMARY_H

#include <stdbool.h>

#include "base/err.h"
#include "base/part_rows.h"
#include "query/devices/device_work.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "store/store.h"

struct comm_profile;
struct gap_profile;
struct kernel_details;

/* What summaries of one profile are made of, read once for all of them.  All borrowed. */
struct summary_source {
	struct store *store;
	struct text_pool *texts;
	const struct scope_profile *profile;
	struct device_work *work;       /* owned; NULL until summary_work() */
	struct gap_profile *idle;       /* owned; NULL until summary_idle() */
	struct kernel_details *kernels; /* owned; NULL until summary_kernel_details() */
	struct comm_profile *comm;      /* owned; NULL until summary_collectives() */
};

/* With launches and operators; NULL with err set. */
const struct device_work *summary_work(struct summary_source *from, struct err *err);
/* Idle time of all of it, as `ptool gaps` charges it, to no other rank; likewise. */
const struct gap_profile *summary_idle(struct summary_source *from, struct err *err);
/* All its collectives, with what was computed meanwhile; likewise. */
const struct comm_profile *summary_collectives(struct summary_source *from,
					       struct err *err);
/* How its kernels filled the device; likewise. */
struct kernel_details *summary_kernel_details(struct summary_source *from,
					      struct err *err);
/* Accepts one without work. */
void summary_source_release(struct summary_source *from);

struct summary {
	struct part_table table;
	/* Adds the rows of a profile that has slices, in the order of the view. */
	int (*make)(struct summary_source *from, struct part_rows *out, struct err *err);
};

/* All of them, NULL-terminated: summaries.c. */
extern const struct summary *const summaries[];
extern const struct summary summary_steps, summary_gaps, summary_gap_waits,
	summary_gap_calls, summary_devices, summary_streams, summary_ranks,
	summary_kernels, summary_graph_names, summary_transfers, summary_comm,
	summary_memory;

/* Which rows a store has. */
struct summary_reader {
	struct store *store;     /* borrowed */
	struct text_pool *texts; /* borrowed */
	struct summary_place {
		int64_t profile_id, first_row_id, nrows;
		int rules;
		const struct summary *summary;
	} * places; /* owned; by (profile_id, summary) */
	size_t n, cap;
	const struct summary *last;   /* that was read last, and */
	struct sqlite3_stmt *stmt;    /*   its statement; owned */
	struct summary_source source; /* of what rows were made last */
};

/* summary_reader_close() in both cases, before the texts are closed. */
int summary_reader_open(struct store *store, struct text_pool *texts,
			struct summary_reader *out, struct err *err);
void summary_reader_close(struct summary_reader *r);
/*
 * Has the store the profile's rows of this summary?  Those by other rules than this ptool's
 * count only where there are no slices; who reads them is noted: store_noted_rules().
 */
bool summary_has(struct summary_reader *r, const struct scope_profile *profile,
		 const struct summary *summary);
/*
 * Those rows as the store has them; part_rows_release() in both cases.  The values of a
 * store may be anything: who reads them checks.
 */
int summary_read(struct summary_reader *r, const struct scope_profile *profile,
		 const struct summary *summary, struct part_rows *out, struct err *err);
/*
 * The same up to the first row that `wants` does not want: what stands at the beginning
 * costs nothing for what is behind it.  The cells of the row are those of the table.
 */
struct summary_prefix {
	bool (*wants)(const struct summary_prefix *prefix, const struct cell *row);
};
int summary_read_prefix(struct summary_reader *r, const struct scope_profile *profile,
			const struct summary *summary,
			const struct summary_prefix *prefix, struct part_rows *out,
			struct err *err);
/* summary_read(), or where the store has none made from its slices. */
int summary_need(struct summary_reader *r, const struct scope_profile *profile,
		 const struct summary *summary, struct part_rows *out, struct err *err);

/*
 * Makes the rows of the run that the store has not, and can be made, and gives them to the
 * sink, profile by profile; `run` NULL: of the newest.
 */
int summaries_make_run(struct store *store, const char *run, const struct part_sink *to,
		       struct err *err);

/* As query_damaged(): rows that cannot be; returns -1. */
int summary_damaged(const struct summary *summary, struct err *err);

#endif
