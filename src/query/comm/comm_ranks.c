/* ptool comm --ranks: see comm_ranks.h. */
#include "query/comm/comm_ranks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/units.h"
#include "query/comm/comm_rank_columns.h"
#include "query/comm/comm_ranks_rows.h"

static bool has_several_groups(const struct comm_matches *m)
{
	for (size_t i = 0; i < m->nmatches; i++) {
		const struct comm_call *call = &m->parts[m->matches[i].first].call;
		const struct comm_call *first = &m->parts[m->matches[0].first].call;
		if (call->group != first->group || call->ranks != first->ranks)
			return true;
	}
	return false;
}

/* The ranks of the job of which there is no profile. */
static void note_missing(const struct comm_ranks *r, struct memtable *to)
{
	const struct comm_matches *m = r->matches;
	int64_t *ranks = xcalloc(m->nparticipants + 1, sizeof(*ranks));
	size_t n = 0;

	for (size_t p = 0; p < m->nparticipants; p++)
		if (!m->participants[p].span)
			ranks[n++] = m->participants[p].profile->rank;
	const char *missing = comm_missing_ranks(STR_LIT(""), r->world_size,
						 r->world_size, ranks, n, &to->arena);
	if (r->world_size > (int64_t)n && missing)
		memtable_add_note(to, "of %lld ranks these are not here: %.200s",
				  (long long)r->world_size, missing);
	free(ranks);
}

static void note_clocks(const struct comm_ranks *r, struct memtable *to)
{
	const struct comm_matches *m = r->matches;
	int64_t error_ns = 0;
	uint32_t clocks = 0;
	char room[UNITS_TEXT_MAX];

	for (size_t p = 0; p < m->nparticipants; p++) {
		const struct comm_participant *who = &m->participants[p];
		error_ns = who->error_ns > error_ns ? who->error_ns : error_ns;
		clocks = who->clock > clocks ? who->clock : clocks;
	}
	struct str error = units_text(UNIT_NS, cell_int(error_ns), room);
	memtable_add_note(
		to, "clocks are aligned on the ends of collectives, to within " STR_FMT,
		STR_ARG(error));
	if (clocks)
		memtable_add_note(to,
				  "some ranks share no collective: their times cannot be "
				  "compared");
}

static void add_notes(const struct comm_ranks *r, struct memtable *to)
{
	const struct comm_matches *m = r->matches;

	note_missing(r, to);
	note_clocks(r, to);
	if (m->unmatched)
		memtable_add_note(to, "%lld calls have no partner on another rank",
				  (long long)m->unmatched);
	if (m->direct)
		memtable_add_note(to, "%lld sends and receives are not compared",
				  (long long)m->direct);
	if (m->unranked)
		memtable_add_note(to, "%lld profiles have no rank and are left out",
				  (long long)m->unranked);
}

static struct memtable *rows_of(const struct comm_ranks *r)
{
	if (r->by == COMM_SINGLE)
		return comm_ranks_single(r);
	return r->by == COMM_BY_RANK ? comm_ranks_by_rank(r) : comm_ranks_kinds(r);
}

static struct table *pick(struct memtable *rows, const struct comm_ranks *r)
{
	static const struct scope no_scope = { .n = 0 }; /* no column depends on it */

	return table_pick(&rows->table,
			  comm_rank_shown(r->by, has_several_groups(r->matches)),
			  &no_scope, r->for_people);
}

struct table *comm_ranks_table(const struct comm_ranks *r, int64_t limit)
{
	struct memtable *rows = rows_of(r);
	struct comm_ranks by_rank = *r;

	rows->table.total_rows = (int64_t)rows->nrows;
	if (limit && (uint64_t)limit < rows->nrows)
		rows->nrows = (size_t)limit;
	bool with_ranks = r->for_people && r->by != COMM_BY_RANK && r->by != COMM_SINGLE;
	if (!with_ranks)
		add_notes(r, rows);
	struct table *table = pick(rows, r);
	if (with_ranks) {
		by_rank.by = COMM_BY_RANK;
		struct memtable *ranks = comm_ranks_by_rank(&by_rank);
		ranks->table.total_rows = (int64_t)ranks->nrows;
		add_notes(&by_rank, ranks);
		table->more = pick(ranks, &by_rank);
	}
	return table;
}
