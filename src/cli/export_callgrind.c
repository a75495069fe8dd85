/*
 * ptool export --to callgrind: functions, what each took itself, and its calls with
 * what they took, for KCachegrind, QCachegrind and callgrind_annotate.
 * Source: valgrind.org/docs/manual/cl-format.html.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "cli/export_amount.h"
#include "cli/exporter.h"
#include "query/calls/callgraph.h"
#include "trace/fact.h"

#define NAMELESS "[no name]"

struct callgrind {
	const struct callgraph *g;
	FILE *out;
	/* owned: it was written; "(3)" is enough then.  Files by text, as names are. */
	bool *is_file_told, *is_function_told;
	bool *is_counted; /* owned, by text: among what was renamed */
	uint32_t *pair,
		*nfunctions;     /* owned: (file, name) of each, and how many have it */
	uint32_t *first, *order; /* owned: callgraph_callees() */
	struct export_losses *losses; /* borrowed */
	struct buf name;
};

/* Below 0 are NUMBER_NONE and what the format cannot hold. */
static int64_t known(int64_t number)
{
	return number < 0 ? 0 : number;
}

/* A name is a line; to readers blanks alone are no name. */
static void spell_name(struct callgrind *c, uint32_t text)
{
	buf_clear(&c->name);
	bool is_renamed = utf8_add_blanked(&c->name, callgraph_text(c->g, text));
	if (c->name.n == 0 || strspn(c->name.p, " ") == c->name.n) {
		buf_clear(&c->name);
		buf_add_text(&c->name, NAMELESS);
		is_renamed = true;
	}
	c->losses->renamed += is_renamed && !c->is_counted[text];
	c->is_counted[text] |= is_renamed;
}

static void put_file(struct callgrind *c, const char *key, uint32_t text)
{
	fprintf(c->out, "%s=(%u)", key, (unsigned int)text + 1);
	if (!c->is_file_told[text]) {
		spell_name(c, text);
		fprintf(c->out, " " STR_FMT, STR_ARG(buf_str(&c->name)));
	}
	c->is_file_told[text] = true;
	putc('\n', c->out);
}

/*
 * "fn=(3) step".  A number is a function of one file, not a name, and readers add up what
 * has one name in one file: such functions have their line too, "step:30".
 */
static void put_function_name(struct callgrind *c, const char *file_key, const char *key,
			      uint32_t function)
{
	const struct callgraph_function *f = &c->g->functions[function];

	put_file(c, file_key, f->file);
	fprintf(c->out, "%s=(%u)", key, (unsigned int)function + 1);
	if (!c->is_function_told[function]) {
		spell_name(c, f->name);
		fprintf(c->out, " " STR_FMT, STR_ARG(buf_str(&c->name)));
		if (c->nfunctions[c->pair[function]] > 1)
			fprintf(c->out, ":%lld", (long long)known(f->line));
	}
	c->is_function_told[function] = true;
	putc('\n', c->out);
}

static void pair_functions(struct callgrind *c)
{
	struct intern pairs;

	intern_init(&pairs);
	for (size_t i = 0; i < c->g->nfunctions; i++) {
		const struct callgraph_function *f = &c->g->functions[i];
		const uint32_t key[] = { f->file, f->name };
		c->pair[i] = intern_add(&pairs, str_bytes(key, sizeof(key)));
		c->nfunctions[c->pair[i]]++;
	}
	intern_release(&pairs);
}

/* What a function or a call took, as a whole number; `ns` is of the graph's unit. */
static int64_t whole(struct callgrind *c, int64_t ns)
{
	return export_amount_whole(known(ns), c->g->decimals, &c->losses->rounded);
}

/* Where the recording has calls alone (profile.Profile), their part of all calls. */
static int64_t edge_ns(const struct callgraph *g, const struct callgraph_edge *edge)
{
	const struct callgraph_sums *all = callgraph_sums_of(g, edge->callee);

	if (edge->sums.has_times)
		return known(edge->sums.total_ns);
	if (!all || all->calls.n <= 0)
		return 0;
	double part = (double)edge->sums.calls.n / (double)all->calls.n;
	double ns = (double)known(all->total_ns) * (part < 1 ? part : 1);
	return ns < (double)INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static void put_call(struct callgrind *c, const struct callgraph_edge *edge, int64_t line)
{
	int64_t callee_line = known(c->g->functions[edge->callee].line);

	put_function_name(c, "cfi", "cfn", edge->callee);
	fprintf(c->out, "calls=%lld %lld\n%lld %lld\n",
		(long long)known(edge->sums.calls.n), (long long)callee_line,
		(long long)line, (long long)whole(c, edge_ns(c->g, edge)));
}

static void put_function(struct callgrind *c, uint32_t function)
{
	const struct callgraph_sums *sums = callgraph_sums_of(c->g, function);
	int64_t line = known(c->g->functions[function].line);

	putc('\n', c->out);
	put_function_name(c, "fl", "fn", function);
	fprintf(c->out, "%lld %lld\n", (long long)line,
		(long long)(sums ? whole(c, sums->self_ns) : 0));
	for (uint32_t i = c->first[function]; i < c->first[function + 1]; i++)
		put_call(c, &c->g->edges[c->order[i]], line);
}

/* What sampled stacks weigh may be no time. */
static const char *event_of(const struct callgraph *g)
{
	if (!g->is_sampled || g->unit == UNIT_NS)
		return "ns : Nanoseconds";
	return g->unit == UNIT_BYTES ? "bytes : Bytes" : "count : Counts";
}

static void put_all(struct callgrind *c)
{
	const char *event = event_of(c->g);
	int64_t self_ns = 0, ignored = 0;

	for (size_t i = 0; i < c->g->nrows; i++) {
		int64_t ns = c->g->rows[i].sums.self_ns;
		/* the sum of what is written, as readers check it */
		self_ns = sum_add(self_ns, export_amount_whole(known(ns), c->g->decimals,
							       &ignored));
		c->losses->negative += ns != NUMBER_NONE && ns < 0;
	}
	fprintf(c->out,
		"# callgrind format\nversion: 1\ncreator: ptool %s\n"
		"positions: line\nevent: %s\nevents: %.*s\nsummary: %lld\n",
		PTOOL_VERSION, event, (int)strcspn(event, " "), event,
		(long long)self_ns);
	for (uint32_t i = 0; i < c->g->nfunctions && !ferror(c->out); i++)
		put_function(c, i);
	fprintf(c->out, "\ntotals: %lld\n", (long long)self_ns);
}

static int write_callgrind(const struct export_request *request, FILE *out,
			   struct export_losses *losses, struct err *err)
{
	struct callgraph g;

	callgraph_init(&g);
	int rc = callgraph_load_scope(request->store, request->scope, request->filter, &g,
				      err);
	if (rc == 0) {
		struct callgrind c = { .g = &g, .out = out, .losses = losses };
		c.is_file_told = xcalloc(g.texts.n + 1, sizeof(bool));
		c.is_function_told = xcalloc(g.nfunctions + 1, sizeof(bool));
		c.is_counted = xcalloc(g.texts.n + 1, sizeof(bool));
		c.pair = xcalloc(g.nfunctions + 1, sizeof(*c.pair));
		c.nfunctions = xcalloc(g.nfunctions + 1, sizeof(*c.nfunctions));
		c.first = xrealloc_array(NULL, g.nfunctions + 1, sizeof(*c.first));
		c.order = xrealloc_array(NULL, g.nedges + 1, sizeof(*c.order));
		buf_init(&c.name, SIZE_MAX);
		callgraph_callees(&g, c.first, c.order);
		pair_functions(&c);
		put_all(&c);
		free(c.is_file_told);
		free(c.is_function_told);
		free(c.is_counted);
		free(c.pair);
		free(c.nfunctions);
		free(c.first);
		free(c.order);
		buf_release(&c.name);
	}
	callgraph_release(&g);
	return rc;
}

static const char *const suffixes[] = { ".callgrind", NULL };

const struct exporter export_callgrind = {
	.name = "callgrind",
	.suffixes = suffixes,
	.write = write_callgrind,
};
