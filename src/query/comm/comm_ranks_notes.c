/* Notes on ranks: see comm_ranks_rows.h. */
#include "query/comm/comm_ranks_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/comm/comm_judge.h"

/* Lists in notes end with "..." behind this many items. */
#define LISTED_MAX 16

/* A list under way: what is between two items, or in place of those beyond the last. */
static bool begin_item(struct buf *list, size_t n)
{
	if (n > LISTED_MAX)
		return false;
	if (n)
		buf_add_text(list, n == LISTED_MAX ? ", ..." : ", ");
	return n < LISTED_MAX;
}

/* The ranks from `first` on up to `end`, as --rank takes them: 4, 5..7. */
static size_t add_ranks(struct buf *list, size_t n, int64_t first, int64_t end)
{
	if (end - first > 2 && begin_item(list, n)) {
		buf_addf(list, "%lld..%lld", (long long)first, (long long)end - 1);
		return n + 1;
	}
	for (; first < end && n <= LISTED_MAX; first++, n++)
		if (begin_item(list, n))
			buf_addf(list, "%lld", (long long)first);
	return n;
}

/* The ranks of the job of which there is no profile. */
static void note_missing(const struct comm_ranks *r, struct memtable *to)
{
	const struct comm_matches *m = r->matches;
	int64_t next = 0, here = 0, missing = 0;
	struct buf list;
	size_t n = 0;

	buf_init(&list, SIZE_MAX);
	for (size_t p = 0; p < m->nparticipants && next < r->world_size; p++) {
		int64_t rank = m->participants[p].profile->rank;
		here += m->participants[p].first == p;
		if (rank < next)
			continue;
		int64_t end = rank < r->world_size ? rank : r->world_size;
		n = add_ranks(&list, n, next, end);
		missing += end - next;
		next = rank < r->world_size ? rank + 1 : rank;
	}
	if (next < r->world_size) {
		n = add_ranks(&list, n, next, r->world_size);
		missing += r->world_size - next;
	}
	if (n && here < r->world_size) /* else its size is not to be believed */
		memtable_add_note(to, "rank%s " STR_FMT " of %lld %s missing",
				  missing == 1 ? "" : "s", STR_ARG(buf_str(&list)),
				  (long long)r->world_size, missing == 1 ? "is" : "are");
	buf_release(&list);
}

/* Who took part in how many of the matches of one kind and span. */
struct attendance {
	int64_t *calls;    /* by participant; 0 between two kinds */
	int64_t *lacked;   /* by participant, of all kinds: others took part in so many */
	uint32_t *members; /* those with calls: few of all, where kinds are many */
	int64_t matches;   /* in which somebody is missing */
};

/* The matches [first, end), which are of one kind. */
static void attend(const struct comm_matches *m, size_t first, size_t end,
		   struct attendance *a)
{
	size_t nranks = 0;
	int64_t incomplete = 0;

	for (size_t i = first; i < end; i++)
		for (size_t k = 0; k < m->matches[i].n; k++) {
			uint32_t p = m->parts[m->matches[i].first + k].participant;
			if (!a->calls[p]++)
				a->members[nranks++] = p;
		}
	for (size_t i = first; i < end; i++)
		incomplete += m->matches[i].n < nranks;
	for (size_t i = 0; i < nranks; i++) {
		uint32_t p = a->members[i];
		if (incomplete)
			a->lacked[p] += (int64_t)(end - first) - a->calls[p];
		a->calls[p] = 0;
	}
	a->matches += incomplete;
}

static void note_lacking(const struct comm_matches *m, const struct attendance *a,
			 struct memtable *to)
{
	struct buf list;
	size_t n = 0;

	if (!a->matches)
		return;
	buf_init(&list, SIZE_MAX);
	for (size_t p = 0; p < m->nparticipants; p++)
		if (a->lacked[p] && begin_item(&list, n++))
			buf_addf(&list, "rank %lld from %lld",
				 (long long)m->participants[p].profile->rank,
				 (long long)a->lacked[p]);
	memtable_add_note(to,
			  "%lld of %zu collectives lack ranks that take part in others "
			  "of their kind: " STR_FMT,
			  (long long)a->matches, m->nmatches, STR_ARG(buf_str(&list)));
	buf_release(&list);
}

static void note_attendance(const struct comm_matches *m, struct memtable *to)
{
	struct attendance a = { .matches = 0 };

	a.calls = xcalloc(m->nparticipants + 1, sizeof(*a.calls));
	a.lacked = xcalloc(m->nparticipants + 1, sizeof(*a.lacked));
	a.members = xcalloc(m->nparticipants + 1, sizeof(*a.members));
	for (size_t i = 0, end; i < m->nmatches; i = end) {
		for (end = i + 1; end < m->nmatches && comm_matches_are_alike(m, i, end);
		     end++)
			;
		attend(m, i, end, &a);
	}
	note_lacking(m, &a, to);
	free(a.calls);
	free(a.lacked);
	free(a.members);
}

/* A file that is there twice, or of another job. */
static void note_alone(const struct comm_matches *m, struct memtable *to)
{
	struct buf list;
	size_t n = 0;

	buf_init(&list, SIZE_MAX);
	for (size_t p = 0; p < m->nparticipants; p++)
		if (!m->participants[p].has_matches && begin_item(&list, n++))
			buf_addf(&list, "%lld (rank %lld)",
				 (long long)m->participants[p].profile->id,
				 (long long)m->participants[p].profile->rank);
	if (n)
		memtable_add_note(
			to,
			"profiles that share no collective with another rank: " STR_FMT,
			STR_ARG(buf_str(&list)));
	buf_release(&list);
}

/* Of one rank in one collective; -1 when there is none. */
static int64_t mean_wait_ns(const struct comm_matches *m)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->nmatches; i++) {
		sum += (double)comm_judge(m, &m->matches[i]).wait_ns;
		n += m->matches[i].n;
	}
	return n ? sum_of_double(sum / (double)n) : -1;
}

/* Waits that are shorter than what clocks may differ by mean nothing. */
void comm_ranks_note_error(const struct comm_matches *m, struct memtable *to)
{
	char room[UNITS_TEXT_MAX], waits[UNITS_TEXT_MAX];
	int64_t wait_ns = mean_wait_ns(m), error_ns = 0;

	for (size_t p = 0; p < m->nparticipants; p++)
		if (m->participants[p].error_ns > error_ns)
			error_ns = m->participants[p].error_ns;
	struct str error = units_text(UNIT_NS, cell_int(error_ns), room);
	struct str wait = units_text(UNIT_NS, cell_int(wait_ns), waits);

	memtable_add_note(
		to, "clocks are aligned on the ends of collectives, to within " STR_FMT,
		STR_ARG(error));
	if (error_ns > 0 && error_ns >= wait_ns)
		memtable_add_note(to,
				  "waits are " STR_FMT
				  " on average, less than the clock error: do not "
				  "trust waits and who was last",
				  STR_ARG(wait));
}

void comm_ranks_note_unranked(const struct comm_matches *m, struct memtable *to)
{
	if (m->unranked)
		memtable_add_note(to, "%lld profile%s no rank and %s left out",
				  (long long)m->unranked,
				  m->unranked == 1 ? " has" : "s have",
				  m->unranked == 1 ? "is" : "are");
}

static void note_clocks(const struct comm_matches *m, struct memtable *to)
{
	/* by span: its last participant + 1; there are fewer spans than these */
	uint32_t *last = xcalloc(m->nparticipants + 1, sizeof(*last));
	bool apart = false;

	for (size_t p = 0; p < m->nparticipants; p++) {
		const struct comm_participant *who = &m->participants[p];
		uint32_t *before = &last[who->span];
		apart |= *before && m->participants[*before - 1].clock != who->clock;
		*before = (uint32_t)p + 1;
	}
	free(last);
	comm_ranks_note_error(m, to);
	if (apart)
		memtable_add_note(to,
				  "some ranks share no collective: their times cannot be "
				  "compared");
}

void comm_ranks_add_notes(const struct comm_ranks *r, struct memtable *to)
{
	const struct comm_matches *m = r->matches;

	comm_phases_note(r->phases, m, to);
	note_missing(r, to);
	note_alone(m, to);
	note_attendance(m, to);
	if (m->guessed)
		memtable_add_note(
			to,
			"%lld collective%s no sequence numbers, and ranks have "
			"different numbers of them: matching the k-th of each rank "
			"is a guess",
			(long long)m->guessed, m->guessed == 1 ? " has" : "s have");
	note_clocks(m, to);
	if (m->unmatched)
		memtable_add_note(to, "%lld call%s no partner on another rank",
				  (long long)m->unmatched,
				  m->unmatched == 1 ? " has" : "s have");
	if (m->direct)
		memtable_add_note(to, "%lld %s not compared", (long long)m->direct,
				  m->direct == 1 ? "send or receive is"
						 : "sends and receives are");
	comm_ranks_note_unranked(m, to);
}
