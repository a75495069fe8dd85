/* A speedscope file of sampled stacks: see export_samples.h. */
#include "cli/export_samples.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/sort.h"
#include "base/sum.h"
#include "cli/export_amount.h"
#include "cli/export_names.h"
#include "query/samples/sample_file.h"
#include "query/samples/stack_paths.h"
#include "report/json_text.h"
#include "trace/fact.h"

struct samples_out {
	struct writer *w;
	const struct sample_file *file;
	const struct sample_series *series;
	int64_t start_ns;          /* of the profile, which times are from */
	struct stack_paths paths;  /* owned: of file->stacks */
	struct export_names names; /* owned */
	struct buf room;           /* of the newest name that was cut */
	uint32_t *open;            /* owned: frames that are open, of events */
	size_t nopen, open_cap;
	struct sample_piece *pieces; /* owned: of the series, by thread, then in order */
	size_t npieces, pieces_cap;
	int64_t end; /* of the newest event */
	size_t nprofiles;
	struct export_losses *losses; /* borrowed */
	const struct sample_series
		*first[UNIT_ANY + 1]; /* by unit: that others are like */
	const char *between;
};

static void put(struct samples_out *o, const char *text)
{
	writer_str(o->w, str_of(text));
}

static void put_int(struct samples_out *o, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	put(o, text);
}

/* In the unit of the series; counts may have digits behind the point. */
static void put_amount(struct samples_out *o, int64_t amount)
{
	char text[EXPORT_AMOUNT_MAX];

	put(o, export_amount_text(amount, o->series->decimals, text));
}

/* A whole number of the file, as amounts are; it sticks at the ends of the range. */
static int64_t amount_of(const struct samples_out *o, int64_t whole)
{
	return sum_times(whole, export_amount_power(o->series->decimals));
}

/* A function has a frame for each of its lines that ran. */
static void count_uses(struct samples_out *o)
{
	const struct sample_file *file = o->file;

	for (size_t i = 0; i < file->nframes; i++) {
		o->names.uses[file->frames[i].name]++;
		o->names.uses[file->frames[i].file]++;
	}
	export_names_choose(&o->names, file->nframes + file->nstacks, o->losses);
}

/* A frame has one line: the one that ran, or else that of the definition. */
static void put_frame(struct samples_out *o, const struct sample_frame *frame)
{
	bool has_run = frame->line != NUMBER_NONE,
	     has_first = frame->first_line != NUMBER_NONE;
	struct str file = text_pool_str(&o->file->texts, frame->file);

	json_text_str(o->w, export_names_text(&o->names, frame->name, &o->room));
	if (!str_is(file, "~")) {
		put(o, ",\"file\":");
		json_text_str(o->w, export_names_text(&o->names, frame->file, &o->room));
	}
	if (has_run || has_first) {
		put(o, ",\"line\":");
		put_int(o, has_run ? frame->line : frame->first_line);
	}
	if (has_first) {
		put(o, ",\"first_line\":");
		if (has_run)
			put_int(o, frame->first_line);
		else
			put(o, "true");
	}
	writer_byte(o->w, '}');
}

static void put_frames(struct samples_out *o)
{
	if (export_names_open(&o->names, &o->file->texts.intern))
		count_uses(o);
	put(o, EXPORT_SPEEDSCOPE_HEAD);
	for (size_t i = 0; i < o->file->nframes && !ferror(o->w->out); i++) {
		put(o, i ? ",\n{\"name\":" : "\n{\"name\":");
		put_frame(o, &o->file->frames[i]);
	}
	if (o->paths.is_deep)
		put(o, ",\n{\"name\":\"" STACK_FRAMES_LEFT_OUT "\"}");
	put(o, "]}");
}

static void add_paths(struct samples_out *o)
{
	const struct sample_file *file = o->file;

	for (size_t i = 0; i < file->nstacks; i++)
		stack_paths_add(&o->paths, file->stacks[i].caller, file->stacks[i].frame);
	o->paths.left_out = (uint32_t)file->nframes;
}

static void set_path(struct samples_out *o, uint32_t stack)
{
	o->losses->is_shortened |= stack_paths_find(&o->paths, stack);
}

static int keep_piece(void *to, const struct sample_piece *piece, struct err *err)
{
	struct samples_out *o = to;

	(void)err;
	*ARRAY_PUSH(o->pieces, o->npieces, o->pieces_cap) = *piece;
	return 0;
}

static void put_sample(struct samples_out *o, const struct sample_piece *piece)
{
	set_path(o, piece->stack);
	put(o, o->between);
	o->between = ",\n[";
	for (size_t i = 0; i < o->paths.nframes; i++) {
		if (i)
			writer_byte(o->w, ',');
		put_int(o, o->paths.frames[i]);
	}
	writer_byte(o->w, ']');
}

static void put_event(struct samples_out *o, char type, int64_t at, uint32_t frame)
{
	put(o, o->between);
	o->between = ",\n";
	put(o, type == 'O' ? "{\"type\":\"O\",\"at\":" : "{\"type\":\"C\",\"at\":");
	put_amount(o, at);
	put(o, ",\"frame\":");
	put_int(o, frame);
	writer_byte(o->w, '}');
}

/* Closes all above the first `keep` frames. */
static void close_frames(struct samples_out *o, size_t keep, int64_t at)
{
	while (o->nopen > keep)
		put_event(o, 'C', at, o->open[--o->nopen]);
}

/* A piece lasts from its time on: what differs from the stack before is closed and opened. */
static void put_piece(struct samples_out *o, const struct sample_piece *piece)
{
	int64_t at =
		piece->ts_ns == NUMBER_NONE ? o->end : sum_add(piece->ts_ns, o->start_ns);
	const uint32_t *path = o->paths.frames;
	size_t same = 0;

	if (at < o->end) /* a store that was edited: none begins before the last ended */
		at = o->end;
	set_path(o, piece->stack);
	if (at > o->end)
		close_frames(o, 0, o->end);
	while (same < o->nopen && same < o->paths.nframes && o->open[same] == path[same])
		same++;
	close_frames(o, same, at);
	for (; same < o->paths.nframes; same++) {
		put_event(o, 'O', at, path[same]);
		*ARRAY_PUSH(o->open, o->nopen, o->open_cap) = path[same];
	}
	o->end = sum_add(at, piece->weight);
}

/* Samples of one thread: some of o->pieces. */
struct part {
	const struct sample_piece *pieces;
	size_t n;
	bool is_all; /* of the series: its own start and end hold */
};

/* Where the file says that it ends, a whole number or NUMBER_NONE, or where its samples do. */
static void put_end(struct samples_out *o, int64_t told, int64_t end)
{
	put(o, ",\"endValue\":");
	if (told != NUMBER_NONE && amount_of(o, told) >= end)
		put_int(o, told);
	else
		put_amount(o, end);
}

static void put_sampled(struct samples_out *o, const struct part *part)
{
	const struct sample_series *s = o->series;
	bool has_start =
		part->is_all && s->start_at != NUMBER_NONE && s->start_at <= s->end_at;
	int64_t start = has_start ? s->start_at : 0, end = amount_of(o, start);

	o->between = "\n[";
	put(o, ",\"samples\":[");
	for (size_t i = 0; i < part->n && !ferror(o->w->out); i++)
		put_sample(o, &part->pieces[i]);
	put(o, "],\n\"weights\":[");
	for (size_t i = 0; i < part->n && !ferror(o->w->out); i++) {
		if (i)
			writer_byte(o->w, ',');
		put_amount(o, part->pieces[i].weight);
		end = sum_add(end, part->pieces[i].weight);
	}
	put(o, "],\"startValue\":");
	put_int(o, start);
	put_end(o, part->is_all ? s->end_at : NUMBER_NONE, end);
}

static void put_evented(struct samples_out *o, const struct part *part)
{
	const struct sample_series *s = o->series;

	o->nopen = 0;
	o->end = s->start_at == NUMBER_NONE ? 0 : amount_of(o, s->start_at);
	o->between = "\n";
	put(o, ",\"startValue\":");
	put_amount(o, o->end);
	put(o, ",\"events\":[");
	for (size_t i = 0; i < part->n && !ferror(o->w->out); i++)
		put_piece(o, &part->pieces[i]);
	close_frames(o, 0, o->end);
	put(o, "]");
	put_end(o, s->end_at, o->end);
}

static const char *unit_of(const struct sample_series *series)
{
	if (series->unit == UNIT_NS)
		return "nanoseconds";
	return series->unit == UNIT_BYTES ? "bytes" : "none";
}

/* As py-spy calls the profile of a thread: Process 4 Thread 7 "MainThread". */
static void name_thread(const struct samples_out *o,
			const struct sample_file_thread *thread, struct buf *name)
{
	if (*o->series->mode && strcmp(o->series->mode, "allocation") != 0)
		buf_addf(name, "%s ", o->series->mode);
	if (thread->pid != NUMBER_NONE && thread->tid != NUMBER_NONE)
		buf_addf(name, "Process %lld ", (long long)thread->pid);
	if (thread->tid != NUMBER_NONE)
		buf_addf(name, "Thread %lld ", (long long)thread->tid);
	if (thread->name.n && thread->tid != NUMBER_NONE)
		buf_addf(name, "\"" STR_FMT "\"", STR_ARG(thread->name));
	else if (thread->name.n)
		buf_add_str(name, thread->name);
	else if (name->n)
		name->n--; /* the blank */
}

static void put_name(struct samples_out *o, const struct part *part)
{
	const struct sample_series *s = o->series;
	const struct sample_file_thread *thread =
		part->is_all ? NULL
			     : sample_file_thread(o->file, part->pieces->thread_id);
	struct buf name;

	buf_init(&name, SIZE_MAX);
	if (thread)
		name_thread(o, thread, &name);
	else
		buf_add_text(&name, *s->name ? s->name : *s->mode ? s->mode : "samples");
	json_text_str(o->w, buf_str(&name));
	buf_release(&name);
}

static void put_profile(struct samples_out *o, const struct part *part)
{
	const struct sample_series *s = o->series;
	bool is_evented = s->is_evented && s->sample_rows > 0;

	put(o, o->nprofiles++ ? "," : "");
	put(o, is_evented ? "\n{\"type\":\"evented\"" : "\n{\"type\":\"sampled\"");
	put(o, ",\"name\":");
	put_name(o, part);
	if (*s->mode) {
		put(o, ",\"mode\":");
		json_text_str(o->w, str_of(s->mode));
	}
	put(o, ",\"unit\":\"");
	put(o, unit_of(s));
	writer_byte(o->w, '"');
	if (is_evented)
		put_evented(o, part);
	else
		put_sampled(o, part);
	writer_byte(o->w, '}');
}

/* A profile for each thread, as py-spy has them. */
static int put_series(struct samples_out *o, struct store *store, struct err *err)
{
	o->npieces = 0;
	if (sample_file_each(store, o->file, o->series, keep_piece, o, err) < 0)
		return -1;
	SORT_BY(o->pieces, o->npieces, thread_id);
	if (o->npieces == 0)
		put_profile(o, &(const struct part){ NULL, 0, true });
	for (size_t at = 0; at < o->npieces && !ferror(o->w->out);) {
		struct part part = { &o->pieces[at], 0, false };
		while (at + part.n < o->npieces &&
		       part.pieces[part.n].thread_id == part.pieces->thread_id)
			part.n++;
		part.is_all = part.n == o->npieces;
		put_profile(o, &part);
		at += part.n;
	}
	return 0;
}

/*
 * A speedscope file's profiles of one unit are added up: of several quantities of one
 * unit it holds the one that is shown first.
 */
static void choose(struct samples_out *o)
{
	const struct sample_set *set = &o->file->set;

	for (size_t i = 0; i < set->nseries; i++) {
		const struct sample_series *s = &set->series[i];
		if (!o->first[s->unit] ||
		    (s->is_default && !o->first[s->unit]->is_default))
			o->first[s->unit] = s;
	}
}

static bool is_written(const struct samples_out *o, const struct sample_series *series)
{
	const struct sample_series *first = o->first[series->unit];

	return first == series || (strcmp(first->measure, series->measure) == 0 &&
				   strcmp(first->mode, series->mode) == 0);
}

static int put_all(struct samples_out *o, const struct export_request *request,
		   struct err *err)
{
	const struct sample_set *set = &o->file->set;
	size_t active = 0;

	choose(o);
	add_paths(o);
	put_frames(o);
	put(o, ",\"name\":");
	json_text_str(o->w, str_of(request->title));
	put(o, ",\"profiles\":[");
	for (size_t i = 0; i < set->nseries; i++) {
		o->series = &set->series[i];
		if (!is_written(o, o->series)) {
			o->losses->series++;
			continue;
		}
		if (o->series->is_default)
			active = o->nprofiles;
		if (put_series(o, request->store, err) < 0)
			return -1;
	}
	put(o, "\n],\"activeProfileIndex\":");
	put_int(o, (int64_t)active);
	put(o, "}\n");
	return 0;
}

int export_samples(const struct export_request *request, struct writer *w,
		   struct export_losses *losses, struct err *err)
{
	struct sample_file file;
	struct samples_out o = { .w = w,
				 .file = &file,
				 .losses = losses,
				 .start_ns = request->scope->profiles[0].start_ns };

	buf_init(&o.room, SIZE_MAX);
	int rc = sample_file_load(request->store, request->scope, &file, err);
	if (rc == 0)
		rc = put_all(&o, request, err);
	export_names_close(&o.names);
	buf_release(&o.room);
	sample_file_release(&file);
	stack_paths_release(&o.paths);
	free(o.open);
	free(o.pieces);
	return rc;
}
