/*
 * What python -X importtime prints (Python/import.c): a line for each module when its
 * import has ended, so that what a module imports stands above it, two blanks further in.
 *
 *	import time: self [us] | cumulative | imported package
 *	import time:        38 |         38 |     _codecs
 *	import time:       221 |        259 |   codecs
 *	import time:       423 |        973 | encodings
 */
#include "base/intern.h"
#include "base/sum.h"
#include "ingest/printed.h"
#include "ingest/spilled.h"

#define PREFIX   STR_LIT("import time:")
#define NONE     UINT32_MAX
#define US_PER_S 1e6

/* An import. */
struct import {
	uint32_t module, parent; /* parent: index, or NONE */
	int64_t depth, self_us, total_us;
	size_t at;
};

/* Imports of a module, all together or from one caller. */
struct sums {
	int64_t calls, outermost, self_us, total_us;
};

struct edge {
	uint32_t caller, next; /* next: of the same module, or NONE */
	struct sums sums;
};

/* What is owned lies in the spill. */
struct reading {
	struct printed in;
	struct spill *spill;    /* borrowed, or NULL */
	struct intern modules;  /* names; numbers are indexes */
	struct import *imports; /* owned */
	size_t nimports, imports_cap;
	uint32_t *open; /* owned: those whose parent has not come yet */
	size_t nopen, open_cap;
	struct edge *edges; /* owned */
	size_t nedges, edges_cap;
	struct intern edge_keys; /* (module, caller); numbers are indexes */
	uint32_t *functions;     /* owned: by module, the sink's number, or NONE */
};

static bool is_title(struct str line)
{
	struct str said = line_trimmed(line);

	if (!str_starts_with(said, PREFIX))
		return false;
	return str_is(line_trimmed(str_behind(said, PREFIX.n)),
		      "self [us] | cumulative | imported package");
}

static bool begins(struct str line, struct str *name)
{
	*name = STR_LIT("");
	return is_title(line);
}

static enum probe importtime_probe(struct bytes head)
{
	return printed_probe(head, begins);
}

/* The cell before the next bar, which `rest` loses with the bar. */
static bool take_cell(struct str *rest, struct str *cell)
{
	const char *bar = memchr(rest->p, '|', rest->n);

	if (!bar)
		return false;
	*cell = (struct str){ rest->p, (size_t)(bar - rest->p) };
	*rest = str_behind(*rest, cell->n + 1);
	return true;
}

/* False: the line is none; the module's name is in `name`. */
static bool parse(struct str line, struct import *import, struct str *name)
{
	struct str rest = str_behind(line, PREFIX.n), self, total;

	if (!take_cell(&rest, &self) || !take_cell(&rest, &total) ||
	    !printed_count(self, &import->self_us) ||
	    !printed_count(total, &import->total_us) || line_is_blank(rest))
		return false;
	import->depth = (int64_t)line_indent(rest) / 2;
	*name = line_trimmed(rest);
	return import->self_us >= 0 && import->total_us >= 0;
}

/* Of -X importtime=2: "import time: cached    | cached     | os", which took no time. */
static bool is_cached(struct str line)
{
	struct str rest = str_behind(line, PREFIX.n), self, total;

	return take_cell(&rest, &self) && take_cell(&rest, &total) &&
	       str_is(line_trimmed(self), "cached") &&
	       str_is(line_trimmed(total), "cached");
}

/* Those further in that have no parent yet are this one's. */
static void add_import(struct reading *r, const struct import *import)
{
	uint32_t at = (uint32_t)r->nimports;

	*SPILLED_PUSH(r->spill, r->imports, r->nimports, r->imports_cap) = *import;
	while (r->nopen && r->imports[r->open[r->nopen - 1]].depth > import->depth)
		r->imports[r->open[--r->nopen]].parent = at;
	*SPILLED_PUSH(r->spill, r->open, r->nopen, r->open_cap) = at;
}

static int read_lines(struct reading *r, struct err *err)
{
	int more;

	while ((more = printed_next(&r->in, err)) > 0) {
		struct str line = line_trimmed(r->in.lines.line), name;
		struct import import = { .parent = NONE, .at = r->in.lines.start };
		if (!str_starts_with(line, PREFIX) || is_title(line) || is_cached(line))
			continue;
		if (!r->in.lines.is_cut && parse(line, &import, &name) &&
		    r->nimports + 1 < NONE) {
			import.module = intern_add(&r->modules, name);
			spill_tick(r->spill, r->nimports);
			add_import(r, &import);
		} else if (printed_bad_row(&r->in, err) < 0) {
			return -1;
		}
	}
	return more;
}

static bool is_within_itself(const struct reading *r, const struct import *import)
{
	uint32_t up = import->parent;

	while (up != NONE && r->imports[up].module != import->module)
		up = r->imports[up].parent;
	return up != NONE;
}

static void add_sums(struct sums *to, const struct import *import, bool is_outermost)
{
	to->calls++;
	to->outermost += is_outermost;
	to->self_us = sum_add(to->self_us, import->self_us);
	if (is_outermost)
		to->total_us = sum_add(to->total_us, import->total_us);
}

static void add_edge(struct reading *r, uint32_t *first, uint32_t caller,
		     const struct import *import, bool is_outermost)
{
	const uint32_t key[] = { import->module, caller };
	uint32_t at =
		intern_add(&r->edge_keys, (struct str){ (const char *)key, sizeof(key) });

	if (at == r->nedges) {
		*SPILLED_PUSH(r->spill, r->edges, r->nedges, r->edges_cap) =
			(struct edge){ .caller = caller, .next = *first };
		*first = at;
	}
	add_sums(&r->edges[at].sums, import, is_outermost);
}

static struct call_sums call_sums_of(const struct sums *s)
{
	return (struct call_sums){ .calls.n = s->calls,
				   .primitive.n = s->outermost,
				   .has_times = true,
				   .self_s = (double)s->self_us / US_PER_S,
				   .total_s = (double)s->total_us / US_PER_S };
}

/* A module's name, which may be long, is told once. */
static uint32_t function_of(struct reading *r, uint32_t module)
{
	struct sink *sink = r->in.sink;

	if (r->functions[module] == NONE) {
		struct function_fact fact = { .file = sink->text(sink, STR_LIT("~")) };
		fact.name = printed_text(&r->in, intern_str(&r->modules, module));
		r->functions[module] = sink->function(sink, &fact);
	}
	return r->functions[module];
}

static int tell_module(struct reading *r, uint32_t module, const struct sums *sums,
		       uint32_t edge, struct err *err)
{
	struct sink *sink = r->in.sink;
	struct function_stat_fact stat = { .function = function_of(r, module),
					   .sums = call_sums_of(sums) };

	if (sink->function_stat(sink, &stat, err) < 0)
		return -1;
	for (; edge != NONE; edge = r->edges[edge].next) {
		struct call_fact call = { .callee = stat.function,
					  .sums = call_sums_of(&r->edges[edge].sums) };
		call.caller = function_of(r, r->edges[edge].caller);
		if (sink->call(sink, &call, err) < 0)
			return -1;
	}
	return 0;
}

static uint32_t *none_of_each(struct spill *spill, size_t n)
{
	uint32_t *numbers = spill_alloc(spill, n + 1, sizeof(*numbers));

	memset(numbers, 0xff, (n + 1) * sizeof(*numbers)); /* NONE */
	return numbers;
}

static int tell_modules(struct reading *r, struct err *err)
{
	struct sums *sums = spill_alloc(r->spill, r->modules.n + 1, sizeof(*sums));
	uint32_t *first = none_of_each(r->spill, r->modules.n);
	int rc = 0;

	r->functions = none_of_each(r->spill, r->modules.n);
	for (size_t i = 0; i < r->nimports; i++) {
		const struct import *import = &r->imports[i];
		bool is_outermost = !is_within_itself(r, import);
		spill_tick(r->spill, i);
		add_sums(&sums[import->module], import, is_outermost);
		if (import->parent != NONE)
			add_edge(r, &first[import->module],
				 r->imports[import->parent].module, import, is_outermost);
	}
	for (uint32_t m = 0; m < r->modules.n && rc == 0; m++) {
		spill_tick(r->spill, m);
		rc = tell_module(r, m, &sums[m], first[m], err);
	}
	spill_free(r->spill, sums);
	spill_free(r->spill, first);
	return rc;
}

static int importtime_read(struct input *in, const struct read_options *options,
			   struct sink *sink, struct err *err)
{
	const struct profile_fact profile = printed_profile("importtime");
	struct reading r = { .spill = options->spill };

	intern_init_in(&r.modules, r.spill);
	intern_init_in(&r.edge_keys, r.spill);
	int rc = printed_open(&r.in, in, options, sink, err);
	if (rc == 0)
		rc = read_lines(&r, err);
	if (rc == 0 && r.nimports == 0)
		rc = err_at(err, 0,
			    "the report of -X importtime has no modules: it was cut off");
	if (rc == 0)
		rc = tell_modules(&r, err);
	if (rc == 0)
		rc = printed_end(&r.in, &profile, err);
	printed_close(&r.in);
	intern_release(&r.modules);
	intern_release(&r.edge_keys);
	spill_free(r.spill, r.imports);
	spill_free(r.spill, r.open);
	spill_free(r.spill, r.edges);
	spill_free(r.spill, r.functions);
	return rc;
}

const struct reader importtime_reader = {
	.name = "importtime",
	.help = "what python -X importtime prints",
	.probe = importtime_probe,
	.read = importtime_read,
	.begins = begins,
};
