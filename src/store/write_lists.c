/* What the tables of a profile are made of: see write_rows.h. */
#include "base/buf.h"
#include "store/write_rows.h"

#define PACK_SLICES 8192 /* in a row of slice_pack: schema.sql, ptool-store(5) */

static uint32_t *none_rows(struct spill *spill, size_t n)
{
	uint32_t *rows = spill_alloc(spill, n, sizeof(*rows));

	memset(rows, 0xff, n * sizeof(*rows)); /* ROW_NONE */
	return rows;
}

static void list_threads(const struct model *m, struct write_lists *l)
{
	l->place_thread = none_rows(m->spill, m->nplaces);
	l->threads = spill_alloc(m->spill, m->nplaces, sizeof(*l->threads));
	for (uint32_t i = 0; i < m->nplaces; i++) {
		if (m->places[i].track[TRACK_THREAD] == TEXT_NONE)
			continue;
		l->place_thread[i] = (uint32_t)l->nthreads;
		l->threads[l->nthreads++] = i;
	}
}

static void list_kernel(const struct model *m, struct write_lists *l, uint32_t row,
			const struct device_fact *setup)
{
	l->kernels[l->nkernels++] = row;
	if (setup->lines == TEXT_NONE)
		return;
	l->sources = spill_grow(m->spill, l->sources, &l->sources_cap, l->nsources + 1,
				sizeof(*l->sources));
	l->sources[l->nsources++] = row;
}

/* Rows that have a row of a table of details, in the order of rows. */
static void list_details(const struct model *m, struct write_lists *l)
{
	l->kernels = spill_alloc(m->spill, m->ndevices, sizeof(*l->kernels));
	l->copies = spill_alloc(m->spill, m->ndevices, sizeof(*l->copies));
	l->waits = spill_alloc(m->spill, m->ndevices, sizeof(*l->waits));
	for (uint32_t row = 0; row < m->nrows; row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (s->detail == ROW_NONE)
			continue;
		const struct device_fact *setup =
			slice_is_of_device(s) ? slice_setup(m, s) : NULL;
		if (slice_is_of_device(s) && !setup)
			continue;
		if (s->class == CLASS_KERNEL || s->class == CLASS_ACCELERATOR)
			list_kernel(m, l, row, setup);
		else if (s->class == CLASS_MEMCPY || s->class == CLASS_MEMSET)
			l->copies[l->ncopies++] = row;
		else if (s->class == CLASS_SYNC)
			l->waits[l->nwaits++] = row;
		else if (s->class == CLASS_MEMORY)
			l->nallocations++;
	}
}

/* Collectives in file order; an end's are its begin's. */
static void list_collectives(const struct model *m, struct write_lists *l)
{
	l->collectives = spill_alloc(m->spill, m->ncollectives, sizeof(*l->collectives));
	for (uint32_t i = 0; i < m->ncollectives; i++)
		if (m->collectives[i].slice < m->nrows)
			l->collectives[l->ncollectives++] = i;
}

/* Args in the order of rows, which is that of their table. */
static void list_args(const struct model *m, struct write_lists *l)
{
	if (m->nargs == 0)
		return;
	size_t nrows = m->nrows + m->napart;
	uint32_t *of_row = none_rows(m->spill, nrows);
	for (uint32_t i = 0; i < m->nargs; i++)
		if (m->args[i].slice < nrows)
			of_row[m->args[i].slice] = i;
	l->args = of_row;
	for (size_t row = 0; row < nrows; row++)
		if (of_row[row] != ROW_NONE)
			l->args[l->nargs++] = of_row[row];
}

static uint32_t counter_name(const struct model *m, const struct counter_rec *c)
{
	struct str name = intern_str(m->texts, c->name);
	struct str series = intern_str(m->texts, c->series);
	struct buf full;

	buf_init(&full, name.n + series.n + 1);
	buf_add_str(&full, name);
	buf_add_char(&full, ' ');
	buf_add_str(&full, series);
	uint32_t text = intern_add(m->texts, buf_str(&full));
	buf_release(&full);
	return text;
}

/* One track for each (process, counter, series). */
static void list_counters(const struct model *m, struct write_lists *l)
{
	struct intern keys;

	intern_init_in(&keys, m->spill);
	l->counter_track = spill_alloc(m->spill, m->ncounters, sizeof(*l->counter_track));
	for (size_t i = 0; i < m->ncounters; i++) {
		const struct counter_rec *c = &m->counters[i];
		const uint32_t key[] = { c->process, c->name, c->series };
		size_t known = keys.n;
		uint32_t at = intern_add(&keys, str_bytes(key, sizeof(key)));
		l->counter_track[i] = at;
		if (at < known)
			continue;
		l->counter_tracks =
			spill_grow(m->spill, l->counter_tracks, &l->counter_tracks_cap,
				   at + 1U, sizeof(*l->counter_tracks));
		l->counter_tracks[at] =
			(struct counter_track){ c->process, counter_name(m, c) };
		l->ncounter_tracks = at + 1U;
	}
	intern_release(&keys);
}

static void list_packs(const struct model *m, struct write_lists *l)
{
	size_t most = m->ntracks + m->nrows / PACK_SLICES;

	l->packs = spill_alloc(m->spill, most, sizeof(*l->packs));
	for (size_t i = 0; i < m->ntracks; i++) {
		size_t first = m->tracks[i].first, end = first + m->tracks[i].n;
		for (; first < end; first += PACK_SLICES)
			l->packs[l->npacks++] =
				(struct pack_range){ (uint32_t)first,
						     (uint32_t)(end - first < PACK_SLICES
									? end - first
									: PACK_SLICES) };
	}
}

void write_lists_make(const struct model *m, struct write_lists *l)
{
	*l = (struct write_lists){ 0 };
	list_threads(m, l);
	list_details(m, l);
	list_collectives(m, l);
	while (l->nranges < m->nranges && m->ranges[l->nranges].slice < m->nrows)
		l->nranges++; /* those set apart are behind */
	list_args(m, l);
	list_counters(m, l);
	list_packs(m, l);
	agents_find(m, &l->agents);
}

void write_lists_release(const struct model *m, struct write_lists *l)
{
	spill_free(m->spill, l->place_thread);
	spill_free(m->spill, l->threads);
	spill_free(m->spill, l->kernels);
	spill_free(m->spill, l->sources);
	spill_free(m->spill, l->copies);
	spill_free(m->spill, l->waits);
	spill_free(m->spill, l->collectives);
	spill_free(m->spill, l->args);
	spill_free(m->spill, l->counter_track);
	spill_free(m->spill, l->counter_tracks);
	spill_free(m->spill, l->packs);
}
