/* Rows and calls gathered: see pstats_graph.h. */
#include "ingest/pstats_graph.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "base/utf8.h"

#define FUNCTIONS_MAX (UINT32_MAX - 1)

void graph_init(struct graph *g)
{
	*g = (struct graph){ 0 };
	intern_init(&g->shown);
	intern_init(&g->stripped);
	text_function_init(&g->parts);
}

void graph_release(struct graph *g)
{
	intern_release(&g->shown);
	intern_release(&g->stripped);
	text_function_release(&g->parts);
	free(g->of_stripped);
	free(g->functions);
	free(g->rows);
	free(g->calls);
	arena_release(&g->digits);
}

static uint32_t function_of(struct graph *g, struct str shown)
{
	uint32_t number = intern_add(&g->shown, shown);

	if (number < g->nfunctions)
		return number;
	*ARRAY_PUSH(g->functions, g->nfunctions, g->functions_cap) =
		(struct graph_function){ TEXT_NONE, TEXT_NONE };
	return number;
}

/* Which function a name without folders means. */
static void note_stripped(struct graph *g, struct str shown, uint32_t function)
{
	size_t known = g->stripped.n;
	uint32_t at = intern_add(&g->stripped, text_stripped(&g->parts, shown));

	*ARRAY_AT(g->of_stripped, g->of_stripped_cap, at) =
		at < known ? TEXT_NONE : function;
}

/* The listing and the other tables may differ in strip_dirs(). */
static uint32_t known_function(struct graph *g, struct str shown)
{
	if (intern_has(&g->shown, shown))
		return function_of(g, shown);
	struct str stripped = text_stripped(&g->parts, shown);
	if (intern_has(&g->stripped, stripped)) {
		uint32_t known = g->of_stripped[intern_add(&g->stripped, stripped)];
		if (known != TEXT_NONE)
			return known;
	}
	return function_of(g, shown);
}

/* Digits outlive the line they stand in. */
static struct call_sums kept(struct graph *g, const struct call_sums *sums)
{
	struct call_sums copy = *sums;

	if (sums->calls.digits.n)
		copy.calls.digits = arena_copy(&g->digits, sums->calls.digits);
	if (sums->primitive.digits.n)
		copy.primitive.digits = arena_copy(&g->digits, sums->primitive.digits);
	return copy;
}

bool graph_row(struct graph *g, const struct text_row *row, uint64_t at)
{
	uint32_t function = function_of(g, row->name);
	uint32_t known = g->functions[function].row;

	if (known != TEXT_NONE) {
		g->rows[known].sums = kept(g, &row->sums);
		g->rows[known].at = at;
		return false;
	}
	note_stripped(g, row->name, function);
	g->functions[function].row = (uint32_t)g->nrows;
	*ARRAY_PUSH(g->rows, g->nrows, g->rows_cap) = (struct graph_row){
		.sums = kept(g, &row->sums), .function = function, .at = at
	};
	return true;
}

void graph_call(struct graph *g, struct str caller, struct str callee,
		const struct call_sums *sums)
{
	struct graph_call call = { .sums = kept(g, sums),
				   .caller = known_function(g, caller) };

	call.callee = known_function(g, callee);
	*ARRAY_PUSH(g->calls, g->ncalls, g->calls_cap) = call;
}

/* Calls from itself are among the calls, but nothing is outermost in them. */
static void add_up(struct graph_row *row, const struct graph_call *call)
{
	struct call_sums *sums = &row->sums;

	sums->calls.n = sum_add(sums->calls.n, call->sums.calls.n);
	sums->self_s += call->sums.has_times ? call->sums.self_s : (double)NAN;
	if (call->caller == call->callee)
		return;
	sums->primitive.n =
		sum_add(sums->primitive.n, call->sums.has_times ? call->sums.primitive.n
								: call->sums.calls.n);
	sums->total_s += call->sums.has_times ? call->sums.total_s : (double)NAN;
}

static void derive_rows(struct graph *g)
{
	size_t listed = g->nrows;

	for (size_t i = 0; i < g->ncalls; i++) {
		struct graph_function *callee = &g->functions[g->calls[i].callee];
		if (callee->row == TEXT_NONE) {
			callee->row = (uint32_t)g->nrows++;
			g->rows =
				xgrow(g->rows, &g->rows_cap, g->nrows, sizeof(*g->rows));
			g->rows[callee->row] =
				(struct graph_row){ .sums.has_times = true,
						    .function = g->calls[i].callee };
		}
		if (callee->row >= listed)
			add_up(&g->rows[callee->row], &g->calls[i]);
	}
	g->nderived = g->nrows - listed;
}

/* Numbers of calls, callee after callee in the order of the rows; the caller frees it. */
static uint32_t *by_callee(const struct graph *g, size_t **ends)
{
	uint32_t *order = xrealloc_array(NULL, g->ncalls + 1, sizeof(*order));
	size_t *places = xcalloc(g->nrows + 1, sizeof(*places));

	for (size_t i = 0; i < g->ncalls; i++)
		places[g->functions[g->calls[i].callee].row + 1]++;
	for (size_t i = 0; i < g->nrows; i++)
		places[i + 1] += places[i];
	for (size_t i = 0; i < g->ncalls; i++)
		order[places[g->functions[g->calls[i].callee].row]++] = (uint32_t)i;
	*ends = places;
	return order;
}

static uint32_t text_of(struct graph *g, struct sink *sink, const struct buf *name)
{
	struct str text = buf_str(name);

	if (g->text_bytes && text.n > g->text_bytes) {
		text = utf8_cut(text, g->text_bytes);
		g->ncut++;
	}
	return sink->text(sink, text);
}

static uint32_t number_of(struct graph *g, struct sink *sink, uint32_t function)
{
	struct graph_function *f = &g->functions[function];

	if (f->number != TEXT_NONE)
		return f->number;
	text_function(&g->parts, intern_str(&g->shown, function));
	struct function_fact fact = { .file = text_of(g, sink, &g->parts.file),
				      .line = g->parts.line };
	fact.name = text_of(g, sink, &g->parts.name);
	f->number = sink->function(sink, &fact);
	return f->number;
}

static int tell_row(struct graph *g, size_t row, struct sink *sink, struct err *err)
{
	const struct graph_row *r = &g->rows[row];
	struct function_stat_fact stat = { .function = number_of(g, sink, r->function),
					   .sums = r->sums,
					   .offset = r->at };

	return sink->function_stat(sink, &stat, err);
}

static int tell_call(struct graph *g, const struct graph_call *call, struct sink *sink,
		     struct err *err)
{
	struct call_fact fact = { .callee = number_of(g, sink, call->callee),
				  .sums = call->sums };

	fact.caller = number_of(g, sink, call->caller);
	return sink->call(sink, &fact, err);
}

int graph_tell(struct graph *g, struct sink *sink, struct err *err)
{
	size_t *ends, at = 0;
	int rc = 0;

	if (g->ncalls > FUNCTIONS_MAX || g->nrows > FUNCTIONS_MAX)
		return err_set(err, ERR_INPUT, "too many rows");
	derive_rows(g);
	uint32_t *order = by_callee(g, &ends);
	for (size_t row = 0; row < g->nrows && rc == 0; row++) {
		rc = tell_row(g, row, sink, err);
		while (rc == 0 && at < ends[row])
			rc = tell_call(g, &g->calls[order[at++]], sink, err);
	}
	free(order);
	free(ends);
	return rc;
}
