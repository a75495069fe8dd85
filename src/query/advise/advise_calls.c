/* Long calls of operators on the host: see advise_calls.h. */
#include "query/advise/advise_calls.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/advise/advise_facts.h"
#include "query/advise/call_needs.h"
#include "query/compile/compile_name.h"
#include "query/query.h"

ASSET(asset_query_views_advise_long_calls_sql);

#define LEAST_NS    1000000 /* a core is given away for a millisecond and more */
#define PEERS_TIMES 5       /* so many times what is usual is slow */
#define NEEDS_TIMES 2       /* so many times what its tensors need */

enum { NAME, SHAPES, TS, DUR, SELF, TURN, N, MEDIAN };

/* needs_ns: -1 where it is not known. */
static void judge(struct fact_call *call, int64_t needs_ns, bool has_shapes)
{
	int64_t should_ns = call->n > 1 ? call->median_ns : 0;

	if (has_shapes && call->n > 1 && call->self_ns / PEERS_TIMES >= call->median_ns) {
		call->is_slow = call->turn > 1; /* the first loads code */
	} else if (needs_ns >= 0 && call->self_ns / NEEDS_TIMES >= needs_ns) {
		call->is_slow = true;
		should_ns = needs_ns;
	} else if (call->n == 1 && needs_ns > 0) {
		should_ns = needs_ns;
	}
	if (call->self_ns > should_ns)
		call->above_ns = call->self_ns - should_ns;
}

/* 1: it counts; 0: it does not; -1 with err set. */
static int read_call(struct advise_facts *f, struct sqlite3_stmt *stmt,
		     struct fact_call *out, struct err *err)
{
	uint32_t name, shapes;

	if (text_pool_number(f->texts, sqlite3_column_int64(stmt, NAME), &name, err) <
		    0 ||
	    text_pool_number(f->texts, sqlite3_column_int64(stmt, SHAPES), &shapes, err) <
		    0)
		return -1;
	*out = (struct fact_call){
		.name = name,
		.start_ns = sqlite3_column_int64(stmt, TS),
		.dur_ns = sqlite3_column_int64(stmt, DUR),
		.self_ns = sqlite3_column_int64(stmt, SELF),
		.median_ns = sqlite3_column_int64(stmt, MEDIAN),
		.turn = sqlite3_column_int64(stmt, TURN),
		.n = sqlite3_column_int64(stmt, N),
	};
	if (!query_is_time(out->start_ns, out->dur_ns) || out->self_ns < 0 ||
	    out->self_ns > out->dur_ns || out->median_ns < 0)
		return query_damaged("slices", err);
	judge(out,
	      call_needs_ns(text_pool_str(f->texts, name),
			    text_pool_str(f->texts, shapes)),
	      f->profile->has_shapes);
	struct str text = text_pool_str(f->texts, name), unused;
	return name != TEXT_NONE && gap_cause_of(CLASS_OP, text) != GAP_COMPILE &&
	       compile_word_of(text, &unused) != COMPILE_WORD_COMPILING &&
	       intervals_length_within(&f->others, out->start_ns,
				       out->start_ns + out->dur_ns) <= out->dur_ns / 2;
}

static int load_calls(struct advise_facts *f, struct sqlite3_stmt *stmt, struct err *err)
{
	int rc;

	query_bind_int(stmt, ":profile", f->profile->id);
	query_bind_int(stmt, ":op", CLASS_OP);
	query_bind_int(stmt, ":least_ns", LEAST_NS);
	while ((rc = sql_step(stmt, err)) > 0) {
		struct fact_call call;
		rc = read_call(f, stmt, &call, err);
		if (rc < 0)
			break;
		if (rc == 0)
			continue;
		*ARRAY_PUSH(f->calls, f->ncalls, f->calls_cap) = call;
	}
	return rc;
}

/*
 * Calls of a millisecond and more on the host, in steps (in all of the recording when
 * there are none), longest first; *n of them.  Those in whose time data is loaded, or
 * ranks communicate, are left out: other rules have it.
 */
static const struct fact_call *facts_calls(struct advise_facts *f, size_t *n,
					   struct err *err)
{
	static const struct fact_call none = { .n = 0 };
	struct sqlite3_stmt *stmt = NULL;

	*n = f->ncalls;
	if (f->has_calls)
		return f->ncalls ? f->calls : &none;
	int rc = query_check_tracks(f->store, f->profile, err);
	if (rc == 0)
		rc = query_prepare(f->store, asset_query_views_advise_long_calls_sql,
				   &stmt, err);
	if (rc == 0)
		rc = load_calls(f, stmt, err);
	sqlite3_finalize(stmt);
	if (rc < 0)
		return NULL;
	f->has_calls = true;
	*n = f->ncalls;
	return f->ncalls ? f->calls : &none;
}

#define SLOW_LEAST 3  /* one or two may compile something, or touch new memory */
#define LONG_PART  20 /* 1 / 20 of the window */

struct adding {
	struct long_calls *out;
	struct intervals open;
	int64_t dur_ns;
	int64_t *by_name; /* by text */
	uint32_t most;
};

static void add(struct adding *a, const struct fact_call *call)
{
	struct long_calls *out = a->out;

	if (out->n < LONG_CALLS_NAMED)
		out->longest[out->n] = call;
	out->n++;
	out->above_ns = sum_add(out->above_ns, call->above_ns);
	a->dur_ns = sum_add(a->dur_ns, call->dur_ns);
	intervals_add(&a->open, call->start_ns, call->start_ns + call->dur_ns);
	int64_t *sum = &a->by_name[call->name];
	*sum = sum_add(*sum, call->above_ns);
	if (a->most == TEXT_NONE || *sum > a->by_name[a->most])
		a->most = call->name;
}

static bool is_wanted(const struct advise_facts *f, const struct fact_call *call,
		      bool slow, bool has_slow)
{
	if (slow || (has_slow && call->is_slow))
		return slow && call->is_slow;
	return call->above_ns >= f->window.ns / LONG_PART &&
	       call->above_ns >= call->self_ns / 2;
}

static int find(struct advise_facts *f, bool slow, struct long_calls *out,
		struct err *err)
{
	size_t n, nslow = 0;
	uint32_t names = 0;
	const struct fact_call *calls = facts_calls(f, &n, err);

	*out = (struct long_calls){ .n = 0 };
	if (!calls)
		return -1;
	for (size_t i = 0; i < n; i++) {
		nslow += calls[i].is_slow;
		names = calls[i].name > names ? calls[i].name : names;
	}
	if (slow && nslow < SLOW_LEAST)
		return 0;
	struct adding a = { .out = out, .most = TEXT_NONE };
	a.by_name = xcalloc((size_t)names + 1, sizeof(*a.by_name));
	for (size_t i = 0; i < n; i++)
		if (is_wanted(f, &calls[i], slow, nslow >= SLOW_LEAST))
			add(&a, &calls[i]);
	intervals_unite(&a.open);
	if (a.dur_ns > 0)
		out->above_ns = sum_of_double(
			(double)out->above_ns *
			((double)intervals_length(&a.open) / (double)a.dur_ns));
	if (out->n)
		out->most = text_pool_str(f->texts, a.most);
	intervals_release(&a.open);
	free(a.by_name);
	return 0;
}

int long_calls_slow(struct advise_facts *facts, struct long_calls *out, struct err *err)
{
	return find(facts, true, out, err);
}

int long_calls_other(struct advise_facts *facts, struct long_calls *out, struct err *err)
{
	return find(facts, false, out, err);
}
