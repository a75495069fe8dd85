/* Slices of a timeline: see timeline_read.h. */
#include "query/timeline/timeline_read.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/query.h"

void timeline_reader_close(struct timeline_reader *r)
{
	free(r->sources);
	intervals_release(&r->whole);
	free(r->ordinals);
	free(r->op_details);
	kernel_details_release(&r->kernels);
	free(r->copies);
	timeline_rows_release(&r->rows);
	bundler_release(&r->bundler);
	free(r->slices);
	free(r->collectives);
	*r = (struct timeline_reader){ .shared = NULL };
}

static bool is_host(enum timeline_kind kind)
{
	return kind == TIMELINE_THREAD || kind == TIMELINE_ASYNC;
}

static uint32_t row_of(struct timeline_rows *rows, enum timeline_kind kind,
		       const struct packed_slice *s)
{
	bool nests = kind == TIMELINE_THREAD || kind == TIMELINE_STREAM_NOTES;

	return nests ? timeline_rows_nest(rows, s->start_ns, s->end_ns)
		     : timeline_rows_lane(rows, s->start_ns, s->end_ns);
}

/* Is it of those that may be bundled: on the host, no annotation, outside the windows? */
static bool can_bundle(const struct timeline_reader *r, enum timeline_kind kind,
		       const struct packed_slice *s)
{
	if (!is_host(kind) || s->class == CLASS_ANNOTATION || s->class == CLASS_SPAN)
		return false;
	size_t at = intervals_after(&r->whole, s->start_ns);
	return at == r->whole.n || r->whole.items[at].start_ns > s->end_ns;
}

static struct bundle_row bundle_row_of(const struct timeline_reader *r,
				       enum timeline_kind kind,
				       const struct packed_slice *s)
{
	return (struct bundle_row){ .start_ns = s->start_ns,
				    .end_ns = s->end_ns,
				    .can_bundle = can_bundle(r, kind, s) };
}

static int seek(struct timeline_reader *r, const struct timeline_source *source,
		struct slice_pack **pack, struct err *err)
{
	*pack = source->track.kind == TIMELINE_STREAM ? &r->shared->device
						      : &r->shared->host;
	timeline_rows_clear(&r->rows);
	bundler_clear(&r->bundler);
	return slice_pack_seek(*pack, source->first_id, source->n, err);
}

int timeline_reader_count(struct timeline_reader *r, int64_t joins[BUNDLE_NEVER + 1],
			  int64_t *slices, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->nsources; i++) {
		enum timeline_kind kind = r->sources[i].track.kind;
		struct slice_pack *pack;
		uint32_t entry;
		rc = seek(r, &r->sources[i], &pack, err);
		while (rc == 0 && (rc = slice_pack_next(pack, err)) > 0) {
			const struct packed_slice *s = &pack->slice;
			rc = 0;
			if (s->class == CLASS_MEMORY)
				continue;
			struct bundle_row row = bundle_row_of(r, kind, s);
			bundler_add(&r->bundler, row_of(&r->rows, kind, s), &row, &entry);
			++*slices;
		}
	}
	for (size_t k = 0; k <= BUNDLE_NEVER; k++) {
		joins[k] += r->bundler.joins[k];
		r->bundler.joins[k] = 0;
	}
	return rc;
}

/* Ordinal + 1 of the slice; 0: it has none yet. */
static uint32_t ordinal_of(const struct timeline_reader *r, int64_t id)
{
	int64_t at = id - r->profile->first_slice_id;

	return id > 0 && at >= 0 && at < r->profile->slices ? r->ordinals[at] : 0;
}

static void say_collective(struct timeline_saying *what,
			   const struct collective_fact_row *fact)
{
	timeline_say_text(what, DETAIL_COLLECTIVE, fact->name);
	timeline_say_text(what, DETAIL_DTYPE, fact->dtype);
	timeline_say(what, DETAIL_IN_ELEMENTS, fact->in_elements);
	timeline_say(what, DETAIL_OUT_ELEMENTS, fact->out_elements);
	timeline_say_text(what, DETAIL_GROUP, fact->group);
	timeline_say(what, DETAIL_GROUP_SIZE, fact->group_size);
}

static void say_kernel(struct timeline_reader *r, struct timeline_saying *what,
		       int64_t slice_id)
{
	const struct kernel_detail *kernel = kernel_details_of(&r->kernels, slice_id);

	if (!kernel)
		return;
	timeline_say(what, DETAIL_GRID, kernel->shape);
	timeline_say_real(what, DETAIL_OCCUPANCY, kernel->occupancy_pct);
}

static void say_bytes(struct timeline_reader *r, struct timeline_saying *what,
		      int64_t slice_id)
{
	while (r->next_copy < r->ncopies && r->copies[r->next_copy].slice_id < slice_id)
		r->next_copy++;
	if (r->next_copy < r->ncopies && r->copies[r->next_copy].slice_id == slice_id)
		timeline_say(what, DETAIL_BYTES, r->copies[r->next_copy].bytes);
}

/* As say_bytes(): ids of a track ascend. */
static const struct collective_fact_row *fact_of(struct timeline_reader *r, int64_t id)
{
	const struct collective_facts *facts = &r->shared->facts;

	while (r->next_fact < facts->n && facts->rows[r->next_fact].slice_id < id)
		r->next_fact++;
	return r->next_fact < facts->n && facts->rows[r->next_fact].slice_id == id
		       ? &facts->rows[r->next_fact]
		       : NULL;
}

/* Those of operators are said already: they are many that are alike. */
static uint32_t detail_of(struct timeline_reader *r, const struct packed_slice *s)
{
	struct timeline_saying what = { .n = 0 };
	const struct collective_fact_row *fact = fact_of(r, s->id);
	int64_t op = sum_sub(s->op_detail_id, r->first_op_detail);

	if (!fact && s->op_detail_id && op >= 0 && op < r->nop_details)
		return r->op_details[op];
	if (fact)
		say_collective(&what, fact);
	if (class_is_device_work(s->class))
		say_kernel(r, &what, s->id);
	say_bytes(r, &what, s->id);
	return timeline_detail(&r->shared->details, &what);
}

static int make_slice(struct timeline_reader *r, const struct packed_slice *s,
		      struct timeline_slice *out, struct err *err)
{
	uint32_t text;

	if (text_pool_number(&r->shared->texts, s->name_id, &text, err) < 0)
		return -1;
	*out = (struct timeline_slice){
		.start_ns = s->start_ns,
		.dur_ns = s->end_ns - s->start_ns,
		.row = out->row,
		.name = timeline_name(&r->shared->names, &r->shared->texts, text,
				      s->class),
		.detail = detail_of(r, s),
		.launch = ordinal_of(r, s->launch_id),
		.op = ordinal_of(r, s->op_id),
	};
	return 0;
}

/* The slice becomes a part of the one before it in its row. */
static void bundle(struct timeline_reader *r, struct timeline_slice *into,
		   const struct packed_slice *s)
{
	struct timeline_shared *shared = r->shared;

	if (!into->bundled) {
		into->name = timeline_name(&shared->names, &shared->texts,
					   shared->bundle_text, TIMELINE_CLASS_BUNDLE);
		into->detail = 0;
		into->busy_ns = into->dur_ns;
		into->bundled = 1;
		shared->bundled++;
	}
	into->bundled++;
	into->busy_ns += s->end_ns - s->start_ns;
	into->dur_ns = s->end_ns - into->start_ns;
	shared->bundled++;
}

/* By the name's class and text, once a name. */
static bool communicates(struct timeline_reader *r, uint32_t name)
{
	enum { UNKNOWN, NO, YES };
	struct timeline_shared *shared = r->shared;
	uint8_t *known = ARRAY_AT(shared->communicates, shared->communicates_cap, name);

	if (*known == UNKNOWN) {
		const struct timeline_name *n = &shared->names.items[name];
		bool is_work = class_is_device_work((enum slice_class)n->class);
		*known = is_work && work_kind_of((enum slice_class)n->class, n->text) ==
						 WORK_COMMUNICATION
				 ? YES
				 : NO;
	}
	return *known == YES;
}

/* The entry that the slice is drawn as. */
static int add_slice(struct timeline_reader *r, enum timeline_kind kind,
		     const struct packed_slice *s, uint32_t *entry, struct err *err)
{
	struct timeline_slice slice = { .row = row_of(&r->rows, kind, s) };

	if (r->shared->bundle_ns && is_host(kind)) {
		struct bundle_row row = bundle_row_of(r, kind, s);
		unsigned k = bundler_add(&r->bundler, slice.row, &row, entry);
		if (k < BUNDLE_NEVER && INT64_C(1) << k <= r->shared->bundle_ns) {
			bundle(r, &r->slices[*entry], s);
			return 0;
		}
		bundler_enter(&r->bundler, slice.row, (uint32_t)r->n);
	}
	if (make_slice(r, s, &slice, err) < 0)
		return -1;
	*entry = (uint32_t)r->n;
	*ARRAY_PUSH(r->slices, r->n, r->cap) = slice;
	/* Collectives are shown once more, on a track of their own. */
	if (kind == TIMELINE_STREAM && communicates(r, slice.name))
		*ARRAY_PUSH(r->collectives, r->ncollectives, r->collectives_cap) = slice;
	return 0;
}

static int read_track(struct timeline_reader *r, const struct timeline_source *source,
		      struct err *err)
{
	enum timeline_kind kind = source->track.kind;
	struct slice_pack *pack;
	uint32_t entry = 0;
	int rc = seek(r, source, &pack, err);

	r->n = 0;
	SEARCH(r->next_copy, 0, r->ncopies,
	       r->copies[r->next_copy].slice_id < source->first_id);
	r->next_fact = collective_facts_from(&r->shared->facts, source->first_id);
	while (rc == 0 && (rc = slice_pack_next(pack, err)) > 0) {
		const struct packed_slice *s = &pack->slice;
		rc = 0;
		if (s->class == CLASS_MEMORY)
			continue;
		if (r->shared->total + r->n >= UINT32_MAX - 1)
			return query_damaged("slices", err);
		rc = add_slice(r, kind, s, &entry, err);
		r->shared->slices++;
		r->ordinals[s->id - r->profile->first_slice_id] =
			r->shared->total + entry + 1;
	}
	return rc;
}

int timeline_reader_next(struct timeline_reader *r, struct timeline_track *out,
			 struct err *err)
{
	while (r->next < r->nsources) {
		const struct timeline_source *source = &r->sources[r->next++];
		int64_t bundled = r->shared->bundled;
		if (read_track(r, source, err) < 0)
			return -1;
		if (r->n == 0)
			continue;
		*out = source->track;
		out->base = r->shared->total;
		out->rows = r->rows.rows;
		out->slices = r->slices;
		out->n = r->n;
		out->has_bundles = r->shared->bundled > bundled;
		r->shared->total += (uint32_t)r->n;
		return 1;
	}
	return 0;
}
