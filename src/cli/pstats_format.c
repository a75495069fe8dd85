/* pstats' own form: see pstats_format.h. */
#include "cli/pstats_format.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "report/pstats_text.h"

#define NAMES_MAX ((size_t)1 << 30)

/*
 * Characters of a name that its column is wide for.  Python pads all rows to the longest
 * one, whatever its length: rows times that many bytes.
 */
#define NAME_WIDEST 512

struct drawing {
	const struct pstats_listing *listing;
	FILE *out;
	bool is_shown;             /* on a terminal */
	struct buf name, raw;      /* of a listed function */
	struct buf names;          /* of the other ends of its calls */
	struct pstats_call *calls; /* owned */
	size_t calls_cap;
};

/*
 * Names may not speak to the terminal, nor to the one that a pager behind a pipe shows
 * them on; there they are otherwise what Python writes.
 */
static void add_text(const struct drawing *d, struct str text, struct buf *to)
{
	if (d->is_shown)
		utf8_add_visible(to, text);
	else
		utf8_add_inert(to, text);
}

static void add_name(struct drawing *d, uint32_t function, struct buf *to)
{
	buf_clear(&d->raw);
	callgraph_add_name(d->listing->graph, function, &d->raw);
	add_text(d, buf_str(&d->raw), to);
}

static struct str name_of(struct drawing *d, uint32_t function)
{
	buf_clear(&d->name);
	add_name(d, function, &d->name);
	return buf_str(&d->name);
}

static struct pstats_times times_of(const struct callgraph_sums *sums)
{
	return (struct pstats_times){ sums->calls, sums->primitive, sums->self_s,
				      sums->total_s };
}

/* A copy of the text in the arena as the listing shows it. */
static struct str shown(struct drawing *d, struct str text, struct arena *arena)
{
	buf_clear(&d->name);
	add_text(d, text, &d->name);
	return arena_copy(arena, buf_str(&d->name));
}

static void draw_head(struct drawing *d)
{
	const struct pstats_listing *l = d->listing;
	const struct callgraph *g = l->graph;
	struct arena arena = { 0 };
	struct str *top = arena_alloc(&arena, (g->nrows + 1) * sizeof(*top));
	struct str *files = arena_alloc(&arena, (l->nfiles + 1) * sizeof(*files));
	struct pstats_head head = { .files = files,
				    .nfiles = l->nfiles,
				    .top_level = top,
				    .calls = g->calls,
				    .primitive = g->primitive,
				    .self_s = g->self_s };

	for (size_t i = 0; i < l->nfiles; i++)
		files[i] = shown(d, str_of(l->files[i]), &arena);
	for (size_t i = 0; i < g->nrows; i++)
		if (g->rows[i].is_top_level) {
			uint32_t name = g->functions[g->rows[i].function].name;
			top[head.ntop_level++] =
				shown(d, callgraph_text(g, name), &arena);
		}
	pstats_text_head(&head, d->out);
	arena_release(&arena);
}

static void draw_rows(struct drawing *d)
{
	const struct callgraph_list *list = d->listing->list;

	pstats_text_title(d->out);
	for (size_t i = 0; i < list->n && !ferror(d->out); i++) {
		const struct callgraph_row *row = &d->listing->graph->rows[list->rows[i]];
		struct pstats_times times = times_of(&row->sums);
		pstats_text_row(name_of(d, row->function), &times, d->out);
	}
}

/* Two more than the longest name that counts. */
static size_t column_width(struct drawing *d)
{
	const struct callgraph_list *list = d->listing->list;
	size_t width = 0;

	for (size_t i = 0; i < list->n; i++) {
		uint32_t function = d->listing->graph->rows[list->rows[i]].function;
		size_t n = pstats_text_width(name_of(d, function));
		width = n > width ? n : width;
	}
	return (width < NAME_WIDEST ? width : NAME_WIDEST) + 2;
}

/* What the first function with callers has tells pstats what all have. */
static bool has_times(const struct callgraph *g)
{
	for (size_t i = 0; i < g->nrows; i++) {
		uint32_t first = g->functions[g->rows[i].function].first;
		if (first != CALLGRAPH_NONE)
			return g->edges[first].sums.has_times;
	}
	return false;
}

/* Calls without times: the total of the function at the other end stands for them. */
static struct pstats_call call_of(const struct callgraph *g,
				  const struct callgraph_edge *edge, uint32_t end)
{
	struct pstats_call call = { .times = times_of(&edge->sums),
				    .has_no_times = !edge->sums.has_times };
	uint32_t row = g->functions[end].row;

	if (call.has_no_times && row != CALLGRAPH_NONE)
		call.times.total_s = g->rows[row].sums.total_s;
	call.has_no_total = row == CALLGRAPH_NONE;
	return call;
}

/* The calls of the function asked for, their names behind each other in d->names. */
static void make_calls(struct drawing *d, const struct callgraph_ends *ends)
{
	const struct callgraph *g = d->listing->graph;
	bool of_callees = d->listing->which == CALLS_CALLEES;

	buf_clear(&d->names);
	d->calls = xgrow(d->calls, &d->calls_cap, ends->n, sizeof(*d->calls));
	for (size_t i = 0; i < ends->n; i++) {
		const struct callgraph_edge *edge = &g->edges[ends->edges[i]];
		uint32_t end = of_callees ? edge->callee : edge->caller;
		size_t before = d->names.n;
		add_name(d, end, &d->names);
		d->calls[i] = call_of(g, edge, end);
		d->calls[i].name.n = d->names.n - before;
	}
	if (d->names.n == 0)
		return;              /* no function at an end has a name: each is "" */
	const char *at = d->names.p; /* it may have moved until now */
	for (size_t i = 0; i < ends->n; i++) {
		d->calls[i].name.p = at;
		at += d->calls[i].name.n;
	}
}

static void draw_calls(struct drawing *d)
{
	const struct pstats_listing *l = d->listing;
	bool of_callees = l->which == CALLS_CALLEES;
	size_t width = column_width(d);
	struct callgraph_ends ends;

	pstats_text_call_title(width, of_callees ? "called..." : "was called by...",
			       has_times(l->graph), d->out);
	callgraph_ends_init(&ends, l->graph, l->which);
	for (size_t i = 0; i < l->list->n && !ferror(d->out); i++) {
		uint32_t function = l->graph->rows[l->list->rows[i]].function;
		callgraph_ends_of(&ends, l->graph, function);
		make_calls(d, &ends);
		pstats_text_calls(name_of(d, function), width, of_callees ? "->" : "<-",
				  d->calls, ends.n, d->out);
	}
	callgraph_ends_release(&ends);
}

static void draw(struct drawing *d)
{
	const struct pstats_listing *l = d->listing;

	if (l->which == CALLS_NONE)
		draw_head(d);
	if (l->list->n == 0)
		return;
	fwrite(l->message.p, 1, l->message.n, d->out);
	putc('\n', d->out);
	if (l->which == CALLS_NONE)
		draw_rows(d);
	else
		draw_calls(d);
	fputs("\n\n", d->out);
}

int pstats_format_write(const char *command, const struct pstats_listing *listing,
			const struct output_opts *output, struct err *err)
{
	struct drawing d = { .listing = listing };
	struct output out;

	if (output_open(&out, command, output, err) < 0)
		return -1;
	d.out = out.stream;
	d.is_shown = out.render.is_shown;
	buf_init(&d.name, NAMES_MAX);
	buf_init(&d.raw, NAMES_MAX);
	buf_init(&d.names, NAMES_MAX);
	errno = 0;
	draw(&d);
	if (fflush(out.stream) != 0)
		out.write_errno = errno;
	free(d.calls);
	buf_release(&d.name);
	buf_release(&d.raw);
	buf_release(&d.names);
	return output_close(&out, true, err);
}
