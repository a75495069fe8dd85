/* ptool comm: see comm.h. */
#include "query/comm/comm.h"

#include <sqlite3.h>
#include <string.h>

#include "query/comm/comm_align.h"
#include "query/comm/comm_blocking.h"
#include "query/comm/comm_load.h"
#include "query/comm/comm_ranks.h"
#include "query/comm/comm_rows.h"
#include "query/pick.h"
#include "query/query.h"

ASSET(asset_query_views_comm_world_sql);

static const struct column columns[NCOMM_COLUMNS] = {
	[COMM_PROFILE] = { "profile", "Prof", UNIT_ID },
	[COMM_RANK] = { "rank", "Rank", UNIT_ID },
	[COMM_DEVICE] = { "device", "Dev", UNIT_ID },
	[COMM_STREAM] = { "stream", "Stream", UNIT_ID },
	[COMM_START] = { "start_ns", "Start", UNIT_TIME },
	[COMM_DUR] = { "dur_ns", "Time", UNIT_NS },
	[COMM_COLLECTIVE] = { "collective", "Collective", UNIT_TEXT },
	[COMM_SIDE] = { "side", "Side", UNIT_TEXT },
	[COMM_DTYPE] = { "dtype", "Type", UNIT_TEXT },
	[COMM_GROUP] = { "group", "Group", UNIT_TEXT },
	[COMM_GROUP_RANKS] = { "group_ranks", "Group ranks", UNIT_TEXT },
	[COMM_GROUP_SIZE] = { "group_size", "Ranks", UNIT_COUNT },
	[COMM_SEQUENCE] = { "sequence", "Seq", UNIT_COUNT },
	[COMM_STEP] = { "step", "Step", UNIT_ID },
	[COMM_CALLS] = { "calls", "Calls", UNIT_COUNT },
	[COMM_MESSAGE] = { "message_bytes", "Size", UNIT_BYTES },
	[COMM_BYTES] = { "bytes", "Sum", UNIT_BYTES },
	[COMM_TOTAL] = { "total_ns", "Time", UNIT_NS },
	[COMM_BUSY] = { "busy_ns", "Busy", UNIT_NS },
	[COMM_ALGBW] = { "algbw_gbps", "Alg GB/s", UNIT_RATIO },
	[COMM_BUSBW] = { "busbw_gbps", "Bus GB/s", UNIT_RATIO },
	[COMM_EXPOSED] = { "exposed_ns", "Exposed", UNIT_NS },
	[COMM_OVERLAP] = { "overlap_ns", "Overlap", UNIT_NS },
	[COMM_ALGORITHM] = { "algorithm", "Algorithm", UNIT_TEXT },
	[COMM_PROTOCOL] = { "protocol", "Protocol", UNIT_TEXT },
	[COMM_NAME] = { "name", "Name", UNIT_TEXT },
	[COMM_ID] = { "id", "ID", UNIT_ID },
};

static const enum shown sums_shown[NCOMM_COLUMNS] = {
	[COMM_PROFILE] = SHOWN_IF_PROFILES,
	[COMM_RANK] = SHOWN_IF_RANKS,
	[COMM_DEVICE] = SHOWN_TO_MACHINES,
	[COMM_STREAM] = SHOWN_NEVER,
	[COMM_START] = SHOWN_NEVER,
	[COMM_DUR] = SHOWN_NEVER,
	[COMM_SIDE] = SHOWN_TO_MACHINES,
	[COMM_GROUP] = SHOWN_TO_MACHINES,
	[COMM_GROUP_RANKS] = SHOWN_TO_MACHINES,
	[COMM_GROUP_SIZE] = SHOWN_TO_MACHINES,
	[COMM_SEQUENCE] = SHOWN_NEVER,
	[COMM_STEP] = SHOWN_NEVER,
	[COMM_MESSAGE] = SHOWN_TO_MACHINES,
	[COMM_BUSY] = SHOWN_TO_MACHINES,
	[COMM_ALGBW] = SHOWN_TO_MACHINES,
	[COMM_OVERLAP] = SHOWN_TO_MACHINES,
	[COMM_ALGORITHM] = SHOWN_NEVER,
	[COMM_PROTOCOL] = SHOWN_NEVER,
	[COMM_NAME] = SHOWN_NEVER,
	[COMM_ID] = SHOWN_NEVER,
};

static const enum shown single_shown[NCOMM_COLUMNS] = {
	[COMM_PROFILE] = SHOWN_IF_PROFILES,
	[COMM_RANK] = SHOWN_IF_RANKS,
	[COMM_DEVICE] = SHOWN_TO_MACHINES,
	[COMM_STREAM] = SHOWN_TO_MACHINES,
	[COMM_SIDE] = SHOWN_TO_MACHINES,
	[COMM_DTYPE] = SHOWN_TO_MACHINES,
	[COMM_GROUP] = SHOWN_TO_MACHINES,
	[COMM_GROUP_RANKS] = SHOWN_TO_MACHINES,
	[COMM_GROUP_SIZE] = SHOWN_TO_MACHINES,
	[COMM_SEQUENCE] = SHOWN_TO_MACHINES,
	[COMM_STEP] = SHOWN_TO_MACHINES,
	[COMM_CALLS] = SHOWN_NEVER,
	[COMM_MESSAGE] = SHOWN_TO_PEOPLE,
	[COMM_BYTES] = SHOWN_TO_MACHINES,
	[COMM_TOTAL] = SHOWN_NEVER,
	[COMM_BUSY] = SHOWN_NEVER,
	[COMM_ALGBW] = SHOWN_TO_MACHINES,
	[COMM_OVERLAP] = SHOWN_TO_MACHINES,
	[COMM_ALGORITHM] = SHOWN_TO_MACHINES,
	[COMM_PROTOCOL] = SHOWN_TO_MACHINES,
	[COMM_NAME] = SHOWN_TO_MACHINES,
	[COMM_ID] = SHOWN_TO_MACHINES,
};

static void choose_for_kinds(bool by_size, const struct comm_sources *s, bool of_several,
			     enum shown *shown)
{
	if (by_size) {
		shown[COMM_MESSAGE] = SHOWN_ALWAYS;
		shown[COMM_BYTES] = SHOWN_TO_MACHINES;
	}
	if (!s->several_groups)
		return;
	shown[COMM_GROUP] = SHOWN_ALWAYS;
	if (of_several || s->several_devices) /* one more column than 80 have room for */
		shown[by_size ? COMM_EXPOSED : COMM_BYTES] = SHOWN_TO_MACHINES;
}

static void choose_for_ranks(enum shown *shown)
{
	static const enum comm_column of_one[] = { COMM_COLLECTIVE, COMM_DTYPE,
						   COMM_GROUP,      COMM_GROUP_RANKS,
						   COMM_GROUP_SIZE, COMM_MESSAGE };

	for (size_t i = 0; i < sizeof(of_one) / sizeof(*of_one); i++)
		shown[of_one[i]] = SHOWN_NEVER;
	shown[COMM_OVERLAP] = SHOWN_ALWAYS;
	shown[COMM_RANK] = SHOWN_ALWAYS;
}

/* What people see depends on what there is to tell apart. */
static void choose_columns(enum comm_by by, const struct comm_sources *s, bool of_several,
			   enum shown *shown)
{
	memcpy(shown, by == COMM_SINGLE ? single_shown : sums_shown, sizeof(sums_shown));
	if (s->several_devices)
		shown[COMM_DEVICE] = SHOWN_ALWAYS;
	if (by == COMM_BY_RANK)
		choose_for_ranks(shown);
	else if (by != COMM_SINGLE)
		choose_for_kinds(by == COMM_BY_SIZE, s, of_several, shown);
}

static int add_profile(struct store *store, const struct scope_profile *profile,
		       enum comm_by by, struct comm_sources *s, struct memtable *to,
		       struct err *err)
{
	struct comm_profile p;
	int rc = comm_load(store, s, profile, true, &p, err);
	const struct comm_rows rows = { profile,  &s->texts, &p.work,
					&p.calls, p.compute, by };

	if (rc == 0 && by == COMM_SINGLE)
		comm_add_single(&rows, to);
	else if (rc == 0)
		comm_add_sums(&rows, to);
	comm_profile_release(&p);
	return rc;
}

static int nothing(const struct comm_sources *s, struct err *err)
{
	if (s->found)
		return err_set(err, ERR_EMPTY, "no collective matches");
	return err_set(
		err, ERR_EMPTY,
		"no collective is recorded: neither kernels of NCCL and its kin nor "
		"torch.distributed's ranges (gloo:all_reduce)");
}

static int open_profiles(struct store *store, const struct scope *scope,
			 const struct comm_request *request, struct comm_sources *s,
			 struct table **out, struct err *err)
{
	struct memtable *rows = memtable_new(columns, NCOMM_COLUMNS);
	enum shown shown[NCOMM_COLUMNS];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++)
		rc = add_profile(store, &scope->profiles[i], request->by, s, rows, err);
	if (rc == 0 && !rows->nrows)
		rc = nothing(s, err);
	if (rc < 0) {
		table_free(&rows->table);
		return -1;
	}
	if (s->launch_only)
		memtable_add_note(
			rows,
			"%lld collectives have no kernel: their times are those of the "
			"launch",
			(long long)s->launch_only);
	if (s->no_group)
		memtable_add_note(
			rows,
			"no bus bandwidth for %lld collectives: the size of their "
			"group is not recorded",
			(long long)s->no_group);
	rows->table.total_rows = (int64_t)rows->nrows;
	if (request->limit && (uint64_t)request->limit < rows->nrows)
		rows->nrows = (size_t)request->limit;
	choose_columns(request->by, s, scope->n > 1, shown);
	*out = table_pick(&rows->table, shown, scope, request->for_people);
	return 0;
}

static int read_world(struct store *store, const struct scope *scope, int64_t *size,
		      struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (query_prepare(store, asset_query_views_comm_world_sql, &stmt, err) < 0)
		return -1;
	query_bind_text(stmt, ":profiles", scope->ids);
	int rc = sql_step(stmt, err);
	*size = rc > 0 ? query_number(stmt, 0) : NUMBER_NONE;
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

static int load_matches(struct store *store, const struct scope *scope,
			struct comm_sources *s, bool with_compute, struct comm_matches *m,
			struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		struct comm_profile p;
		rc = comm_load(store, s, &scope->profiles[i], with_compute, &p, err);
		if (rc == 0)
			comm_matches_add(m, &scope->profiles[i], &p.calls);
		if (rc == 0 && with_compute)
			comm_blocking_add(m, &scope->profiles[i], &p);
		comm_profile_release(&p);
	}
	return rc;
}

static int nothing_shared(const struct comm_matches *m, const struct comm_sources *s,
			  struct err *err)
{
	if (m->nparts)
		return err_set(err, ERR_EMPTY,
			       "no two ranks took part in one collective");
	if (m->direct)
		return err_set(err, ERR_EMPTY,
			       "only sends and receives match, which are not compared");
	return nothing(s, err);
}

static int open_ranks(struct store *store, const struct scope *scope,
		      const struct comm_request *request, struct comm_sources *s,
		      struct table **out, struct err *err)
{
	struct comm_ranks ranks = { .texts = &s->texts,
				    .by = request->by,
				    .for_people = request->for_people };
	struct comm_matches m;

	if (!scope->nranked && scope->n > 1)
		return err_set(err, ERR_EMPTY,
			       "--ranks compares ranks, and no recording tells its own "
			       "(distributedInfo, or a name like rank0.json)");
	if (scope->nranks < 2)
		return err_set(
			err, ERR_EMPTY,
			"--ranks compares ranks, and there is only one: ingest the "
			"traces of several together");
	comm_matches_init(scope, &m);
	ranks.matches = &m;
	int rc = load_matches(store, scope, s, request->by == COMM_BY_RANK, &m, err);
	if (rc == 0)
		rc = read_world(store, scope, &ranks.world_size, err);
	comm_matches_find(&m);
	if (rc == 0 && !m.nmatches)
		rc = nothing_shared(&m, s, err);
	if (rc == 0) {
		comm_align(&m);
		*out = comm_ranks_table(&ranks, request->limit);
	}
	comm_matches_release(&m);
	return rc;
}

int comm_open(struct store *store, const struct scope *scope,
	      const struct comm_request *request, struct table **out, struct err *err)
{
	struct comm_sources s;

	*out = NULL;
	int rc = comm_sources_open(store, scope, request->filter, &s, err);
	if (rc == 0)
		rc = request->across_ranks
			     ? open_ranks(store, scope, request, &s, out, err)
			     : open_profiles(store, scope, request, &s, out, err);
	comm_sources_close(&s);
	return rc;
}
