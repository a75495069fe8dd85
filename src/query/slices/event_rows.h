/*
 * The slices of a profile as events of a trace again: what an export of one writes.
 */
#ifndef PTOOL_QUERY_EVENT_ROWS_H
#define PTOOL_QUERY_EVENT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/table.h"
#include "query/scope.h"
#include "store/store.h"

/* Where an event lies; texts and cells live as long as the rows. */
struct event_track {
	int64_t id;
	const char *kind;     /* "thread", "stream", "stream_notes", "async", "counter" */
	struct cell pid, tid; /* numbers or texts as the trace has them; null: none */
	struct str name;      /* of the thread or stream; id of an async track */
	struct str process, labels;
	struct cell process_sort, thread_sort; /* sort_index, or null */
	int64_t upid;
};

/* Texts are borrowed until the next call. */
struct event_row {
	int64_t ts_ns;  /* from the profile's first event */
	int64_t dur_ns; /* as recorded, also where that cannot be */
	struct str name;
	struct str category; /* p = NULL: none */
	const struct event_track *track;
	int64_t launch_id; /* 0: none is known */
	bool is_instant;
	struct str args;   /* JSON, "{}" at least */
	struct str more;   /* a collective's, likewise; n = 0: none */
	bool has_own_args; /* args are no texts that events share */
};

struct event_rows;

/* *out is the caller's to close, NULL on failure.  The profile is borrowed. */
int event_rows_open(struct store *store, const struct scope_profile *profile,
		    struct event_rows **out, struct err *err);
/* Accepts NULL. */
void event_rows_close(struct event_rows *rows);

/* From now on args lack texts that slices share and that have more bytes than that. */
void event_rows_shorten(struct event_rows *rows, int64_t most);

/* All tracks of the profile, in the order of their ids. */
const struct event_track *event_rows_tracks(const struct event_rows *rows, size_t *n);
/* The slice of that id; ERR_INPUT where the store has none. */
int event_rows_at(struct event_rows *rows, int64_t id, struct event_row *out,
		  struct err *err);

/* What stands beside the events. */
struct event_head {
	struct str entries; /* all of them, as one JSON object */
	struct str
		rules; /* how ptool reads the recording, likewise: trace/export_marks.h */
};

/* Texts live as long as the rows. */
int event_rows_head(struct event_rows *rows, struct event_head *out, struct err *err);

/* An arrow between two slices, or a sample of a counter; texts and cells are borrowed. */
struct event_link {
	int64_t out_id, in_id;
	int64_t category_id; /* event_rows_text(); 0: none */
};
struct event_sample {
	const struct event_track *track;
	int64_t ts_ns; /* from the profile's first event */
	struct cell value;
};

/* Calls `each` for every arrow of the store: 0 goes on, 1 is enough, -1 with err set. */
int event_rows_links(struct event_rows *rows,
		     int (*each)(void *to, const struct event_link *link,
				 struct err *err),
		     void *to, struct err *err);
/* Calls `each` for texts of more than `most` bytes that events share: with how many, at most. */
int event_rows_names(struct event_rows *rows, size_t most,
		     void (*each)(void *to, struct str text, int64_t uses), void *to,
		     struct err *err);
/* Borrowed until the next call; without a pointer for 0. */
int event_rows_text(struct event_rows *rows, int64_t string_id, struct str *out,
		    struct err *err);
/* The same for the counters of the profile in [from, to). */
int event_rows_samples(struct event_rows *rows, int64_t from_ns, int64_t to_ns,
		       int (*each)(void *to, const struct event_sample *sample,
				   struct err *err),
		       void *to, struct err *err);

#endif
