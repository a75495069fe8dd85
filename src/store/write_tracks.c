/* Rows of processes, threads, tracks, counters and devices: see write_rows.h. */
#include <stdint.h>

#include "base/decimal.h"
#include "store/model.h"
#include "store/write_rows.h"

static struct bulk_cell ident_cell(struct ident id)
{
	return id.text == TEXT_NONE ? bulk_int(id.number) : bulk_null();
}

static void process_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct process *p = &w->m->processes[row];

	c[COL_PROCESS_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_PROCESS_PID] = ident_cell(p->pid);
	c[COL_PROCESS_PID_TEXT] = cell_string(w->m, p->pid.text);
	c[COL_PROCESS_NAME] = cell_string(w->m, p->name);
	c[COL_PROCESS_LABELS] = cell_string(w->m, p->labels);
	c[COL_PROCESS_SORT_INDEX] = bulk_number(p->sort_index);
}

const struct bulk bulk_process = BULK(PROCESS, process, process_row);

static bool is_main_thread(const struct place *p)
{
	return p->tid.text == TEXT_NONE && p->pid.text == TEXT_NONE &&
	       p->tid.number == p->pid.number;
}

static void thread_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct place *p = &w->m->places[w->lists.threads[row]];

	c[COL_THREAD_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_THREAD_UPID] = bulk_int(w->process + 1 + p->process);
	c[COL_THREAD_TID] = ident_cell(p->tid);
	c[COL_THREAD_TID_TEXT] = cell_string(w->m, p->tid.text);
	c[COL_THREAD_NAME] = cell_string(w->m, p->name);
	c[COL_THREAD_IS_MAIN_THREAD] = bulk_int(is_main_thread(p));
	c[COL_THREAD_SORT_INDEX] = bulk_number(p->sort_index);
}

const struct bulk bulk_thread = BULK(THREAD, thread, thread_row);

static struct bulk_cell track_name(const struct write_rows *w, const struct track *t)
{
	if (t->kind == TRACK_ASYNC)
		return cell_string(w->m, t->scope);
	const struct place *p = &w->m->places[t->place];
	return cell_string(w->m, p->name != TEXT_NONE ? p->name : p->tid.text);
}

/* Torch before 1.10 spells it "stream 7". */
static int64_t number_in_text(struct str text)
{
	const struct str word = STR_LIT("stream ");
	int64_t number;

	if (str_starts_with(text, word) &&
	    decimal_text_int(str_behind(text, word.n), &number) == DECIMAL_OK)
		return number;
	return NUMBER_NONE;
}

/* What its first work says, else how the trace numbers the track; or NUMBER_NONE. */
static int64_t stream_number(const struct model *m, const struct track *t)
{
	const struct ident *tid = &m->places[t->place].tid;
	const struct device_fact *work = NULL;

	if (t->kind == TRACK_STREAM && t->n)
		work = slice_setup(m, model_slice(m, (uint32_t)t->first));
	if (work && work->stream != NUMBER_NONE)
		return work->stream;
	return tid->text == TEXT_NONE ? tid->number
				      : number_in_text(intern_str(m->texts, tid->text));
}

static struct bulk_cell track_number(const struct write_rows *w, const struct track *t)
{
	if (t->kind == TRACK_STREAM || t->kind == TRACK_STREAM_NOTES)
		return bulk_number(stream_number(w->m, t));
	if (t->kind == TRACK_THREAD)
		return ident_cell(w->m->places[t->place].tid);
	return bulk_null();
}

static void track_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct track *t = &w->m->tracks[row];

	c[COL_TRACK_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_TRACK_KIND] = bulk_text(str_of(track_kind_name(t->kind)));
	c[COL_TRACK_UPID] = bulk_int(w->process + 1 + t->process);
	c[COL_TRACK_UTID] = bulk_null();
	if (t->kind == TRACK_THREAD)
		c[COL_TRACK_UTID] = cell_row(w->thread, w->lists.place_thread[t->place]);
	c[COL_TRACK_TID] = track_number(w, t);
	c[COL_TRACK_NAME] = track_name(w, t);
	c[COL_TRACK_FIRST_SLICE_ID] =
		t->n ? bulk_int(w->slice + 1 + (int64_t)t->first) : bulk_null();
	c[COL_TRACK_SLICES] = bulk_int((int64_t)t->n);
}

const struct bulk bulk_track = BULK(TRACK, track, track_row);

static void counter_track_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct counter_track *t = &w->lists.counter_tracks[row];

	c[COL_TRACK_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_TRACK_KIND] = bulk_text(STR_LIT("counter"));
	c[COL_TRACK_UPID] = bulk_int(w->process + 1 + t->process);
	c[COL_TRACK_UTID] = bulk_null();
	c[COL_TRACK_TID] = bulk_null();
	c[COL_TRACK_NAME] = cell_string(w->m, t->name);
	c[COL_TRACK_FIRST_SLICE_ID] = bulk_null();
	c[COL_TRACK_SLICES] = bulk_int(0);
}

const struct bulk bulk_counter_track = BULK(TRACK, track, counter_track_row);

static void counter_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct counter_rec *counter = &w->m->counters[row];

	c[COL_COUNTER_TRACK_ID] = bulk_int(w->track + 1 + (int64_t)w->m->ntracks +
					   w->lists.counter_track[row]);
	c[COL_COUNTER_TS] = bulk_int(counter->ts_ns - w->m->start_ns);
	c[COL_COUNTER_VALUE] = bulk_real(counter->value);
}

const struct bulk bulk_counter = BULK(COUNTER, counter, counter_row);

static void op_detail_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct op_fact *d = uniques_at(&w->m->op_details, (uint32_t)row);

	model_tick(w->m, (size_t)row);
	c[COL_OP_DETAIL_SHAPES_ID] = cell_text_id(w, d->shapes);
	c[COL_OP_DETAIL_STACK_ID] = cell_text_id(w, d->stack);
	c[COL_OP_DETAIL_MODULE_ID] = cell_text_id(w, d->module);
	c[COL_OP_DETAIL_TYPES_ID] = cell_text_id(w, d->types);
	c[COL_OP_DETAIL_VALUES_ID] = cell_text_id(w, d->values);
	c[COL_OP_DETAIL_FLOPS] = bulk_number(d->flops);
	c[COL_OP_DETAIL_FWD_THREAD] = bulk_number(d->fwd_thread);
	c[COL_OP_DETAIL_IS_BACKWARD] = bulk_int(d->is_backward);
}

const struct bulk bulk_op_detail = BULK(OP_DETAIL, op_detail, op_detail_row);

static void device_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct device_info_fact *d = &w->m->device_infos[row];

	c[COL_DEVICE_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_DEVICE_DEVICE] = bulk_number(d->id);
	c[COL_DEVICE_NAME] = bulk_text(d->name);
	c[COL_DEVICE_MEMORY_BYTES] = bulk_number(d->total_memory);
	c[COL_DEVICE_SMS] = bulk_number(d->sms);
	c[COL_DEVICE_COMPUTE_MAJOR] = bulk_number(d->major);
	c[COL_DEVICE_COMPUTE_MINOR] = bulk_number(d->minor);
	c[COL_DEVICE_PROPERTIES] = bulk_text(d->json);
	c[COL_DEVICE_AGENT] = bulk_number(agents_of(&w->lists.agents, d->id));
}

const struct bulk bulk_device = BULK(DEVICE, device, device_row);
