/*
 * A profile in memory, made record by record, for the tests of the passes over
 * it (store/model.h).  Times are ns; a function that adds a slice gives its
 * index in the file, row_of() the row that it became.
 */
#ifndef PTOOL_TESTS_MODELING_H
#define PTOOL_TESTS_MODELING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "store/link.h"
#include "store/model.h"
#include "store/nest.h"
#include "store/order.h"

struct world {
	struct intern texts;
	struct model m;
};

static inline void world_init(struct world *w)
{
	intern_init(&w->texts);
	model_init(&w->m, &w->texts, NULL);
	w->m.profile = (struct profile_fact){ .format = "pytorch",
					      .dialect = "D",
					      PROFILE_FACT_NONE };
}

static inline void world_release(struct world *w)
{
	model_release(&w->m);
	intern_release(&w->texts);
}

static inline uint32_t text_in(struct world *w, const char *text)
{
	return intern_add(&w->texts, str_of(text));
}

static inline uint32_t track_in(struct world *w, enum track_kind kind, int64_t pid,
				int64_t tid)
{
	const struct track_fact fact = { .kind = kind,
					 .pid = { pid, TEXT_NONE },
					 .tid = { tid, TEXT_NONE },
					 .scope = TEXT_NONE };

	return model_track(&w->m, &fact);
}

static inline uint32_t thread_in(struct world *w, int64_t tid)
{
	return track_in(w, TRACK_THREAD, 100, tid);
}

static inline uint32_t stream_in(struct world *w, int64_t stream)
{
	return track_in(w, TRACK_STREAM, 0, stream);
}

static inline uint32_t async_in(struct world *w, const char *scope)
{
	const struct track_fact fact = { .kind = TRACK_ASYNC,
					 .pid = { 100, TEXT_NONE },
					 .tid = { 1, TEXT_NONE },
					 .scope = text_in(w, scope) };

	return model_track(&w->m, &fact);
}

static inline uint32_t add_record(struct world *w, struct slice_rec s)
{
	struct model *m = &w->m;
	m->slices = xgrow(m->slices, &m->slices_cap, m->nslices + 1, sizeof(*m->slices));
	s.offset = m->nslices & OFFSET_MAX;
	m->slices[m->nslices] = s;
	if (s.phase != PHASE_COMPLETE && s.phase != PHASE_INSTANT)
		m->tracks[s.track].has_pairs = true;
	if (dur_is_possible(s.dur_ns))
		model_note_time(m, s.ts_ns, s.ts_ns + s.dur_ns);
	else
		m->has_odd_dur = true;
	return (uint32_t)m->nslices++;
}

static inline struct slice_rec record(struct world *w, uint32_t track, const char *name,
				      int64_t ts_ns, int64_t dur_ns)
{
	return (struct slice_rec){ .ts_ns = ts_ns,
				   .dur_ns = dur_ns,
				   .class = CLASS_OTHER,
				   .phase = PHASE_COMPLETE,
				   .track = track,
				   .name = text_in(w, name),
				   .key = WIDE_NONE,
				   .detail = ROW_NONE };
}

static inline uint32_t add(struct world *w, uint32_t track, const char *name,
			   int64_t ts_ns, int64_t dur_ns, enum slice_class class)
{
	struct slice_rec s = record(w, track, name, ts_ns, dur_ns);

	s.class = class & 15;
	if (slice_is_of_device(&s))
		s.detail = model_device(&w->m, NULL, NUMBER_NONE);
	return add_record(w, s);
}

static inline uint32_t add_phase(struct world *w, uint32_t track, const char *name,
				 int64_t ts_ns, enum slice_phase phase)
{
	struct slice_rec s = record(w, track, name, ts_ns, 0);

	s.phase = phase & 7;
	return add_record(w, s);
}

/* An operator whose External id is this. */
static inline uint32_t add_op(struct world *w, uint32_t track, const char *name,
			      int64_t ts_ns, int64_t dur_ns, int64_t external_id)
{
	struct slice_rec s = record(w, track, name, ts_ns, dur_ns);

	s.class = CLASS_OP;
	s.key = wide_add(&w->m.numbers, external_id);
	return add_record(w, s);
}

static inline uint32_t add_launch(struct world *w, uint32_t track, int64_t ts_ns,
				  int64_t dur_ns, int64_t correlation,
				  int64_t external_id)
{
	struct slice_rec s = record(w, track, "cudaLaunchKernel", ts_ns, dur_ns);

	s.class = CLASS_RUNTIME;
	s.key = wide_add(&w->m.numbers, correlation);
	s.detail = model_launch(&w->m, external_id, NULL);
	return add_record(w, s);
}

/* Device work with nothing but its place in graphs, 0 or NUMBER_NONE for none. */
static inline uint32_t add_work(struct world *w, struct slice_rec s, int64_t external_id,
				int64_t graph_id)
{
	const struct device_fact fact = { .device = NUMBER_NONE,
					  .graph_id = graph_id,
					  .lines = TEXT_NONE };

	s.class = CLASS_KERNEL;
	s.detail = model_device(&w->m, &fact, external_id);
	return add_record(w, s);
}

static inline uint32_t add_kernel(struct world *w, uint32_t track, int64_t ts_ns,
				  int64_t dur_ns, int64_t correlation,
				  int64_t external_id)
{
	struct slice_rec s = record(w, track, "kernel", ts_ns, dur_ns);

	s.key = wide_add(&w->m.numbers, correlation);
	return add_work(w, s, external_id, 0);
}

static inline uint32_t row_of(const struct world *w, uint32_t slice)
{
	for (uint32_t row = 0; row < w->m.nrows; row++)
		if (w->m.order[row] == slice)
			return row;
	return ROW_NONE;
}

/* The record of a slice, set apart or not; behind order_rows(). */
static inline const struct slice_rec *record_of(const struct world *w, uint32_t slice)
{
	uint32_t row = 0;

	while (w->m.order[row] != slice)
		row++;
	return &w->m.slices[row];
}

/* The slice that a row is of, ROW_NONE for none. */
static inline uint32_t slice_of(const struct world *w, uint32_t row)
{
	return row == ROW_NONE ? ROW_NONE : w->m.order[row];
}

static inline int64_t count_findings(const struct world *w, enum finding finding)
{
	int64_t n = 0;

	for (size_t i = 0; i < w->m.nfindings; i++)
		if (w->m.findings[i].finding == finding)
			n += w->m.findings[i].count;
	return n;
}

static inline void assert_lasts(const struct world *w, uint32_t slice, int64_t ts_ns,
				int64_t dur_ns)
{
	assert_int_not_equal(ROW_NONE, row_of(w, slice));
	assert_int_equal(ts_ns, record_of(w, slice)->ts_ns);
	assert_int_equal(dur_ns, record_of(w, slice)->dur_ns);
}

#endif
