/* ptool comm --ranks: see comm_ranks.h. */
#include "query/comm/comm_ranks.h"

#include "query/comm/comm_rank_columns.h"
#include "query/comm/comm_ranks_notes.h"
#include "query/comm/comm_ranks_rows.h"

/* Matches lie by group: of several, do their names tell them apart? */
static enum comm_groups groups_of(const struct comm_matches *m)
{
	enum comm_groups groups = COMM_ONE_GROUP;

	for (size_t i = 1; i < m->nmatches; i++) {
		const struct comm_call *call = &m->parts[m->matches[i].first].call;
		const struct comm_call *before = &m->parts[m->matches[i - 1].first].call;
		if (call->group != before->group && groups == COMM_ONE_GROUP)
			groups = COMM_NAMED_GROUPS;
		if (call->group == before->group && call->ranks != before->ranks)
			groups = COMM_LISTED_GROUPS;
	}
	return groups;
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
	enum shown shown[NRANKS_COLUMNS];

	comm_rank_choose(r->by, groups_of(r->matches), shown);
	return table_pick(&rows->table, shown, &no_scope, r->for_people);
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
