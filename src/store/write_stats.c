/* Rows of summaries and findings: see write_rows.h. */
#include "base/buf.h"
#include "store/write_rows.h"

#define BLOB_MAX ((size_t)1 << 20)

static void key_cell(const struct write_rows *w, const struct opstat_key *key, int column,
		     struct sqlite3_context *to)
{
	switch (column) {
	case 2:
		cell_row(to, w->step, key->step);
		break;
	case 3:
		bulk_int(to, key->kind);
		break;
	case 4:
		cell_text_id(to, w, key->name);
		break;
	case 5:
		bulk_int(to, key->is_annotation);
		break;
	case 6:
		cell_text_id(to, w, key->shapes);
		break;
	case 7:
		cell_text_id(to, w, key->stack);
		break;
	default:
		cell_text_id(to, w, key->overload);
	}
}

static void histogram_cell(const struct histogram *h, struct sqlite3_context *to)
{
	struct buf blob;

	buf_init(&blob, BLOB_MAX);
	histogram_encode(h, &blob);
	bulk_blob_copy(to, buf_str(&blob));
	buf_release(&blob);
}

static void sums_cell(const struct opstat_sums *s, int column, struct sqlite3_context *to)
{
	const int64_t numbers[] = { s->calls,    s->primitive_calls, s->self_ns,
				    s->total_ns, s->min_ns,          s->max_ns };
	const int64_t tail[] = { s->self_device_ns, s->total_device_ns,
				 s->cpu_bytes,      s->self_cpu_bytes,
				 s->device_bytes,   s->self_device_bytes,
				 s->flops };

	if (column < 6)
		bulk_int(to, numbers[column]);
	else if (column == 6)
		bulk_real(to, s->mean_ns);
	else if (column == 7)
		bulk_real(to, s->m2);
	else
		bulk_number(to, tail[column - 9]);
}

static void stat_cell(const struct write_rows *w, enum grain grain, int64_t row,
		      int column, struct sqlite3_context *to)
{
	const struct opstat *stat = &summary_grain(w->summary, grain)->rows[row];
	const int64_t first[] = { stat->first.ts_ns - w->m->start_ns, stat->first.dur_ns,
				  (int64_t)stat->first.order, stat->is_async,
				  stat->is_top_level };

	if (column == 0)
		bulk_int(to, w->profile_id);
	else if (column == 1)
		bulk_int(to, (int64_t)grain);
	else if (column <= 8)
		key_cell(w, &stat->key, column, to);
	else if (column <= 13)
		bulk_int(to, first[column - 9]);
	else if (column != 22)
		sums_cell(&stat->sums, column - 14, to);
	else if (grain == GRAIN_FULL)
		histogram_cell(&stat->histogram, to);
}

static void full_stat_cell(const void *from, int64_t row, int column,
			   struct sqlite3_context *to)
{
	stat_cell(from, GRAIN_FULL, row, column, to);
}

static void name_stat_cell(const void *from, int64_t row, int column,
			   struct sqlite3_context *to)
{
	stat_cell(from, GRAIN_NAMES, row, column, to);
}

static void step_stat_cell(const void *from, int64_t row, int column,
			   struct sqlite3_context *to)
{
	stat_cell(from, GRAIN_STEPS, row, column, to);
}

const struct bulk bulk_step_stat = { "op_stat", 30, false, step_stat_cell };
const struct bulk bulk_full_stat = { "op_stat", 30, false, full_stat_cell };
const struct bulk bulk_name_stat = { "op_stat", 30, false, name_stat_cell };

static void annotation_cell(const void *from, int64_t row, int column,
			    struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct annotation_stat *a = &w->summary->annotations[row];
	const int64_t numbers[] = { w->profile_id,
				    0,
				    0,
				    a->first_ts_ns - w->m->start_ns,
				    a->calls,
				    a->host_ns,
				    a->device_ns,
				    a->device_span_ns,
				    a->launches };

	if (column == 1)
		cell_row(to, w->step, a->step);
	else if (column == 2)
		cell_text_id(to, w, a->name);
	else
		bulk_int(to, numbers[column]);
}

const struct bulk bulk_annotation_stat = { "annotation_stat", 9, false, annotation_cell };

static void finding_cell(const void *from, int64_t row, int column,
			 struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct finding_rec *f = &w->m->findings[row];
	const struct finding_kind *kind = &finding_kinds[f->finding];

	switch (column) {
	case 0:
		bulk_int(to, w->profile_id);
		break;
	case 1:
		bulk_text(to, str_of(kind->code));
		break;
	case 2:
		cell_string(to, w->m, f->detail);
		break;
	case 3:
		bulk_text(to, str_of(severity_name(kind->severity)));
		break;
	case 4:
		bulk_int(to, f->count);
		break;
	case 5:
		bulk_int(to, (int64_t)f->offset);
		break;
	case 6:
		bulk_text(to, f->excerpt);
		break;
	case 7:
		bulk_number(to, f->time_ns);
		break;
	default:
		if (f->share_pct >= 0)
			bulk_real(to, f->share_pct);
	}
}

const struct bulk bulk_finding = { "finding", 9, false, finding_cell };
