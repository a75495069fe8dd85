/* What a rank did in a window, against a walk through its parts and waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "query/ranks/rank_account.h"

enum { NRANKS = 3, NPARTS = 700, NWAITS = 300 };

struct job {
	struct rank_facts facts[NRANKS];
	struct rank_waits waits;
	struct rank_accounts accounts;
};

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

/* Rank 0 has nothing; times of a rank ascend, some at the same moment. */
static void make_job(struct job *job, uint32_t seed)
{
	*job = (struct job){ .waits = { .n = 0 } };
	job->waits.items = xcalloc((size_t)NRANKS * NWAITS, sizeof(*job->waits.items));
	job->waits.first = xcalloc(NRANKS + 1, sizeof(*job->waits.first));
	for (uint32_t rank = 1; rank < NRANKS; rank++) {
		struct rank_facts *f = &job->facts[rank];
		int64_t ns = 0;
		f->parts = xcalloc(NPARTS, sizeof(*f->parts));
		f->nparts = NPARTS;
		for (size_t i = 0; i < NPARTS; i++) {
			ns += random_below(&seed, 3);
			f->parts[i] = (struct rank_part){
				.start_ns = ns,
				.ns = random_below(&seed, 5),
				.what = (uint8_t)random_below(&seed, NRANK_WHATS),
				.cause = (uint8_t)random_below(&seed, NGAP_CAUSES)
			};
		}
		ns = 0;
		for (size_t i = 0; i < NWAITS; i++) {
			ns += random_below(&seed, 5);
			job->waits.items[job->waits.n++] =
				(struct rank_wait){ .rank = rank,
						    .late = random_below(&seed, NRANKS),
						    .start_ns = ns,
						    .ns = 1 + random_below(&seed, 3) };
		}
		job->waits.first[rank + 1] = job->waits.n;
	}
	rank_accounts_make(job->facts, NRANKS, &job->waits, &job->accounts);
}

static void release_job(struct job *job)
{
	rank_accounts_release(&job->accounts);
	rank_waits_release(&job->waits);
	for (size_t rank = 0; rank < NRANKS; rank++)
		free(job->facts[rank].parts);
}

static bool is_within(const struct rank_window *w, int64_t ns)
{
	return ns >= w->from_ns && ns < w->to_ns;
}

static void check_window(const struct job *job, const struct rank_window *w)
{
	const struct rank_account a = rank_account_of(&job->accounts, w);
	const struct rank_facts *f = &job->facts[w->rank];
	int64_t ns[NRANK_WHYS] = { 0 }, known = 0, waited = 0, thirds = 0;

	for (size_t i = 0; i < f->nparts; i++) {
		const struct rank_part *part = &f->parts[i];
		int why = part->what == RANK_IDLE      ? part->cause
			  : part->what == RANK_COMPUTE ? (int)RANK_WHY_COMPUTE
			  : part->what == RANK_COPY    ? (int)RANK_WHY_COPY
						       : (int)RANK_WHY_TRANSFER;
		if (!is_within(w, part->start_ns))
			continue;
		ns[why] += part->ns;
		known += part->ns;
	}
	for (size_t i = 0; i < job->waits.n; i++) {
		const struct rank_wait *wait = &job->waits.items[i];
		if (wait->rank != w->rank || !is_within(w, wait->start_ns))
			continue;
		waited += wait->ns;
		thirds += wait->late == w->other ? 0 : wait->ns;
	}
	ns[RANK_WHY_TRANSFER] -= waited;
	if (known < w->to_ns - w->from_ns)
		ns[RANK_WHY_OUTSIDE] = w->to_ns - w->from_ns - known;
	assert_int_equal(w->to_ns - w->from_ns, a.length_ns);
	assert_int_equal(thirds, a.waited_ns);
	for (int why = 0; why < NRANK_WHYS; why++)
		assert_int_equal(ns[why], a.ns[why]);
}

static void windows_of_any_length_add_up(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 3; seed++) {
		uint32_t random = seed;
		struct job job;
		make_job(&job, seed);
		for (int i = 0; i < 2000; i++) {
			struct rank_window w = { random_below(&random, NRANKS),
						 random_below(&random, NRANKS),
						 random_below(&random, 800), 0 };
			w.to_ns = w.from_ns + random_below(&random, 800);
			check_window(&job, &w);
		}
		release_job(&job);
	}
}

static void sums_of_times_stick_at_the_ends(void **state)
{
	struct job job;
	struct rank_window w = { 1, 0, 0, INT64_MAX };

	(void)state;
	make_job(&job, 1);
	rank_accounts_release(&job.accounts);
	for (size_t i = 0; i < NPARTS; i++) {
		job.facts[1].parts[i].what = RANK_COMPUTE;
		job.facts[1].parts[i].ns = INT64_MAX;
	}
	rank_accounts_make(job.facts, NRANKS, &job.waits, &job.accounts);
	assert_int_equal(INT64_MAX,
			 rank_account_of(&job.accounts, &w).ns[RANK_WHY_COMPUTE]);
	release_job(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_any_length_add_up),
		cmocka_unit_test(sums_of_times_stick_at_the_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
