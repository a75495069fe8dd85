/* Kernels of compiled code: see compile_kernels.h. */
#include "query/compile/compile_kernels.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_kernel_sources_sql);

void compile_kernels_init(struct kernel_gathering *g, struct compile *out,
			  const struct compile_read *read, struct slices *slices)
{
	*g = (struct kernel_gathering){ .out = out, .read = read, .slices = slices };
	intern_init(&g->keys);
}

void compile_kernels_release(struct kernel_gathering *g)
{
	intern_release(&g->keys);
	free(g->texts);
	free(g->ops);
	free(g->lines);
}

static uint32_t text_of(struct kernel_gathering *g, const struct text_pool *texts,
			uint32_t number)
{
	if (number == TEXT_NONE)
		return COMPILE_NONE;
	uint32_t *known = ARRAY_AT(g->texts, g->texts_cap, number);
	if (!*known)
		*known = intern_add(&g->out->texts, text_pool_str(texts, number)) + 1;
	return *known - 1;
}

/* The same of an operator; ranges of torch.compile itself are none. */
static uint32_t op_of(struct kernel_gathering *g, const struct text_pool *texts,
		      uint32_t number)
{
	struct str unused;

	if (number == TEXT_NONE)
		return COMPILE_NONE;
	uint32_t *known = ARRAY_AT(g->ops, g->ops_cap, number);
	if (*known == 0)
		*known = compile_word_of(text_pool_str(texts, number), &unused) ==
					 COMPILE_WORD_NONE
				 ? text_of(g, texts, number) + 1
				 : COMPILE_NONE;
	return *known == COMPILE_NONE ? COMPILE_NONE : *known - 1;
}

static void add(struct kernel_gathering *g, const struct compile_kernel *kernel,
		int64_t dur_ns)
{
	const uint32_t key[6] = { kernel->name,   kernel->maker, kernel->op,
				  kernel->region, kernel->lines, kernel->is_host };
	uint32_t at = intern_add(&g->keys, str_bytes(key, sizeof(key)));
	struct compile *c = g->out;

	if (at == c->nkernels)
		*ARRAY_PUSH(c->kernels, c->nkernels, c->kernels_cap) = *kernel;
	c->kernels[at].calls++;
	c->kernels[at].total_ns = sum_add(c->kernels[at].total_ns, dur_ns);
}

static uint32_t region_of(const struct kernel_gathering *g, uint32_t call)
{
	return call == COMPILE_NONE ? COMPILE_NONE : g->read->calls[call].region;
}

/* The one on the track at that time, or NULL. */
static const struct compile_unit *unit_at(const struct kernel_gathering *g,
					  const struct slices_track *track, int64_t ts_ns)
{
	const struct compile_track *t = compile_track_of(g->read, track);
	const struct compile_unit *units = g->read->units;
	size_t low;

	if (!t)
		return NULL;
	SEARCH(low, t->first_unit, t->first_unit + t->nunits,
	       units[low].start_ns <= ts_ns);
	return low > t->first_unit && ts_ns < units[low - 1].end_ns ? &units[low - 1]
								    : NULL;
}

/* The text of the pool, or TEXT_NONE. */
static uint32_t lines_of(const struct kernel_gathering *g, int64_t slice_id)
{
	size_t at;

	SEARCH(at, 0, g->nlines, g->lines[at].slice_id < slice_id);
	return at < g->nlines && g->lines[at].slice_id == slice_id ? g->lines[at].text
								   : TEXT_NONE;
}

/*
 * Does the filter want it, launched on the track (NULL: where is not known)?  What ran in no
 * region is asked for by its launch, like the calls of regions.
 */
static int is_wanted(const struct kernel_gathering *g, const struct work_item *item,
		     const struct slices_track *track, const struct compile_unit *unit,
		     uint32_t call, struct err *err)
{
	int64_t start_ns = item->start_ns, end_ns = item->end_ns;

	if (unit)
		return unit->is_wanted;
	if (call != COMPILE_NONE)
		return g->read->calls[call].is_wanted;
	if (track) {
		start_ns = item->launch_start_ns;
		end_ns = item->launch_end_ns;
	} else {
		track = slices_track_of(g->slices, item->slice_id);
	}
	const struct slice_row row = { .ts_ns = start_ns,
				       .dur_ns = sum_sub(end_ns, start_ns),
				       .step_id = item->step_id };
	return track && track->is_wanted ? slices_is_wanted(g->slices, &row, err) : 0;
}

static int add_work(struct kernel_gathering *g, const struct text_pool *texts,
		    const struct work_item *item, struct err *err)
{
	const struct slices_track *track =
		item->launch_id ? slices_track_of(g->slices, item->launch_id) : NULL;
	const struct compile_unit *unit =
		track ? unit_at(g, track, item->launch_start_ns) : NULL;
	uint32_t call = track ? compile_call_at(g->read, track, item->launch_start_ns)
			      : COMPILE_NONE;
	struct compile_kernel kernel = {
		.name = text_of(g, texts, item->name),
		.op = op_of(g, texts, item->op_name),
		.lines = text_of(g, texts, lines_of(g, item->slice_id)),
		.region = region_of(g, call),
	};

	if (kernel.name == COMPILE_NONE || item->class != CLASS_KERNEL)
		return 0;
	kernel.maker = unit ? unit->name : kernel.name;
	if (!unit && call == COMPILE_NONE && kernel.lines == COMPILE_NONE &&
	    !str_starts_with(intern_str(&g->out->texts, kernel.name), STR_LIT("triton_")))
		return 0;
	int wanted = is_wanted(g, item, track, unit, call, err);
	if (wanted > 0)
		add(g, &kernel, sum_sub(item->end_ns, item->start_ns));
	return wanted < 0 ? -1 : 0;
}

/* On the CPU, where a kernel is a function of the host. */
static void add_units(struct kernel_gathering *g, const struct compile_track *t)
{
	for (size_t i = 0; i < t->nunits; i++) {
		const struct compile_unit *unit = &g->read->units[t->first_unit + i];
		struct str name, handle;
		if (!unit->is_wanted)
			continue;
		compile_source_split(intern_str(&g->out->texts, unit->name), &name,
				     &handle);
		const struct compile_kernel kernel = {
			.name = intern_add(&g->out->texts, name),
			.maker = unit->name,
			.op = COMPILE_NONE,
			.lines = COMPILE_NONE,
			.region = region_of(g, unit->call),
			.is_host = true,
		};
		add(g, &kernel, sum_sub(unit->end_ns, unit->start_ns));
	}
}

static int load_lines(struct kernel_gathering *g, struct store *store,
		      struct text_pool *texts, const struct scope_profile *profile,
		      struct err *err)
{
	g->nlines = 0;
	if (profile->slices == 0)
		return 0;
	struct query q = query_of_profile(store, asset_query_views_kernel_sources_sql,
					  profile, err);
	while (query_next(&q, err)) {
		struct kernel_lines *l = ARRAY_PUSH(g->lines, g->nlines, g->lines_cap);
		l->slice_id = sqlite3_column_int64(q.stmt, 0);
		if (text_pool_number(texts, sqlite3_column_int64(q.stmt, 1), &l->text,
				     err) < 0)
			break;
	}
	return query_end(&q);
}

int compile_kernels_add(struct kernel_gathering *g, struct store *store,
			struct text_pool *texts, const struct scope_profile *profile,
			const struct device_work *work, struct err *err)
{
	if (load_lines(g, store, texts, profile, err) < 0)
		return -1;
	for (size_t i = 0; i < work->n; i++)
		if (add_work(g, texts, &work->items[i], err) < 0)
			return -1;
	if (work->n)
		return 0;
	for (const struct compile_track *t = compile_first_track(g->read, profile); t;
	     t = compile_next_track(g->read, t))
		add_units(g, t);
	return 0;
}
