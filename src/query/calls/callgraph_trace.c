/*
 * The call graph of a trace: the calls of its operator table, one by one, with
 * whoever stands above each in the tree of its thread.  As in cProfile, what a
 * function took while it ran already counts once: see _lsprof.c, Stop().
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/calls/callgraph.h"
#include "query/calls/frame_name.h"
#include "query/slices/slice_ops.h"

#define NS_PER_S 1e9

/* A call that has not ended yet. */
struct open_call {
	size_t node;
	int64_t end_ns;
	uint32_t function;
	uint32_t edge; /* or CALLGRAPH_NONE */
};

struct tracing {
	struct callgraph *g;
	struct text_pool texts;
	uint32_t *function_of; /* owned: by text of a name, function + 1; 0: not met */
	size_t function_of_cap;
	struct intern pairs;            /* caller and callee: numbers are edges */
	const struct call_track *track; /* that the stack is of */
	struct open_call *stack;
	size_t depth, stack_cap;
	uint32_t *open_functions, *open_edges; /* owned: how often each is on the stack */
	size_t open_functions_cap, open_edges_cap;
};

/* "train.py(12): step" is ("train.py", 12, "step"), all else ("~", 0, name). */
static uint32_t function_of_name(struct callgraph *g, struct str text)
{
	struct frame_name name;
	struct callgraph_function f = { .bytes = CALLGRAPH_NONE };

	if (!frame_name_torch(text, &name))
		name = (struct frame_name){ .function = text, .file = STR_LIT("~") };
	f.line = name.line;
	f.file = intern_add(&g->texts, name.file);
	f.name = intern_add(&g->texts, name.function);
	return callgraph_function(g, &f);
}

static uint32_t find_function(struct tracing *t, uint32_t name)
{
	uint32_t *known = ARRAY_AT(t->function_of, t->function_of_cap, name);

	if (!*known)
		*known = 1 + function_of_name(t->g, text_pool_str(&t->texts, name));
	(void)ARRAY_AT(t->open_functions, t->open_functions_cap, *known - 1);
	return *known - 1;
}

static uint32_t find_edge(struct tracing *t, uint32_t caller, uint32_t callee)
{
	const uint32_t pair[] = { caller, callee };
	size_t known = t->pairs.n;
	uint32_t at = intern_add(&t->pairs, str_bytes(pair, sizeof(pair)));

	if (at == known)
		callgraph_append(t->g,
				 &(struct callgraph_edge){ .caller = caller,
							   .callee = callee,
							   .sums.has_times = true });
	(void)ARRAY_AT(t->open_edges, t->open_edges_cap, at);
	return at;
}

static struct callgraph_row *find_row(struct callgraph *g, uint32_t function)
{
	struct callgraph_function *f = &g->functions[function];

	if (f->row == CALLGRAPH_NONE) {
		f->row = (uint32_t)g->nrows;
		*ARRAY_PUSH(g->rows, g->nrows, g->rows_cap) =
			(struct callgraph_row){ .function = function,
						.sums.has_times = true };
	}
	return &g->rows[f->row];
}

/* Down to the call of this node; all: CALLGRAPH_NONE. */
static void unwind(struct tracing *t, size_t node)
{
	while (t->depth && t->stack[t->depth - 1].node != node) {
		const struct open_call *top = &t->stack[--t->depth];
		t->open_functions[top->function]--;
		if (top->edge != CALLGRAPH_NONE)
			t->open_edges[top->edge]--;
	}
}

/*
 * What ends on another thread (nccl:all_reduce) has no parent in torch's tree, though it
 * begins within calls that go on: those stay open.
 */
static void unwind_ended(struct tracing *t, int64_t now_ns)
{
	size_t keep = t->depth;

	while (keep && t->stack[keep - 1].end_ns <= now_ns)
		keep--;
	unwind(t, keep ? t->stack[keep - 1].node : CALLGRAPH_NONE);
}

static void add_call(struct callgraph_sums *sums, const struct opstat_sums *call,
		     bool is_outermost)
{
	sums->calls.n++;
	sums->self_ns = sum_add(sums->self_ns, call->self_ns);
	if (!is_outermost)
		return;
	sums->primitive.n++;
	sums->total_ns = sum_add(sums->total_ns, call->total_ns);
}

static int take_call(void *to, const struct slice_call *call, struct err *err)
{
	struct tracing *t = to;
	struct open_call open = { .node = call->node,
				  .end_ns = sum_add(call->ts_ns, call->dur_ns),
				  .edge = CALLGRAPH_NONE };
	bool has_parent = call->parent != NODE_NONE;

	(void)err;
	if (call->stat.key.kind != OP_HOST && call->stat.key.kind != OP_PYTHON)
		return 0;
	if (call->track != t->track)
		unwind(t, CALLGRAPH_NONE);
	t->track = call->track;
	if (has_parent)
		unwind(t, call->parent);
	else
		unwind_ended(t, call->ts_ns);
	open.function = find_function(t, call->stat.key.name);
	if (has_parent && t->depth)
		open.edge = find_edge(t, t->stack[t->depth - 1].function, open.function);
	add_call(&find_row(t->g, open.function)->sums, &call->stat.sums,
		 t->open_functions[open.function]++ == 0);
	if (open.edge != CALLGRAPH_NONE)
		add_call(&t->g->edges[open.edge].sums, &call->stat.sums,
			 t->open_edges[open.edge]++ == 0);
	*ARRAY_PUSH(t->stack, t->depth, t->stack_cap) = open;
	return 0;
}

static void set_seconds(struct callgraph_sums *sums)
{
	sums->self_s = (double)sums->self_ns / NS_PER_S;
	sums->total_s = (double)sums->total_ns / NS_PER_S;
}

static void finish(struct callgraph *g)
{
	for (size_t i = 0; i < g->nrows; i++) {
		struct callgraph_sums *sums = &g->rows[i].sums;
		set_seconds(sums);
		g->calls.n += sums->calls.n;
		g->primitive.n += sums->primitive.n;
		g->self_ns = sum_add(g->self_ns, sums->self_ns);
	}
	for (size_t i = 0; i < g->nedges; i++)
		set_seconds(&g->edges[i].sums);
	g->self_s = (double)g->self_ns / NS_PER_S;
	g->whole_ns = g->self_ns;
}

int callgraph_of_trace(struct store *store, const struct scope_profile *profile,
		       struct callgraph *g, struct err *err)
{
	struct tracing t = { .g = g };
	const struct slice_ops_request request = { .profile = profile,
						   .python = profile->has_stacks,
						   .call = take_call,
						   .to = &t };

	intern_init(&t.pairs);
	int rc = text_pool_open(store, &t.texts, err);
	if (rc == 0)
		rc = slice_ops_each(store, &t.texts, &request, err);
	if (rc == 0 && g->nrows == 0)
		rc = err_set(err, ERR_EMPTY, "no functions were recorded");
	finish(g);
	text_pool_close(&t.texts);
	intern_release(&t.pairs);
	free(t.function_of);
	free(t.open_functions);
	free(t.open_edges);
	free(t.stack);
	return rc;
}
