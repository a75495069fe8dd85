/* ptool comm --ranks: see comm_ranks.h. */
#include "query/comm/comm_ranks.h"

#include "query/comm/comm_rank_columns.h"
#include "query/comm/comm_ranks_notes.h"
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
		comm_ranks_add_notes(r, rows);
	struct table *table = pick(rows, r);
	if (with_ranks) {
		by_rank.by = COMM_BY_RANK;
		struct memtable *ranks = comm_ranks_by_rank(&by_rank);
		ranks->table.total_rows = (int64_t)ranks->nrows;
		comm_ranks_add_notes(&by_rank, ranks);
		table->more = pick(ranks, &by_rank);
	}
	return table;
}
