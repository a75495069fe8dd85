/* Rows of processes, threads, tracks, counters and devices: see write_rows.h. */
#include "store/write_rows.h"

#include "base/decimal.h"
#include "store/agents.h"

static void ident_cell(struct sqlite3_context *to, struct ident id)
{
	if (id.text == TEXT_NONE)
		bulk_int(to, id.number);
}

static void process_cell(const void *from, int64_t row, int column,
			 struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct process *p = &w->m->processes[row];

	switch (column) {
	case 0:
		bulk_int(to, w->profile_id);
		break;
	case 1:
		ident_cell(to, p->pid);
		break;
	case 2:
		cell_string(to, w->m, p->pid.text);
		break;
	case 3:
		cell_string(to, w->m, p->name);
		break;
	case 4:
		cell_string(to, w->m, p->labels);
		break;
	default:
		bulk_number(to, p->sort_index);
	}
}

const struct bulk bulk_process = { "process", 6, false, process_cell };

static bool is_main_thread(const struct place *p)
{
	return p->tid.text == TEXT_NONE && p->pid.text == TEXT_NONE &&
	       p->tid.number == p->pid.number;
}

static void thread_cell(const void *from, int64_t row, int column,
			struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct place *p = &w->m->places[w->lists.threads[row]];

	switch (column) {
	case 0:
		bulk_int(to, w->profile_id);
		break;
	case 1:
		bulk_int(to, w->process + 1 + p->process);
		break;
	case 2:
		ident_cell(to, p->tid);
		break;
	case 3:
		cell_string(to, w->m, p->tid.text);
		break;
	case 4:
		cell_string(to, w->m, p->name);
		break;
	case 5:
		bulk_int(to, is_main_thread(p));
		break;
	default:
		bulk_number(to, p->sort_index);
	}
}

const struct bulk bulk_thread = { "thread", 7, false, thread_cell };

static void track_name(const struct write_rows *w, const struct track *t,
		       struct sqlite3_context *to)
{
	if (t->kind == TRACK_ASYNC) {
		cell_string(to, w->m, t->scope);
		return;
	}
	const struct place *p = &w->m->places[t->place];
	cell_string(to, w->m, p->name != TEXT_NONE ? p->name : p->tid.text);
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

static void track_number(const struct write_rows *w, const struct track *t,
			 struct sqlite3_context *to)
{
	if (t->kind == TRACK_STREAM || t->kind == TRACK_STREAM_NOTES)
		bulk_number(to, stream_number(w->m, t));
	else if (t->kind == TRACK_THREAD)
		ident_cell(to, w->m->places[t->place].tid);
}

static void track_cell(const void *from, int64_t row, int column,
		       struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct track *t = &w->m->tracks[row];

	switch (column) {
	case 0:
		bulk_int(to, w->profile_id);
		break;
	case 1:
		bulk_text(to, str_of(track_kind_name(t->kind)));
		break;
	case 2:
		bulk_int(to, w->process + 1 + t->process);
		break;
	case 3:
		if (t->kind == TRACK_THREAD)
			cell_row(to, w->thread, w->lists.place_thread[t->place]);
		break;
	case 4:
		track_number(w, t, to);
		break;
	case 5:
		track_name(w, t, to);
		break;
	case 6:
		if (t->n)
			bulk_int(to, w->slice + 1 + (int64_t)t->first);
		break;
	default:
		bulk_int(to, (int64_t)t->n);
	}
}

const struct bulk bulk_track = { "track", 8, false, track_cell };

static void counter_track_cell(const void *from, int64_t row, int column,
			       struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct counter_track *t = &w->lists.counter_tracks[row];

	if (column == 0)
		bulk_int(to, w->profile_id);
	else if (column == 1)
		bulk_text(to, STR_LIT("counter"));
	else if (column == 2)
		bulk_int(to, w->process + 1 + t->process);
	else if (column == 5)
		cell_string(to, w->m, t->name);
	else if (column == 7)
		bulk_int(to, 0);
}

const struct bulk bulk_counter_track = { "track", 8, false, counter_track_cell };

static void counter_cell(const void *from, int64_t row, int column,
			 struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct counter_rec *c = &w->m->counters[row];

	if (column == 0)
		bulk_int(to, w->track + 1 + (int64_t)w->m->ntracks +
				     w->lists.counter_track[row]);
	else if (column == 1)
		bulk_int(to, c->ts_ns - w->m->start_ns);
	else
		bulk_real(to, c->value);
}

const struct bulk bulk_counter = { "counter", 3, false, counter_cell };

static void op_detail_cell(const void *from, int64_t row, int column,
			   struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct op_fact *d = uniques_at(&w->m->op_details, (uint32_t)row);

	switch (column) {
	case 0:
		cell_text_id(to, w, d->shapes);
		break;
	case 1:
		cell_text_id(to, w, d->stack);
		break;
	case 2:
		cell_text_id(to, w, d->module);
		break;
	case 3:
		bulk_number(to, d->flops);
		break;
	case 4:
		bulk_number(to, d->fwd_thread);
		break;
	default:
		bulk_int(to, d->is_backward);
	}
}

const struct bulk bulk_op_detail = { "op_detail", 6, false, op_detail_cell };

static void device_cell(const void *from, int64_t row, int column,
			struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct device_info_fact *d = &w->m->device_infos[row];
	const int64_t numbers[] = { w->profile_id, d->id,    0,       d->total_memory,
				    d->sms,        d->major, d->minor };

	if (column == 2)
		bulk_text(to, d->name);
	else if (column == 7)
		bulk_text(to, d->json);
	else if (column == 8)
		bulk_number(to, agents_of(w->m, (size_t)row));
	else
		bulk_number(to, numbers[column]);
}

const struct bulk bulk_device = { "device", 9, false, device_cell };
