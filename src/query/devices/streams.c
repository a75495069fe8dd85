/* The tables of streams: see streams.h. */
#include "query/devices/streams.h"

#include <string.h>

#include "query/devices/stream_rows.h"
#include "query/pick.h"

/* In machine formats all are shown but the share, which stands last. */
static const enum shown stream_shown[NSTREAM_COLUMNS] = {
	[STREAM_PROFILE] = SHOWN_IF_PROFILES,
	[STREAM_RANK] = SHOWN_IF_RANKS,
	[STREAM_DEVICE] = SHOWN_ALWAYS,
	[STREAM_NUMBER] = SHOWN_ALWAYS,
	[STREAM_EVENTS] = SHOWN_ALWAYS,
	[STREAM_KERNELS] = SHOWN_TO_MACHINES,
	[STREAM_COPIES] = SHOWN_TO_MACHINES,
	[STREAM_SPAN] = SHOWN_ALWAYS,
	[STREAM_BUSY] = SHOWN_ALWAYS,
	[STREAM_IDLE] = SHOWN_TO_MACHINES,
	[STREAM_COMPUTE] = SHOWN_TO_MACHINES,
	[STREAM_COMMUNICATION] = SHOWN_TO_MACHINES,
	[STREAM_MEMORY] = SHOWN_TO_MACHINES,
	[STREAM_OVERLAP] = SHOWN_TO_MACHINES,
	[STREAM_EXPOSED_COMM] = SHOWN_TO_MACHINES,
	[STREAM_EXPOSED_COPY] = SHOWN_TO_MACHINES,
	[STREAM_SUM] = SHOWN_TO_MACHINES,
	[STREAM_START] = SHOWN_TO_MACHINES,
	[STREAM_LAUNCHED] = SHOWN_TO_MACHINES,
	[STREAM_QUEUE_MAX] = SHOWN_ALWAYS,
	[STREAM_QUEUE_MEAN] = SHOWN_ALWAYS,
	[STREAM_QUEUE_WAIT] = SHOWN_TO_MACHINES,
	[STREAM_QUEUE] = SHOWN_TO_MACHINES,
	[STREAM_BUSY_SHARE] = SHOWN_NEVER,
};

/* Below it, for people: what there was to do. */
static const enum stream_column second[] = { STREAM_DEVICE,  STREAM_NUMBER,
					     STREAM_KERNELS, STREAM_COPIES,
					     STREAM_COMPUTE, STREAM_COMMUNICATION,
					     STREAM_MEMORY };
#define NSECOND (sizeof(second) / sizeof(second[0]))

static const enum shown part_shown[NPART_COLUMNS] = {
	[PART_PROFILE] = SHOWN_IF_PROFILES,  [PART_RANK] = SHOWN_IF_RANKS,
	[PART_DEVICE] = SHOWN_ALWAYS,        [PART_STREAM] = SHOWN_ALWAYS,
	[PART_START] = SHOWN_ALWAYS,         [PART_DUR] = SHOWN_TO_MACHINES,
	[PART_BUSY] = SHOWN_TO_MACHINES,     [PART_QUEUE_MEAN] = SHOWN_ALWAYS,
	[PART_QUEUE_MAX] = SHOWN_ALWAYS,     [PART_QUEUE_WAIT] = SHOWN_TO_MACHINES,
	[PART_BUSY_SHARE] = SHOWN_TO_PEOPLE,
};

static struct table *second_table(const struct memtable *all, const struct scope *scope)
{
	struct memtable *m = memtable_new(stream_columns, NSTREAM_COLUMNS);
	enum shown shown[NSTREAM_COLUMNS];

	for (size_t i = 0; i < NSTREAM_COLUMNS; i++)
		shown[i] = SHOWN_NEVER;
	shown[STREAM_PROFILE] = SHOWN_IF_PROFILES;
	shown[STREAM_RANK] = SHOWN_IF_RANKS;
	for (size_t i = 0; i < NSECOND; i++)
		shown[second[i]] = SHOWN_ALWAYS;
	for (size_t i = 0; i < all->nrows; i++)
		memtable_add_row(m, memtable_row(all, i));
	m->table.caption = "Work per stream (Copies includes memsets)";
	return table_pick(&m->table, shown, scope, true);
}

/* Work that never waits, because no launch of it was recorded. */
static void note_unlaunched(struct memtable *m)
{
	int64_t unlaunched = 0;

	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *row = memtable_row(m, i);
		unlaunched += row[STREAM_EVENTS].as.integer;
		unlaunched -= row[STREAM_LAUNCHED].as.integer;
	}
	if (unlaunched > 0)
		memtable_add_note(m,
				  "%lld pieces of work have no recorded launch; they "
				  "are left out of the queue",
				  (long long)unlaunched);
}

static int open_parts(struct store *store, const struct scope *scope,
		      const struct streams_request *request, struct table **out,
		      struct err *err)
{
	struct memtable *m = memtable_new(stream_part_columns, NPART_COLUMNS);

	if (stream_part_rows(store, scope, request->filter, request->nparts, m, err) <
	    0) {
		table_free(&m->table);
		return -1;
	}
	*out = table_pick(&m->table, part_shown, scope, request->for_people);
	return 0;
}

int streams_open(struct store *store, const struct scope *scope,
		 const struct streams_request *request, struct table **out,
		 struct err *err)
{
	struct table *below = NULL;

	if (request->nparts)
		return open_parts(store, scope, request, out, err);
	struct memtable *m = memtable_new(stream_columns, NSTREAM_COLUMNS);
	if (stream_rows(store, scope, request->filter, m, err) < 0) {
		table_free(&m->table);
		return -1;
	}
	if (request->for_people) {
		note_unlaunched(m);
		below = second_table(m, scope);
	}
	*out = table_pick(&m->table, stream_shown, scope, request->for_people);
	if (below)
		(*out)->is_form = below->is_form = true;
	(*out)->more = below;
	return 0;
}
