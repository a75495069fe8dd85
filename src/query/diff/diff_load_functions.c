/* Functions for a comparison: of call graphs, and the Python frames of traces. */
#include "query/calls/callgraph.h"
#include "query/diff/diff_load.h"
#include "trace/fact.h"

static int64_t known_ns(int64_t ns)
{
	return ns == NUMBER_NONE ? 0 : ns;
}

static int64_t amount_of(const struct callgraph_sums *sums, enum diff_metric metric)
{
	if (metric == DIFF_CALLS)
		return sums->calls.n;
	return known_ns(metric == DIFF_TOTAL ? sums->total_ns : sums->self_ns);
}

/* The operators of a trace are functions too, of the file "~". */
static bool is_frame(const struct callgraph *g, const struct callgraph_function *f)
{
	return f->file != CALLGRAPH_NONE && !str_is(callgraph_text(g, f->file), "~");
}

static int add_function(const struct diff_loading *l, const struct scope_profile *profile,
			const struct callgraph *g, const struct callgraph_row *row,
			struct err *err)
{
	const struct diff_place place = { .profile_id = profile->id };
	struct buf name;

	buf_init(&name, SIZE_MAX);
	callgraph_add_name(g, row->function, &name);
	int has = filter_has_name(l->filter, buf_str(&name), err);
	if (has > 0)
		diff_loading_add(l, buf_str(&name), place, row->sums.calls.n,
				 amount_of(&row->sums, l->metric));
	buf_release(&name);
	return has < 0 ? -1 : 0;
}

static int load_profile(const struct diff_loading *l, const struct scope_profile *profile,
			bool is_graph, struct err *err)
{
	struct callgraph g;

	callgraph_init(&g);
	int rc = callgraph_load(l->store, profile, CALLGRAPH_NAMES, &g, err);
	for (size_t i = 0; rc == 0 && i < g.nrows; i++)
		if (is_graph || is_frame(&g, &g.functions[g.rows[i].function]))
			rc = add_function(l, profile, &g, &g.rows[i], err);
	callgraph_release(&g);
	return rc;
}

static int check_filter(const struct diff_loading *l, bool is_graph, struct err *err)
{
	if (is_graph)
		return filter_check_call_graph(l->filter, err);
	if (!filter_needs_slices(l->filter) && !l->filter->has_steps && !l->steps)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--by function is of whole runs: it takes --focus and --ignore "
		       "alone");
}

int diff_load_functions(const struct diff_loading *l, struct err *err)
{
	size_t before = l->to->n;
	bool is_graph;
	int rc = scope_is_call_graph(l->scope, &is_graph, err);

	if (rc == 0)
		rc = check_filter(l, is_graph, err);
	for (size_t i = 0; i < l->scope->n && rc == 0; i++)
		rc = load_profile(l, &l->scope->profiles[i], is_graph, err);
	if (rc == 0 && l->to->n == before)
		rc = err_set(
			err, ERR_EMPTY,
			is_graph ? "no function matches"
				 : "no Python frame was recorded (with_stack=True), or "
				   "none matches");
	return rc;
}
