/*
 * Where the samples of each series lie.  Series say in which range of rows theirs are, and
 * ranges of several may overlap: in stores of older releases each has that of the whole
 * profile.  Read range by range, S series of N rows would take S * N.
 */
#ifndef PTOOL_QUERY_SAMPLE_RUNS_H
#define PTOOL_QUERY_SAMPLE_RUNS_H

#include "query/samples/sample_set.h"

/* Rows that are of one series, with few of others between them. */
struct sample_run {
	int64_t series;      /* place in the set */
	int64_t first, last; /* ids */
};

struct sample_runs {
	struct sample_run *at; /* owned; by series, then by id */
	size_t n, cap;
};

/*
 * Reads nothing where no ranges of the set's series overlap, else their rows once.
 * sample_runs_release() in both cases.
 */
int sample_runs_find(struct store *store, const struct sample_set *set,
		     struct sample_runs *out, struct err *err);
void sample_runs_release(struct sample_runs *runs);
/* Those of a series, by its place: *n of them. */
const struct sample_run *sample_runs_of(const struct sample_runs *runs, size_t series,
					size_t *n);

#endif
