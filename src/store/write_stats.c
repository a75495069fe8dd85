/* Rows of summaries and findings: see write_rows.h. */
#include "base/buf.h"
#include "store/write_rows.h"

static void key_cells(const struct write_rows *w, const struct opstat_key *key,
		      struct bulk_cell *c)
{
	c[COL_OP_STAT_STEP_ID] = cell_row(w->step, key->step);
	c[COL_OP_STAT_KIND] = bulk_int(key->kind);
	c[COL_OP_STAT_NAME_ID] = cell_text_id(w, key->name);
	c[COL_OP_STAT_IS_ANNOTATION] = bulk_int(key->is_annotation);
	c[COL_OP_STAT_SHAPES_ID] = cell_text_id(w, key->shapes);
	c[COL_OP_STAT_STACK_ID] = cell_text_id(w, key->stack);
	c[COL_OP_STAT_OVERLOAD_ID] = cell_text_id(w, key->overload);
}

static struct bulk_cell histogram_cell(const struct write_rows *w,
				       const struct histogram *h)
{
	struct buf *blob = &w->walk->blob;

	buf_clear(blob);
	histogram_encode(h, blob);
	return bulk_blob(buf_str(blob));
}

static void sums_cells(const struct opstat_sums *s, struct bulk_cell *c)
{
	c[COL_OP_STAT_CALLS] = bulk_int(s->calls);
	c[COL_OP_STAT_PRIMITIVE_CALLS] = bulk_int(s->primitive_calls);
	c[COL_OP_STAT_SELF_NS] = bulk_int(s->self_ns);
	c[COL_OP_STAT_TOTAL_NS] = bulk_int(s->total_ns);
	c[COL_OP_STAT_MIN_NS] = bulk_int(s->min_ns);
	c[COL_OP_STAT_MAX_NS] = bulk_int(s->max_ns);
	for (unsigned limb = 0; limb < SQUARES_LIMBS; limb++)
		c[COL_OP_STAT_SQUARES0 + limb] = bulk_int(squares_limb(s->squares, limb));
	c[COL_OP_STAT_SELF_DEVICE_NS] = bulk_number(s->self_device_ns);
	c[COL_OP_STAT_TOTAL_DEVICE_NS] = bulk_number(s->total_device_ns);
	c[COL_OP_STAT_CPU_MEM_BYTES] = bulk_number(s->cpu_bytes);
	c[COL_OP_STAT_SELF_CPU_MEM_BYTES] = bulk_number(s->self_cpu_bytes);
	c[COL_OP_STAT_DEVICE_MEM_BYTES] = bulk_number(s->device_bytes);
	c[COL_OP_STAT_SELF_DEVICE_MEM_BYTES] = bulk_number(s->self_device_bytes);
	c[COL_OP_STAT_FLOPS] = bulk_number(s->flops);
}

static void stat_cells(const struct write_rows *w, enum grain grain, int64_t row,
		       struct bulk_cell *c)
{
	const struct opstat *stat =
		opstats_at(summary_grain(w->summary, grain), (size_t)row);

	model_tick(w->m, (size_t)row);
	c[COL_OP_STAT_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_OP_STAT_GRAIN] = bulk_int((int64_t)grain);
	key_cells(w, &stat->key, c);
	c[COL_OP_STAT_FIRST_TS] = bulk_int(stat->first.ts_ns - w->m->start_ns);
	c[COL_OP_STAT_FIRST_DUR] = bulk_int(stat->first.dur_ns);
	c[COL_OP_STAT_FIRST_ORDER] = bulk_int((int64_t)stat->first.order);
	c[COL_OP_STAT_IS_ASYNC] = bulk_int(stat->is_async);
	c[COL_OP_STAT_IS_TOP_LEVEL] = bulk_int(stat->is_top_level);
	sums_cells(&stat->sums, c);
	c[COL_OP_STAT_HISTOGRAM] =
		grain == GRAIN_FULL ? histogram_cell(w, &stat->histogram) : bulk_null();
}

static void full_stat_row(const void *from, int64_t row, struct bulk_cell *c)
{
	stat_cells(from, GRAIN_FULL, row, c);
}

static void name_stat_row(const void *from, int64_t row, struct bulk_cell *c)
{
	stat_cells(from, GRAIN_NAMES, row, c);
}

static void step_stat_row(const void *from, int64_t row, struct bulk_cell *c)
{
	stat_cells(from, GRAIN_STEPS, row, c);
}

/* No row needs the one before it. */
static void seek_any(const void *from, int64_t row)
{
	(void)from;
	(void)row;
}

const struct bulk bulk_step_stat = BULK_PARTS(OP_STAT, op_stat, step_stat_row, seek_any);
const struct bulk bulk_full_stat = BULK_PARTS(OP_STAT, op_stat, full_stat_row, seek_any);
const struct bulk bulk_name_stat = BULK_PARTS(OP_STAT, op_stat, name_stat_row, seek_any);

static void annotation_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct annotation_stat *a = &w->summary->annotations[row];

	c[COL_ANNOTATION_STAT_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_ANNOTATION_STAT_STEP_ID] = cell_row(w->step, a->step);
	c[COL_ANNOTATION_STAT_NAME_ID] = cell_text_id(w, a->name);
	c[COL_ANNOTATION_STAT_FIRST_TS] = bulk_int(a->first_ts_ns - w->m->start_ns);
	c[COL_ANNOTATION_STAT_CALLS] = bulk_int(a->calls);
	c[COL_ANNOTATION_STAT_HOST_NS] = bulk_int(a->host_ns);
	c[COL_ANNOTATION_STAT_DEVICE_NS] = bulk_int(a->device_ns);
	c[COL_ANNOTATION_STAT_DEVICE_SPAN_NS] = bulk_int(a->device_span_ns);
	c[COL_ANNOTATION_STAT_LAUNCHES] = bulk_int(a->launches);
}

const struct bulk bulk_annotation_stat =
	BULK(ANNOTATION_STAT, annotation_stat, annotation_row);

static void finding_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct finding_rec *f = &w->m->findings[row];
	const struct finding_kind *kind = &finding_kinds[f->finding];

	c[COL_FINDING_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_FINDING_CODE] = bulk_text(str_of(kind->code));
	c[COL_FINDING_DETAIL] = cell_string(w->m, f->detail);
	c[COL_FINDING_SEVERITY] = bulk_text(str_of(severity_name(kind->severity)));
	c[COL_FINDING_COUNT] = bulk_int(f->count);
	c[COL_FINDING_FIRST_OFFSET] = bulk_int((int64_t)f->offset);
	c[COL_FINDING_EXCERPT] = bulk_text(f->excerpt);
	c[COL_FINDING_TIME_NS] = bulk_number(f->time_ns);
	c[COL_FINDING_SHARE_PCT] =
		f->share_pct >= 0 ? bulk_real(f->share_pct) : bulk_null();
}

const struct bulk bulk_finding = BULK(FINDING, finding, finding_row);
