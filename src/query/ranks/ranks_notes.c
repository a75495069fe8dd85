/* What stands below the table of ranks: see ranks.h. */
#include <inttypes.h>

#include "base/buf.h"
#include "base/memtable.h"
#include "base/units.h"
#include "query/comm/comm_ranks.h"
#include "query/ranks/ranks.h"

/* So many are named, of each kind. */
#define NAMED_MOST 8

struct text {
	char room[UNITS_TEXT_MAX];
};

static const char *time_text(int64_t ns, struct text *to)
{
	return units_text(UNIT_NS, cell_int(ns), to->room).p;
}

static int64_t rank_of(const struct ranks *r, size_t p)
{
	return r->matches.participants[p].profile->rank;
}

/* The first participant from p on that has the bit. */
static size_t find_unlike(const struct ranks *r, unsigned bit, size_t p)
{
	while (p < r->matches.nparticipants && !(r->models[p].sums.unlike & bit))
		p++;
	return p;
}

/* Likewise, of the ranks after that of p: each may have recorded several times. */
static size_t next_unlike(const struct ranks *r, unsigned bit, size_t p)
{
	int64_t rank = rank_of(r, p);

	while (p < r->matches.nparticipants && rank_of(r, p) == rank)
		p++;
	return find_unlike(r, bit, p);
}

/* The ranks that have the bit: "3", "3 and 5", "3, 5 and 2 more"; how many. */
static size_t list_ranks(const struct ranks *r, unsigned bit, struct buf *to)
{
	size_t n = 0, at = 0, first = find_unlike(r, bit, 0);

	for (size_t p = first; p < r->matches.nparticipants; p = next_unlike(r, bit, p))
		n++;
	size_t named = n > NAMED_MOST ? NAMED_MOST : n;
	for (size_t p = first; at < named; p = next_unlike(r, bit, p)) {
		const char *between = !at ? "" : at + 1 == n ? " and " : ", ";
		buf_addf(to, "%s%" PRId64, between, rank_of(r, p));
		at++;
	}
	if (n > named)
		buf_addf(to, " and %zu more", n - named);
	return n;
}

/* Of those that have the bit the one whose ratio is largest. */
static double largest_ratio(const struct ranks *r, unsigned bit)
{
	double most = 0;

	for (size_t p = 0; p < r->matches.nparticipants; p++) {
		const struct rank_model *m = &r->models[p];
		double ratio = bit == RANK_SLOW_LINK ? m->link_ratio : m->compute_ratio;
		if ((m->sums.unlike & bit) && ratio > most)
			most = ratio;
	}
	return most;
}

/* What to look at next: the words around the first of these ranks. */
static const struct {
	const char *is, *are, *look, *look_more;
	unsigned bit;
	bool has_ratio;
} kinds[] = {
	{ "computes slowly", "compute slowly",
	  "compare clock, power and temperature with other devices; 'ptool kernels --rank ",
	  "' lists the kernels", RANK_SLOW_COMPUTE, true },
	{ "computes longer than the others, with kernels as fast",
	  "compute longer than the others, with kernels as fast",
	  "'ptool kernels --rank ", "' shows which ones it has more of",
	  RANK_MORE_COMPUTE, false },
	{ "transfers slowly", "transfer slowly",
	  "check the links between these ranks; 'ptool comm --by size --rank ",
	  "' lists the collectives", RANK_SLOW_LINK, true },
	{ "is idle longer than the others", "are idle longer than the others",
	  "'ptool gaps --rank ", "' shows why", RANK_LATE_HOST, false },
};

static void note_unlike(const struct ranks *r, struct memtable *to)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct buf list;
		buf_init(&list, SIZE_MAX);
		size_t n = list_ranks(r, kinds[i].bit, &list);
		if (n && kinds[i].has_ratio)
			buf_addf(&list, " %s, %.2f times as long as usual",
				 n > 1 ? kinds[i].are : kinds[i].is,
				 largest_ratio(r, kinds[i].bit));
		else if (n)
			buf_addf(&list, " %s", n > 1 ? kinds[i].are : kinds[i].is);
		if (n)
			memtable_add_note(to, "rank%s " STR_FMT ": %s%" PRId64 "%s",
					  n > 1 ? "s" : "", STR_ARG(buf_str(&list)),
					  kinds[i].look,
					  rank_of(r, find_unlike(r, kinds[i].bit, 0)),
					  kinds[i].look_more);
		buf_release(&list);
	}
}

/* Who made the others wait most in a step, and why. */
struct culprit {
	size_t rank;                  /* participant */
	const struct rank_sums *sums; /* NULL: nobody */
};

static struct culprit culprit_of(const struct ranks *r, int64_t number)
{
	struct culprit most = { 0, NULL };

	for (size_t p = 0; p < r->matches.nparticipants; p++)
		for (size_t i = 0; i < r->facts[p].nsteps; i++) {
			const struct rank_sums *s = &r->models[p].steps[i];
			if (r->facts[p].steps[i].number == number && s->late_ns &&
			    (!most.sums || s->late_ns > most.sums->late_ns))
				most = (struct culprit){ p, s };
		}
	return most;
}

static int reason_of(const struct rank_sums *s)
{
	int why = 0;

	for (int i = 1; i < NRANK_WHYS; i++)
		if (s->why_ns[i] > s->why_ns[why])
			why = i;
	return why;
}

static void note_steps(const struct ranks *r, struct memtable *to)
{
	size_t named = 0;

	for (size_t i = 0; i < r->nsteps && named < NAMED_MOST; i++) {
		const struct ranks_step *step = &r->steps[i];
		struct text wall, late;
		if (!step->is_slow)
			continue;
		named++;
		double times = (double)step->wall_ns / r->usual_step_ns;
		struct culprit c = culprit_of(r, step->number);
		if (c.sums)
			memtable_add_note(
				to,
				"step %" PRId64 " takes %s, %.2f times the median; the "
				"others waited %s in all for rank %" PRId64 " (%s)",
				step->number, time_text(step->wall_ns, &wall), times,
				time_text(c.sums->late_ns, &late), rank_of(r, c.rank),
				rank_why_title(reason_of(c.sums)));
		else
			memtable_add_note(
				to, "step %" PRId64 " takes %s, %.2f times the median",
				step->number, time_text(step->wall_ns, &wall), times);
	}
}

static void note_clocks(const struct ranks *r, struct memtable *to)
{
	const struct comm_matches *m = &r->matches;

	if (!m->nmatches) {
		memtable_add_note(to, "no two ranks share a collective: which rank "
				      "waited for which is not known");
		return;
	}
	comm_ranks_note_error(m, to);
	if (m->direct)
		memtable_add_note(to, "%" PRId64 " %s as transfer", m->direct,
				  m->direct == 1 ? "send or receive counts"
						 : "sends and receives count");
}

void ranks_add_notes(const struct ranks *r, struct memtable *m)
{
	note_unlike(r, m);
	note_steps(r, m);
	note_clocks(r, m);
	if (r->matches.nparticipants &&
	    scope_is_pipeline(r->matches.participants[0].profile))
		memtable_add_note(m,
				  "waiting that StragglerAnalysis cut off is idle time "
				  "here; 'ptool ranks --what-if' shows what it cost");
	comm_ranks_note_unranked(&r->matches, m);
}
