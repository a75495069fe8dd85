/*
 * The filters that all reading commands share: which names, categories, places,
 * steps and times count.  Compiled once from the texts of the command line; a
 * filter that was not given lets everything through.
 */
#ifndef PTOOL_QUERY_FILTER_H
#define PTOOL_QUERY_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define FILTER_ITEMS_MAX 64
#define CLASS_NONE       (-1)

/* As the user wrote them: NULL and 0 where not given.  Borrowed. */
struct filter_texts {
	const char *focus, *ignore; /* regular expressions */
	const char *focus_as;       /* what messages call the first; NULL: --focus */
	const char *steps;          /* "3", "3..5", "3..", "..5": inclusive */
	const char *phase;          /* "decode": of steps */
	const char *times;          /* "1ms..2.5ms", "1s..": half-open, units required */
	const char *min_dur;        /* "10us" */
	/* Each is a list of lists: "a,b" and "c". */
	const char *const *categories, *const *threads, *const *streams, *const *devices;
	size_t ncategories, nthreads, nstreams, ndevices;
};

struct filter_names {
	struct str items[FILTER_ITEMS_MAX];
	size_t n; /* 0: not given */
};

struct filter_numbers {
	int64_t items[FILTER_ITEMS_MAX];
	size_t n; /* 0: not given */
};

/* Which sampled stacks count; zeroed: those that the file wants to be shown. */
struct sample_choice {
	const char *series; /* a number of `ptool info`, or a part of a name; NULL */
	const char *mode;   /* "wall", "cpu", ...; NULL */
	bool no_idle;       /* none of threads that wait */
};

struct regex;
struct scope;
struct store;

/* The steps that have a phase; which they are a store tells: filter_find_steps(). */
struct filter_phase {
	const char *name; /* borrowed */
	struct filter_step {
		int64_t profile_id, number;
	} * items; /* owned; in order */
	size_t n, cap;
	bool is_found;
};

struct filter {
	struct regex *focus, *ignore; /* owned; NULL: not given */
	struct filter_names categories, threads;
	unsigned
		classes; /* bits (1 << class): those whose names are among the categories */
	struct filter_numbers streams, devices;
	bool has_steps, has_times, has_min_dur;
	int64_t first_step, last_step; /* inclusive */
	struct filter_phase *phase;    /* owned; those of it alone; NULL: not given */
	int64_t from_ns, to_ns;        /* [from, to) from the profile's first event */
	int64_t min_dur_ns;
	struct sample_choice samples;
};

/*
 * 0, or -1 with an ERR_USAGE that names the option.  The texts must outlive the
 * filter; filter_release() frees, also a zeroed one.
 */
int filter_compile(const struct filter_texts *texts, struct filter *out, struct err *err);
void filter_release(struct filter *f);

/*
 * With --phase: which steps of these profiles have it, whatever was found before; to be
 * called before the first filter_has_step().  ERR_EMPTY when none has, or none has any.
 */
int filter_find_steps(const struct filter *f, struct store *store,
		      const struct scope *scope, struct err *err);

/* Was --phase given without --step? */
static inline bool filter_is_phase_alone(const struct filter *f)
{
	return f->phase && f->first_step == INT64_MIN && f->last_step == INT64_MAX;
}
/* Was --focus or --ignore given? */
static inline bool filter_chooses_names(const struct filter *f)
{
	return f->focus || f->ignore;
}
/* --focus and --ignore: 1, 0, or -1 with err set when matching takes too long. */
int filter_has_name(const struct filter *f, struct str name, struct err *err);
/* Those below are true when their filter was not given. */
bool filter_has_step(const struct filter *f, int64_t profile_id, int64_t number,
		     bool is_in_step);
bool filter_has_time(const struct filter *f, int64_t start_ns);
bool filter_has_dur(const struct filter *f, int64_t dur_ns);
/*
 * The category as recorded, in any capitals and in torch's spellings, or the class
 * (CLASS_NONE: the category alone).
 */
bool filter_has_category(const struct filter *f, struct str category, int class);
/* By its number as text or by its name; either may be empty. */
bool filter_has_thread(const struct filter *f, struct str tid, struct str name);
bool filter_has_number(const struct filter_numbers *numbers, int64_t value);

/* Is any filter given? */
bool filter_is_given(const struct filter *f);
/* Is a filter given that only single slices can answer? */
bool filter_needs_slices(const struct filter *f);
/* ERR_USAGE for what call graphs do not have: all but --focus and --ignore. */
int filter_check_call_graph(const struct filter *f, struct err *err);
/* Do the category filters ask for Python frames, which are hidden otherwise? */
bool filter_wants_python(const struct filter *f);

/*
 * A time with its unit: "1.5ms", "20us", "3s", "7ns", and "0"; exact.  False
 * when it is none, or negative, or beyond int64.
 */
bool filter_parse_time(struct str text, int64_t *ns);

#endif
