/* ptool compile as tables: frames or regions, or steps, and what to do about them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/compile/compile.h"
#include "query/query.h"

/* A frame, or one version of it; of a frame the sums of all versions. */
struct compile_row {
	struct compile_region sum;
	int64_t recompiles; /* versions after the first */
};

struct compile_rows {
	const struct compile *c;
	struct compile_row *items; /* owned */
	size_t n, cap;
};

enum { ASKED_FRAME = 1, ASKED_REGION = 2 };

static void add(int64_t *to, int64_t n)
{
	*to = sum_add(*to, n);
}

static void add_region(struct compile_region *to, const struct compile_region *from)
{
	if (to->source == COMPILE_NONE)
		to->source = from->source;
	add(&to->calls, from->calls);
	add(&to->outermost, from->outermost);
	add(&to->breaks, from->breaks);
	add(&to->total_ns, from->total_ns);
	add(&to->self_ns, from->self_ns);
	add(&to->lookup_ns, from->lookup_ns);
	add(&to->device_ns, from->device_ns);
	add(&to->graph_launches, from->graph_launches);
	add(&to->compilations, from->compilations);
	add(&to->recompilations, from->recompilations);
	add(&to->again, from->again);
	add(&to->compile_ns, from->compile_ns);
	add(&to->compile_step_ns, from->compile_step_ns);
	add(&to->idle_ns, from->idle_ns);
}

static void list_rows(struct compile_rows *r, bool by_frame)
{
	struct intern keys;

	intern_init(&keys);
	for (size_t i = 0; i < r->c->n; i++) {
		const struct compile_region *region = &r->c->regions[i];
		const uint32_t key[2] = { by_frame ? region->frame : (uint32_t)i,
					  region->pass };
		uint32_t at = intern_add(&keys, str_bytes(key, sizeof(key)));
		if (at < r->n)
			add_region(&r->items[at].sum, region);
		else
			*ARRAY_PUSH(r->items, r->n, r->cap) =
				(struct compile_row){ .sum = *region };
		r->items[at].recompiles +=
			region->version != NUMBER_NONE && region->version > 0;
	}
	intern_release(&keys);
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	const struct compile_rows *r = from;
	uint32_t text;

	memcpy(&text, (const char *)row + offset, sizeof(text));
	if (text == COMPILE_NONE || intern_str(&r->c->texts, text).n == 0)
		return cell_null();
	return cell_text(intern_str(&r->c->texts, text));
}

static struct cell get_pass(const void *from, const void *row, int arg)
{
	const struct compile_row *item = row;

	(void)from, (void)arg;
	return cell_text(item->sum.pass == COMPILE_BACKWARD ? STR_LIT("backward")
							    : STR_LIT("forward"));
}

static struct cell get_device(const void *from, const void *row, int offset)
{
	const struct compile_rows *r = from;

	return r->c->has_device ? view_int64(from, row, offset) : cell_null();
}

static struct cell get_lookup(const void *from, const void *row, int offset)
{
	const struct compile_rows *r = from;

	return r->c->has_lookups ? view_int64(from, row, offset) : cell_null();
}

/* What runs within others alone has no breaks of its own. */
static struct cell get_breaks(const void *from, const void *row, int arg)
{
	const struct compile_row *item = row;

	(void)from, (void)arg;
	return item->sum.outermost ? cell_int(item->sum.breaks) : cell_null();
}

static struct cell get_breaks_per_call(const void *from, const void *row, int arg)
{
	const struct compile_row *item = row;

	(void)from, (void)arg;
	return item->sum.outermost && item->sum.pass != COMPILE_BACKWARD
		       ? cell_real((double)item->sum.breaks / (double)item->sum.outermost)
		       : cell_null();
}

static struct cell get_recompiles(const void *from, const void *row, int arg)
{
	const struct compile_row *item = row;

	(void)from, (void)arg;
	return item->sum.version == NUMBER_NONE || item->sum.pass == COMPILE_BACKWARD
		       ? cell_null()
		       : cell_int(item->recompiles);
}

#define ROW(how, member) .get = (how), .arg = offsetof(struct compile_row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "frame", "Frame", "number of the Python frame, as torch counts those it compiles", NULL, UNIT_TEXT, ROW(get_text, sum.frame), .flags = FIELD_KEY },
	{ "region", "Region", "frame/number: how often the frame had been compiled before, with --by region", NULL, UNIT_TEXT, ROW(get_text, sum.id), .needs = ASKED_REGION, .flags = FIELD_KEY },
	{ "pass", "Pass", "forward or backward", NULL, UNIT_TEXT, .get = get_pass, .flags = FIELD_KEY },
	{ "function", "Function", "Python function, where stacks were recorded", NULL, UNIT_TEXT, ROW(get_text, sum.source), .leaves = 1, .least = 12 },
	{ "calls", "Calls", "number of calls", "count", UNIT_COUNT, ROW(view_int64, sum.calls) },
	{ "outermost_calls", NULL, "calls that are in no other region", NULL, UNIT_COUNT, ROW(view_int64, sum.outermost) },
	{ "total_ns", "Total", "host time of all calls", "time", UNIT_NS, ROW(view_int64, sum.total_ns) },
	{ "self_ns", "Self", "host time without the regions in it and what was compiled in it", NULL, UNIT_NS, ROW(view_int64, sum.self_ns), .leaves = 3 },
	{ "device_ns", "Device", "device work that it launched, and no region in it", NULL, UNIT_NS, ROW(get_device, sum.device_ns) },
	{ "lookup_ns", "Lookups", "time that torch looked for its compiled code (guards)", "guards", UNIT_NS, ROW(get_lookup, sum.lookup_ns), .leaves = 5 },
	{ "graph_launches", "Replays", "launches of device graphs in it", "replays", UNIT_COUNT, ROW(get_device, sum.graph_launches), .leaves = 4 },
	{ "graph_breaks", NULL, "graphs that ran in its outermost calls, less one a call", "breaks", UNIT_COUNT, .get = get_breaks },
	{ "breaks_per_call", "Breaks/call", "the same of a call; null of a backward pass", NULL, UNIT_RATIO, .get = get_breaks_per_call },
	{ "recompiles", "Recompiles", "how many versions of the frame after the first are in the recording; null of a backward pass", NULL, UNIT_COUNT, .get = get_recompiles },
	{ "compilations", "Compiled", "how often it was compiled in the recording", NULL, UNIT_COUNT, ROW(view_int64, sum.compilations), .leaves = 2 },
	{ "compile_ns", "Compiling", "time of that", NULL, UNIT_NS, ROW(view_int64, sum.compile_ns) },
	{ "compile_in_steps_ns", NULL, "the part of it that began in steps", NULL, UNIT_NS, ROW(view_int64, sum.compile_step_ns) },
	{ "device_idle_ns", "Idle", "compile time during which no device worked", "idle", UNIT_NS, ROW(get_device, sum.idle_ns) },
	{ .name = NULL },
};

#define PEOPLE(name)                                                                \
	name " pass? function calls! total_ns self_ns device_ns lookup_ns "         \
	     "graph_launches breaks_per_call recompiles compilations compile_ns "    \
	     "device_idle_ns"
/* clang-format on */

const struct view compile_view = {
	.name = "compile",
	.fields = fields,
	.people = VIEW_PART(PEOPLE("frame")),
	.sort = "total_ns",
};

static const struct view_part region_part[] = { { .fields = PEOPLE("region") },
						{ .fields = NULL } };

static struct cell get_step_idle(const void *from, const void *row, int offset)
{
	return ((const struct compile *)from)->has_device ? view_int64(from, row, offset)
							  : cell_null();
}

#define STEP(how, member) .get = (how), .arg = offsetof(struct compile_step, member)

/* clang-format off */
static const struct field step_fields[] = {
	{ "step", "Step", "number of the step", NULL, UNIT_ID, STEP(view_int64, number), .flags = FIELD_KEY },
	{ "calls", "Regions", "calls of regions", "count", UNIT_COUNT, STEP(view_int64, calls) },
	{ "outermost_calls", "Outermost", "calls that are in no other region", NULL, UNIT_COUNT, STEP(view_int64, outermost) },
	{ "graph_breaks", "Graph breaks", "graphs that ran in the outermost calls, less one a call", "breaks", UNIT_COUNT, STEP(view_int64, breaks) },
	{ "compilations", "Compiled", "compilations in it", NULL, UNIT_COUNT, STEP(view_int64, compilations) },
	{ "recompilations", "Again", "recompiles as torch counts them: forward passes of a frame that was compiled before", NULL, UNIT_COUNT, STEP(view_int64, recompilations) },
	{ "compile_ns", "Compiling", "time that compiling took", NULL, UNIT_NS, STEP(view_int64, compile_ns) },
	{ "device_idle_ns", "Idle", "the part of it in which no device worked", "idle", UNIT_NS, STEP(get_step_idle, idle_ns) },
	{ .name = NULL },
};
/* clang-format on */

const struct view compile_steps_view = {
	.name = "compile --by step",
	.fields = step_fields,
	.people = VIEW_PART("step calls! outermost_calls graph_breaks! compilations "
			    "recompilations compile_ns device_idle_ns"),
};

/* "frame 4 (model.py(29): forward)" */
static const char *frame_words(struct memtable *m, const struct compile *c,
			       const struct compile_region *region)
{
	struct str frame = intern_str(&c->texts, region->frame);

	if (region->version == NUMBER_NONE)
		return arena_printf(&m->arena, STR_FMT, STR_ARG(frame));
	if (region->source == COMPILE_NONE)
		return arena_printf(&m->arena, "frame " STR_FMT, STR_ARG(frame));
	struct str source = intern_str(&c->texts, region->source);
	return arena_printf(&m->arena, "frame " STR_FMT ", " STR_FMT, STR_ARG(frame),
			    STR_ARG(source));
}

static void note_compiling(struct memtable *m, const struct compile *c)
{
	char in_steps[UNITS_TEXT_MAX], idle[UNITS_TEXT_MAX];
	int64_t ns = 0, idle_ns = 0, n = 0;

	for (size_t i = 0; i < c->nsteps; i++) {
		n += c->steps[i].compilations;
		add(&ns, c->steps[i].compile_ns);
		add(&idle_ns, c->steps[i].idle_ns);
	}
	for (size_t i = 0; i < c->n && c->nsteps == 0; i++) {
		n += c->regions[i].compilations;
		add(&ns, c->regions[i].compile_ns);
		add(&idle_ns, c->regions[i].idle_ns);
	}
	if (n == 0)
		return;
	const char *told = arena_printf(
		&m->arena, "torch compiled %" PRId64 " %s%s, for " STR_FMT, n,
		n == 1 ? "time" : "times", c->nsteps ? " within steps" : "",
		STR_ARG(units_text(UNIT_NS, cell_int(ns), in_steps)));
	if (c->has_device)
		memtable_add_note(m, "%s; no device worked for " STR_FMT " of it", told,
				  STR_ARG(units_text(UNIT_NS, cell_int(idle_ns), idle)));
	else
		memtable_add_note(m, "%s", told);
}

/* "in steps 1 to 2": those in which torch compiled again all n times; or nothing. */
static const char *recompiled_in(struct memtable *m, const struct compile *c, int64_t n)
{
	int64_t first = NUMBER_NONE, last = 0;

	for (size_t i = 0; i < c->nsteps; i++) {
		if (!c->steps[i].recompilations)
			continue;
		if (first == NUMBER_NONE)
			first = c->steps[i].number;
		last = c->steps[i].number;
		n -= c->steps[i].recompilations;
	}
	if (first == NUMBER_NONE || n)
		return "";
	return first == last
		       ? arena_printf(&m->arena, " in step %" PRId64, first)
		       : arena_printf(&m->arena, " in steps %" PRId64 " to %" PRId64,
				      first, last);
}

/* Of the frame that was compiled again most often. */
static void note_recompiles(struct memtable *m, const struct compile_rows *r)
{
	const struct compile_row *most = NULL;
	int64_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct compile_row *row = &r->items[i];
		n += row->sum.recompilations;
		if (row->sum.recompilations &&
		    (!most || row->sum.recompilations > most->sum.recompilations))
			most = row;
	}
	if (most)
		memtable_add_note(
			m,
			"torch compiled again %" PRId64 " %s%s, most often %s: "
			"TORCH_LOGS=recompiles says why; where a size changes, use "
			"mark_dynamic() or dynamic=True",
			n, n == 1 ? "time" : "times", recompiled_in(m, r->c, n),
			frame_words(m, r->c, &most->sum));
}

/*
 * Of a frame that torch compiled again in vain: it runs without torch.compile now.  A
 * filter may have left out the calls.
 */
static void note_given_up(struct memtable *m, const struct compile *c)
{
	for (size_t i = 0; i < c->n && !c->is_filtered; i++) {
		const struct compile_region *region = &c->regions[i];
		if (region->pass != COMPILE_FORWARD || region->version == NUMBER_NONE ||
		    region->version == 0 || !region->compilations || region->calls)
			continue;
		memtable_add_note(m,
				  "%s was compiled again (" STR_FMT ") and that never "
				  "ran: torch gives up at recompile_limit, and runs it "
				  "without compiling, or nothing was left to compute; "
				  "TORCH_LOGS=recompiles says why",
				  frame_words(m, c, region),
				  STR_ARG(intern_str(&c->texts, region->id)));
		return;
	}
}

static void note_breaks(struct memtable *m, const struct compile_rows *r)
{
	const struct compile_row *most = NULL;

	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].sum.breaks &&
		    (!most || r->items[i].sum.breaks > most->sum.breaks))
			most = &r->items[i];
	if (most)
		memtable_add_note(m,
				  "%s runs in several graphs: TORCH_LOGS=graph_breaks "
				  "says where it breaks and why",
				  frame_words(m, r->c, &most->sum));
}

static struct memtable *make_steps(const struct compile *c, const struct scope *scope,
				   const struct compile_query *query)
{
	const struct view_rows rows = { c, c->steps, c->nsteps, sizeof(*c->steps) };

	return view_table(&compile_steps_view, &rows, scope, &query->show);
}

static struct memtable *make_regions(const struct compile_rows *r,
				     const struct scope *scope,
				     const struct compile_query *query)
{
	const struct view_rows rows = { r, r->items, r->n, sizeof(*r->items) };
	struct view_request show = query->show;

	show.asked = query->by == COMPILE_BY_REGION ? ASKED_REGION : ASKED_FRAME;
	if (query->by == COMPILE_BY_REGION)
		show.people = region_part;
	return view_table(&compile_view, &rows, scope, &show);
}

int compile_open(struct store *store, const struct scope *scope,
		 const struct compile_query *query, struct table **out, struct err *err)
{
	struct compile c;
	struct compile_rows frames = { .c = &c }, regions = { .c = &c };
	int rc = compile_load(store, scope, query, &c, err);

	if (rc == 0 && query->by == COMPILE_BY_STEP && c.nsteps == 0)
		rc = err_set(err, ERR_EMPTY, "no compiled region ran in a step");
	if (rc == 0 && query->by == COMPILE_BY_KERNEL) {
		*out = &compile_kernels_table(&c, scope, query)->table;
	} else if (rc == 0) {
		list_rows(&frames, true);
		list_rows(&regions, false);
		struct memtable *m =
			query->by == COMPILE_BY_STEP
				? make_steps(&c, scope, query)
				: make_regions(query->by == COMPILE_BY_REGION ? &regions
									      : &frames,
					       scope, query);
		note_compiling(m, &c);
		note_recompiles(m, &frames);
		note_given_up(m, &c);
		note_breaks(m, &frames);
		if (scope->n > 1)
			memtable_add_note(m, "%zu profiles added up", scope->n);
		*out = &m->table;
	}
	free(frames.items);
	free(regions.items);
	compile_release(&c);
	return rc;
}
