/* The cells of streams and threads, in one pass over each: see cell_rows.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "query/devices/device_work.h"
#include "query/slices/slice_pack.h"
#include "query/timeline/cell_rows.h"
#include "trace/step_name.h"

#define CELLS_LEAST 10
#define CELLS_MOST  16000000 /* of all rows: half a gigabyte */
#define LABEL_PARTS 4        /* of the width labels take one such part at most */

static const char *const track_kinds[] = { "stream", "thread", "async" };

static bool is_row(const struct slices_track *track)
{
	bool is_known = false;

	for (size_t i = 0; i < sizeof(track_kinds) / sizeof(*track_kinds); i++)
		is_known |= strcmp(track->kind, track_kinds[i]) == 0;
	return is_known && track->is_wanted && !track->is_apart;
}

static enum row_kind kind_of(const struct slices_track *track)
{
	return track->is_device ? ROW_STREAM : ROW_THREAD;
}

static size_t place_of(const struct cell_rows *r, const struct slices_track *track)
{
	return (size_t)(track->profile - r->scope->profiles);
}

enum { JUDGED_HOST, JUDGED_MEMCPY, JUDGED_MEMSET, JUDGED_KERNEL, NJUDGED };

static size_t judged_as(enum slice_class class)
{
	if (!class_is_device_work(class))
		return JUDGED_HOST;
	return class == CLASS_MEMCPY   ? JUDGED_MEMCPY
	       : class == CLASS_MEMSET ? JUDGED_MEMSET
				       : JUDGED_KERNEL;
}

/* A step's own slice covers all and says nothing. */
static uint8_t judge(enum slice_class class, struct str name, uint8_t cover)
{
	static const uint8_t covers[NWORK_KINDS] = {
		[WORK_COMPUTE] = COVER_KERNEL,
		[WORK_COMMUNICATION] = COVER_COMMUNICATION,
		[WORK_MEMCPY] = COVER_COPY,
		[WORK_MEMSET] = COVER_SET,
	};
	int64_t number;

	if (class_is_device_work(class))
		return covers[work_kind_of(class, name)];
	return step_name_number(name, &number) ? COVER_NONE : cover;
}

/* What is in the name: each is judged once. */
static int judge_name(struct cell_rows *r, const struct slice_row *slice, uint8_t *cover,
		      struct err *err)
{
	enum slice_class class = (enum slice_class)slice->class;
	size_t at = (size_t)slice->name_id * NJUDGED + judged_as(class);
	struct str name;

	if (slice->name_id > 0 && at < r->covers_cap && r->covers[at]) {
		uint8_t known = r->covers[at] - 1;
		*cover = known == COVER_NONE || class_is_device_work(class) ? known
									    : *cover;
		return 0;
	}
	if (slices_text(r->slices, slice->name_id, &name, err) < 0)
		return -1;
	*cover = judge(class, name, *cover);
	if (slice->name_id > 0)
		*ARRAY_AT(r->covers, r->covers_cap, at) = *cover + 1;
	return 0;
}

static int cover_of(struct cell_rows *r, const struct slice_row *slice, bool is_device,
		    uint8_t *out, struct err *err)
{
	static const uint8_t covers[NCLASSES] = {
		[CLASS_OTHER] = COVER_OTHER,
		[CLASS_OP] = COVER_OP,
		[CLASS_ANNOTATION] = COVER_ANNOTATION,
		[CLASS_PYTHON] = COVER_PYTHON,
		[CLASS_RUNTIME] = COVER_CALL,
		[CLASS_DRIVER] = COVER_CALL,
		[CLASS_OVERHEAD] = COVER_OTHER,
		[CLASS_KERNEL] = COVER_KERNEL,
		[CLASS_MEMCPY] = COVER_COPY,
		[CLASS_MEMSET] = COVER_SET,
		[CLASS_ACCELERATOR] = COVER_KERNEL,
		[CLASS_SYNC] = COVER_NONE,
		[CLASS_DEVICE_ANNOTATION] = COVER_NONE,
		[CLASS_SPAN] = COVER_NONE,
		[CLASS_MEMORY] = COVER_NONE,
	};
	bool is_work = class_is_device_work((enum slice_class)slice->class);

	*out = slice->class >= 0 && slice->class < NCLASSES && (is_work || !is_device)
		       ? covers[slice->class]
		       : COVER_NONE;
	if (is_work)
		return judge_name(r, slice, out, err);
	if (*out != COVER_ANNOTATION && *out != COVER_OP && *out != COVER_OTHER)
		return 0;
	if (cell_spans_has_step(&r->spans, slice->id)) {
		*out = COVER_NONE;
		return 0;
	}
	return judge_name(r, slice, out, err);
}

/* What reads one track after the other. */
struct sweeping {
	struct cell_rows *rows;
	struct slice_pack pack;
	struct cell_sweep sweep;
	struct swept_cell *cells; /* owned */
	bool is_asking;           /* only whether the track covers anything ... */
	bool has_any;             /*   and it does */
};

/* 1: no more is asked for; 0; -1 with err set. */
static int sweep_slice(struct sweeping *s, const struct slices_track *track,
		       const struct slice_row *slice, struct err *err)
{
	struct swept_slice swept = { .start_ns = slice->ts_ns,
				     .end_ns = slice->ts_ns + slice->dur_ns,
				     .name_id = slice->name_id };
	int wanted = slices_is_wanted(s->rows->slices, slice, err);

	if (wanted <= 0)
		return wanted;
	if (cover_of(s->rows, slice, track->is_device, &swept.kind, err) < 0)
		return -1;
	s->has_any |= swept.kind != COVER_NONE && slice->dur_ns > 0;
	if (swept.kind != COVER_NONE && !s->is_asking)
		cell_sweep_add(&s->sweep, &swept);
	return s->is_asking && s->has_any;
}

/* Categories are not packed. */
static int sweep_rows(struct sweeping *s, const struct slices_track *track,
		      struct err *err)
{
	const struct cell_span *span = &s->rows->spans.items[place_of(s->rows, track)];
	struct slice_row slice;
	int rc, swept = 0;

	slices_from(s->rows->slices, track, track->first_id);
	while (swept == 0 && (rc = slices_next(s->rows->slices, &slice, err)) > 0 &&
	       slice.ts_ns < span->to_ns)
		if (slice.ts_ns + slice.dur_ns > span->from_ns)
			swept = sweep_slice(s, track, &slice, err);
	return swept < 0 || rc < 0 ? -1 : 0;
}

static int sweep_packed(struct sweeping *s, const struct slices_track *track,
			struct err *err)
{
	const struct packed_slice *packed = &s->pack.slice;
	const struct cell_span *span = &s->rows->spans.items[place_of(s->rows, track)];
	int rc, swept = 0;

	if (slice_pack_seek(&s->pack, track->first_id, track->slices, err) < 0)
		return -1;
	while (swept == 0 && (rc = slice_pack_next(&s->pack, err)) > 0 &&
	       packed->start_ns < span->to_ns) {
		if (packed->end_ns <= span->from_ns)
			continue;
		const struct slice_row slice = { .id = packed->id,
						 .ts_ns = packed->start_ns,
						 .dur_ns = packed->end_ns -
							   packed->start_ns,
						 .name_id = packed->name_id,
						 .class = packed->class };
		swept = sweep_slice(s, track, &slice, err);
	}
	return swept < 0 || rc < 0 ? -1 : 0;
}

static int add_row(struct sweeping *s, const struct slices_track *track, struct err *err)
{
	struct cell_rows *r = s->rows;
	const int64_t *total = s->sweep.total_ns;

	if (r->n >= CELLS_MOST / r->ncells)
		return err_set(err, ERR_USAGE,
			       "more than %d cells in all: ask for fewer with --cells",
			       CELLS_MOST);
	struct cell_row *row = cell_rows_add(r, kind_of(track), place_of(r, track), track,
					     track->device);

	for (int i = 0; i < NCOVERS; i++) {
		row->busy_ns += total[i];
		if (i != COVER_ANNOTATION && i != COVER_PYTHON)
			row->work_ns += total[i];
	}
	for (size_t i = 0; i < r->ncells; i++) {
		const struct swept_cell *cell = &s->cells[i];
		row->cells[i] =
			(struct row_cell){ .ns = cell->busy_ns, .kind = cell->kind };
		if (cell->busy_ns &&
		    slices_text(r->slices, cell->name_id, &row->cells[i].name, err) < 0)
			return -1;
	}
	return 0;
}

static bool has_span(const struct cell_rows *r, const struct slices_track *track)
{
	const struct cell_span *span = &r->spans.items[place_of(r, track)];

	return is_row(track) && span->from_ns < span->to_ns;
}

static int read_track(struct sweeping *s, const struct slices_track *track,
		      struct err *err)
{
	s->has_any = false;
	return s->rows->slices->is_by_category ? sweep_rows(s, track, err)
					       : sweep_packed(s, track, err);
}

static void see_label(struct cell_rows *r, enum row_kind kind,
		      const struct slices_track *track)
{
	size_t cells = utf8_width(
		cell_row_label(r, kind, place_of(r, track), track, track->device));

	r->label_cells = cells > r->label_cells ? cells : r->label_cells;
}

/* The labels of those that cover anything decide how much room is left for cells. */
static int find_label_cells(struct sweeping *s, int64_t width, struct err *err)
{
	struct cell_rows *r = s->rows;

	s->is_asking = true;
	for (size_t i = 0; i < r->slices->ntracks; i++) {
		const struct slices_track *t = &r->slices->tracks[i];
		if (!has_span(r, t))
			continue;
		if (read_track(s, t, err) < 0)
			return -1;
		if (s->has_any)
			see_label(r, kind_of(t), t);
		if (t->is_device)
			see_label(r, ROW_IDLE, t);
	}
	s->is_asking = false;
	if (r->label_cells > (size_t)(width / LABEL_PARTS))
		r->label_cells = (size_t)(width / LABEL_PARTS);
	return 0;
}

/* All profiles have cells of one length, of a nanosecond at least. */
static void set_cells(struct cell_rows *r, const struct cells_request *request)
{
	int64_t longest_ns = 0, n = request->ncells;

	if (n == 0)
		n = request->width - 1 - (int64_t)r->label_cells;
	n = n < CELLS_LEAST && !request->ncells ? CELLS_LEAST : n;
	r->axes = xcalloc(r->scope->n, sizeof(*r->axes));
	for (size_t i = 0; i < r->scope->n; i++) {
		const struct cell_span *span = &r->spans.items[i];
		int64_t length_ns = span->to_ns - span->from_ns;
		longest_ns = length_ns > longest_ns ? length_ns : longest_ns;
	}
	r->ncells = (size_t)(n < longest_ns ? n : longest_ns);
	for (size_t i = 0; i < r->scope->n; i++) {
		const struct cell_span *span = &r->spans.items[i];
		r->axes[i] =
			(struct cell_axis){ .from_ns = span->from_ns,
					    .to_ns = sum_add(span->from_ns, longest_ns),
					    .until_ns = span->to_ns,
					    .n = r->ncells };
	}
}

static int sweep_track(struct sweeping *s, const struct slices_track *track,
		       struct err *err)
{
	struct cell_rows *r = s->rows;

	if (!has_span(r, track))
		return 0;
	memset(s->cells, 0, r->ncells * sizeof(*s->cells));
	cell_sweep_begin(&s->sweep, &r->axes[place_of(r, track)], s->cells);
	if (read_track(s, track, err) < 0)
		return -1;
	cell_sweep_end(&s->sweep);
	return s->has_any ? add_row(s, track, err) : 0;
}

int cell_rows_read(struct store *store, const struct cells_request *request,
		   struct cell_rows *r, struct err *err)
{
	struct sweeping s = { .rows = r };
	int rc = slice_pack_open(store, PACKED_NAME | PACKED_CLASS, &s.pack, err);

	if (rc == 0)
		rc = find_label_cells(&s, request->width, err);
	if (rc == 0) {
		set_cells(r, request);
		s.cells = xcalloc(r->ncells, sizeof(*s.cells));
	}
	for (size_t i = 0; rc == 0 && i < r->slices->ntracks; i++)
		rc = sweep_track(&s, &r->slices->tracks[i], err);
	slice_pack_close(&s.pack);
	cell_sweep_release(&s.sweep);
	free(s.cells);
	for (size_t i = 0;
	     rc == 0 && cell_rows_have_idle(request) && i < r->slices->ntracks; i++) {
		const struct slices_track *t = &r->slices->tracks[i];
		if (t->is_device && has_span(r, t))
			cell_rows_add(r, ROW_IDLE, place_of(r, t), NULL, t->device);
	}
	return rc;
}
