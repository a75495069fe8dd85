/*
 * ptool export --to pstats: the dict that Python's cProfile dumps, for pstats,
 * snakeviz, gprof2dot and whatever else reads one.  What was read from a dump
 * comes out with the same order, digits and bits.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/exporter.h"
#include "query/calls/callgraph.h"
#include "report/marshal_put.h"
#include "trace/fact.h"

/* A text of more bytes is written once: that of one function may be a caller's of all. */
#define LONG_TEXT 1024

struct dump {
	FILE *out;
	const struct callgraph *g;
	uint32_t *refs; /* owned: by text, and 1; 0: not written, or not long */
	uint32_t nrefs;
};

static void put_count(FILE *out, struct bignum count)
{
	if (count.digits)
		marshal_put_digits(out, str_of(count.digits));
	else
		marshal_put_int(out, count.n);
}

static void put_text(struct dump *d, uint32_t number)
{
	struct str text = callgraph_text(d->g, number);

	if (text.n <= LONG_TEXT) {
		marshal_put_text(d->out, text);
	} else if (d->refs[number]) {
		marshal_put_ref(d->out, d->refs[number] - 1);
	} else {
		marshal_put_shared(d->out, text);
		d->refs[number] = ++d->nrefs;
	}
}

/* (file, line, name) */
static void put_key(struct dump *d, uint32_t function)
{
	const struct callgraph_function *f = &d->g->functions[function];

	marshal_put_tuple(d->out, 3);
	put_text(d, f->bytes != CALLGRAPH_NONE ? f->bytes : f->file);
	marshal_put_int(d->out, f->line == NUMBER_NONE ? 0 : f->line);
	put_text(d, f->name);
}

static void put_caller(struct dump *d, const struct callgraph_edge *edge)
{
	FILE *out = d->out;

	put_key(d, edge->caller);
	if (!edge->sums.has_times) { /* as profile.Profile writes it */
		put_count(out, edge->sums.calls);
		return;
	}
	marshal_put_tuple(out, 4);
	put_count(out, edge->sums.calls);
	put_count(out, edge->sums.primitive);
	marshal_put_real(out, edge->sums.self_s);
	marshal_put_real(out, edge->sums.total_s);
}

/* A function's own counts stand the other way round than those of its callers. */
static void put_row(struct dump *d, const struct callgraph_row *row)
{
	const struct callgraph *g = d->g;
	FILE *out = d->out;
	uint32_t next;

	put_key(d, row->function);
	marshal_put_tuple(out, 5);
	put_count(out, row->sums.primitive);
	put_count(out, row->sums.calls);
	marshal_put_real(out, row->sums.self_s);
	marshal_put_real(out, row->sums.total_s);
	marshal_put_dict(out);
	for (uint32_t at = g->functions[row->function].first; at != CALLGRAPH_NONE;
	     at = next) {
		put_caller(d, &g->edges[at]);
		next = g->edges[at].next;
	}
	marshal_put_end(out);
}

static int write_pstats(const struct export_request *request, FILE *out,
			struct export_losses *losses, struct err *err)
{
	struct callgraph g;

	(void)losses; /* nothing */
	if (!scope_has_self(request->scope))
		return scope_lacks_self("self times, which a dump holds", err);
	callgraph_init(&g);
	int rc = callgraph_load_scope(request->store, request->scope, request->filter, &g,
				      err);
	if (rc == 0 && g.is_sampled && g.unit != UNIT_NS)
		rc = err_set(err, ERR_EMPTY,
			     "a dump holds seconds, and these samples weigh %s: "
			     "callgrind, folded, speedscope and pprof hold them",
			     g.unit == UNIT_BYTES ? "bytes" : "counts");
	if (rc == 0) {
		struct dump d = { .out = out, .g = &g };
		d.refs = xcalloc(g.texts.n + 1, sizeof(*d.refs));
		marshal_put_dict(out);
		for (size_t i = 0; i < g.nrows && !ferror(out); i++)
			put_row(&d, &g.rows[i]);
		marshal_put_end(out);
		free(d.refs);
	}
	callgraph_release(&g);
	return rc;
}

static const char *const suffixes[] = { ".prof", ".pstats", ".cprof", NULL };

const struct exporter export_pstats = {
	.name = "pstats",
	.suffixes = suffixes,
	.is_binary = true,
	.write = write_pstats,
};
