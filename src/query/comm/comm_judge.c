/* Waiting in collectives: see comm_judge.h. */
#include "query/comm/comm_judge.h"

#include "base/buf.h"
#include "base/sum.h"

/* A group of more ranks is not listed. */
#define GROUP_MAX 65536

static int64_t aligned(const struct comm_matches *m, const struct comm_part *part,
		       int64_t ns)
{
	return sum_sub(ns, m->participants[part->participant].offset_ns);
}

static int64_t dur_of(const struct comm_part *part)
{
	return part->call.end_ns - part->call.start_ns;
}

int64_t comm_part_wait(const struct comm_matches *m, const struct comm_verdict *verdict,
		       const struct comm_part *part)
{
	int64_t last_ns = sum_add(verdict->start_ns, verdict->skew_ns);
	int64_t wait_ns = sum_sub(last_ns, aligned(m, part, part->start_ns));
	int64_t dur_ns = dur_of(part);

	if (wait_ns < 0)
		return 0;
	return wait_ns < dur_ns ? wait_ns : dur_ns;
}

/* Who started last, and how long after the one before. */
static void find_late(const struct comm_matches *m, const struct comm_match *match,
		      struct comm_verdict *v)
{
	const struct comm_part *parts = m->parts + match->first;
	int64_t last_ns = aligned(m, &parts[0], parts[0].start_ns), second_ns = INT64_MIN;

	v->start_ns = last_ns;
	v->late = parts[0].participant;
	for (size_t i = 1; i < match->n; i++) {
		int64_t start_ns = aligned(m, &parts[i], parts[i].start_ns);
		if (start_ns > last_ns) {
			second_ns = last_ns;
			last_ns = start_ns;
			v->late = parts[i].participant;
		} else if (start_ns > second_ns) {
			second_ns = start_ns;
		}
		if (start_ns < v->start_ns)
			v->start_ns = start_ns;
	}
	v->skew_ns = sum_sub(last_ns, v->start_ns);
	v->late_ns = sum_sub(last_ns, second_ns);
}

static int64_t end_skew(const struct comm_matches *m, const struct comm_match *match)
{
	const struct comm_part *parts = m->parts + match->first;
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t i = 0; i < match->n; i++) {
		int64_t end_ns = aligned(m, &parts[i], parts[i].end_ns);
		low = end_ns < low ? end_ns : low;
		high = end_ns > high ? end_ns : high;
	}
	return sum_sub(high, low);
}

struct comm_verdict comm_judge(const struct comm_matches *m,
			       const struct comm_match *match)
{
	struct comm_verdict v = { .shortest_ns = INT64_MAX };

	find_late(m, match, &v);
	v.end_skew_ns = end_skew(m, match);
	for (size_t i = 0; i < match->n; i++) {
		const struct comm_part *part = &m->parts[match->first + i];
		const struct comm_call *call = &part->call;
		int64_t wait_ns = comm_part_wait(m, &v, part), dur_ns = dur_of(part);
		double factor = collective_bus_factor((enum collective)call->kind,
						      call->group_size);
		v.total_ns = sum_add(v.total_ns, dur_ns);
		v.wait_ns = sum_add(v.wait_ns, wait_ns);
		v.transfer_ns = sum_add(v.transfer_ns, dur_ns - wait_ns);
		v.shortest_ns = dur_ns < v.shortest_ns ? dur_ns : v.shortest_ns;
		if (call->bytes == NUMBER_NONE || factor < 0)
			v.bus_bytes = -1;
		if (v.bus_bytes >= 0)
			v.bus_bytes += factor * (double)call->bytes;
	}
	return v;
}

struct missing {
	const int64_t *present;
	size_t n, at;
	struct buf text;
};

/* Ranks come in rising order; one that is not there is added. */
static void expect(struct missing *m, int64_t rank)
{
	while (m->at < m->n && m->present[m->at] < rank)
		m->at++;
	if (m->at == m->n || m->present[m->at] != rank)
		buf_addf(&m->text, "%s%lld", m->text.n > 1 ? ", " : "", (long long)rank);
}

/* The next number of "[0, 1]"; false at its end, and *bad where it is no such list. */
static bool next_rank(struct str *rest, int64_t *rank, bool *bad)
{
	size_t i = 0;

	while (i < rest->n &&
	       (rest->p[i] == '[' || rest->p[i] == ',' || rest->p[i] == ' '))
		i++;
	*rank = 0;
	size_t digits = i;
	while (i < rest->n && i - digits < 9 && rest->p[i] >= '0' && rest->p[i] <= '9')
		*rank = (*rank * 10) + (rest->p[i++] - '0');
	*bad |= i == digits && !(i + 1 == rest->n && rest->p[i] == ']');
	*rest = str_behind(*rest, i);
	return i > digits;
}

/* Does it list all of its group in rising order?  Kineto cuts long lists short. */
static bool is_whole_list(struct str list, int64_t group_size)
{
	int64_t rank, before = -1, n = 0;
	bool bad = false;

	while (next_rank(&list, &rank, &bad)) {
		bad |= rank <= before; /* or a part of a number that is too long */
		before = rank;
		n++;
	}
	return !bad && list.n == 1 && n > 0 &&
	       (group_size == NUMBER_NONE || n == group_size);
}

const char *comm_missing_ranks(struct str group_ranks, int64_t group_size,
			       int64_t world_size, const int64_t *present, size_t n,
			       struct arena *arena)
{
	struct missing m = { .present = present, .n = n };
	int64_t rank;
	bool bad = false;

	buf_init(&m.text, SIZE_MAX);
	buf_add_char(&m.text, '[');
	if (is_whole_list(group_ranks, group_size)) {
		while (next_rank(&group_ranks, &rank, &bad))
			expect(&m, rank);
	} else if (group_size != NUMBER_NONE && group_size == world_size &&
		   group_size <= GROUP_MAX) {
		for (rank = 0; rank < group_size; rank++)
			expect(&m, rank);
	} else {
		buf_release(&m.text);
		return NULL;
	}
	buf_add_char(&m.text, ']');
	const char *text = arena_copy(arena, buf_str(&m.text)).p;
	buf_release(&m.text);
	return text;
}
