/*
 * ptool export --to chrome: a trace again, or what filters choose of it, as JSON for
 * ui.perfetto.dev, chrome://tracing, HTA and ptool itself.  Device work brings its
 * launches and arrows, idle time and its causes are a track of their own, and work that
 * overlaps on a stream is put on lanes, as viewers drop what overlaps.
 * Source: Google's "Trace Event Format"; what PyTorch writes: ptool-formats(5).
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/lanes.h"
#include "base/search.h"
#include "base/sum.h"
#include "cli/export_names.h"
#include "cli/export_trace.h"
#include "report/json_text.h"
#include "trace/export_marks.h"

#define NS_PER_US 1000

#define EVENT_STACKS 16 /* in whose place an event is, for export_names_choose() */

/* Where a slice that was written is, for the arrows at it. */
struct place {
	int64_t id, ts_ns;
	const struct event_track *track;
	size_t lane; /* of a stream, as find_lane() has it */
};

struct chrome_out {
	struct writer w;
	struct export_trace trace;
	struct lanes lanes; /* owned; of the newest stream: when the last on each ends */
	struct place *places; /* owned; by id */
	size_t nplaces, places_cap;
	int64_t narrows;
	const char *between; /* events */
	struct intern texts; /* long ones, that events share */
	uint64_t *uses;      /* owned: by text */
	size_t uses_cap;
	struct export_names names;
	struct buf room; /* for one that is cut */
};

static void put(struct chrome_out *o, const char *text)
{
	writer_str(&o->w, str_of(text));
}

static void put_int(struct chrome_out *o, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	put(o, text);
}

/* Microseconds, with the nanoseconds behind the point where there are some. */
static void put_us(struct chrome_out *o, int64_t ns)
{
	char text[32];
	uint64_t rest = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	snprintf(text, sizeof(text), "%s%llu.%03llu", ns < 0 ? "-" : "",
		 (unsigned long long)(rest / NS_PER_US),
		 (unsigned long long)(rest % NS_PER_US));
	put(o, text);
}

static void put_cell(struct chrome_out *o, const struct cell *cell)
{
	json_text_cell(&o->w, UNIT_ANY, cell);
}

/* A name that many events may have: the next call takes its room. */
static struct str cut_name(struct chrome_out *o, struct str name)
{
	return name.n > o->names.most
		       ? export_names_text(&o->names, intern_add(&o->texts, name),
					   &o->room)
		       : name;
}

/* {"ph":"X","cat":"c","name":"n", */
static void begin_event(struct chrome_out *o, const char *ph, struct str category,
			struct str name)
{
	put(o, o->between);
	o->between = ",\n";
	put(o, "{\"ph\":\"");
	put(o, ph);
	writer_byte(&o->w, '"');
	if (category.p) {
		put(o, ",\"cat\":");
		json_text_str(&o->w, cut_name(o, category));
	}
	put(o, ",\"name\":");
	json_text_str(&o->w, cut_name(o, name));
}

/* Where it is: ,"pid":1,"tid":2 */
static void put_place(struct chrome_out *o, const struct event_track *track, size_t lane)
{
	char text[EXPORT_LANE_MAX];

	put(o, ",\"pid\":");
	put_cell(o, &track->pid);
	put(o, ",\"tid\":");
	if (lane == 0 || track->tid.type != CELL_INT) {
		put_cell(o, &track->tid);
		return;
	}
	export_lane(track->tid.as.integer, lane, text);
	json_text_str(&o->w, str_of(text));
}

/* ,"ts":1.500,"args":{...}} */
static void end_event(struct chrome_out *o, int64_t ts_ns, struct str args)
{
	put(o, ",\"ts\":");
	put_us(o, sum_add(ts_ns, o->trace.profile->start_ns));
	if (args.n > sizeof("{}") - 1) {
		put(o, ",\"args\":");
		json_text_whole(&o->w, args);
	}
	writer_byte(&o->w, '}');
	writer_flush(&o->w);
}

/* Names of processes and threads; those of counters and asynchronous slices have none. */
static void put_naming(struct chrome_out *o, const struct event_track *track,
		       const char *name, const char *key, struct cell value)
{
	if (value.type == CELL_NULL)
		return;
	begin_event(o, "M", (struct str){ NULL, 0 }, str_of(name));
	put_place(o, track, 0);
	put(o, ",\"args\":{\"");
	put(o, key);
	put(o, "\":");
	put_cell(o, &value);
	put(o, "}}");
}

static struct cell cell_of(struct str text)
{
	return text.n ? cell_text(text) : cell_null();
}

static void put_namings(struct chrome_out *o)
{
	size_t n;
	const struct event_track *tracks = event_rows_tracks(o->trace.rows, &n);
	int64_t newest = 0;

	for (size_t i = 0; i < n; i++) {
		const struct event_track *t = &tracks[i];
		bool is_thread = strcmp(t->kind, "thread") == 0;
		if (t->pid.type == CELL_NULL)
			continue;
		if (t->upid != newest) {
			put_naming(o, t, "process_name", "name", cell_of(t->process));
			put_naming(o, t, "process_labels", "labels", cell_of(t->labels));
			put_naming(o, t, "process_sort_index", "sort_index",
				   t->process_sort);
		}
		newest = t->upid;
		if (!is_thread && strcmp(t->kind, "stream") != 0)
			continue;
		put_naming(o, t, "thread_name", "name", cell_of(t->name));
		if (is_thread)
			put_naming(o, t, "thread_sort_index", "sort_index",
				   t->thread_sort);
	}
}

/* The first lane that is free when the slice begins; 0 is the stream itself. */
static size_t find_lane(struct chrome_out *o, const struct event_row *row)
{
	int64_t end_ns = sum_add(row->ts_ns, row->dur_ns > 0 ? row->dur_ns : 0);
	size_t lane = lanes_at_most(&o->lanes, row->ts_ns);

	if (lane == o->lanes.n)
		lanes_add(&o->lanes, end_ns);
	else
		lanes_set(&o->lanes, lane, end_ns);
	return lane ? lane + 1 : 0;
}

/* The args of a slice, and those of its collective: two objects become one. */
static struct str joined_args(const struct event_row *row, struct buf *joined)
{
	if (row->more.n <= sizeof("{}") - 1)
		return row->args;
	if (row->args.n <= sizeof("{}") - 1)
		return row->more;
	buf_clear(joined);
	buf_add(joined, row->args.p, row->args.n - 1);
	buf_add_char(joined, ',');
	buf_add_str(joined, str_behind(row->more, 1));
	return buf_str(joined);
}

/*
 * An asynchronous track is called "cat id", "cat:scope id" or, of old events, "name id":
 * whatever part is taken for the id, reading joins them again.  A store that was edited may
 * call it anything; then the event has no id.
 */
static void put_async(struct chrome_out *o, const struct event_row *row, const char *ph)
{
	struct str text = row->track->name, scope = { NULL, 0 };
	struct str category = row->category.p ? row->category : STR_LIT("");
	bool is_nestable = str_starts_with(text, category) && text.n > category.n &&
			   (text.p[category.n] == ' ' || text.p[category.n] == ':');
	struct str front = is_nestable ? category : row->name;
	char old[] = { ph[0] == 'b' ? 'S' : 'F', '\0' };

	text = str_starts_with(text, front) ? str_behind(text, front.n) : STR_LIT("");
	if (is_nestable && text.n && text.p[0] == ':') {
		size_t at = text.n;
		while (at > 1 && text.p[at - 1] != ' ')
			at--;
		scope = (struct str){ text.p + 1, at > 2 ? at - 2 : 0 };
		text = str_behind(text, at - 1);
	}
	begin_event(o, is_nestable ? ph : old, row->category, row->name);
	if (scope.p) {
		put(o, ",\"scope\":");
		json_text_str(&o->w, cut_name(o, scope));
	}
	bool is_local = row->track->pid.type != CELL_NULL;
	put(o, is_local ? ",\"id2\":{\"local\":" : ",\"id\":");
	json_text_str(&o->w, cut_name(o, text.n ? str_behind(text, 1) : text));
	if (is_local)
		writer_byte(&o->w, '}');
	put_place(o, row->track, 0);
}

static void put_slice(struct chrome_out *o, const struct event_row *row, struct str args)
{
	bool is_async = strcmp(row->track->kind, "async") == 0;
	bool is_stream = strncmp(row->track->kind, "stream", 6) == 0;
	struct place *place = &o->places[o->nplaces - 1];

	if (is_async && !row->is_instant) {
		put_async(o, row, "b");
		end_event(o, row->ts_ns, args);
		put_async(o, row, "e");
		end_event(o, sum_add(row->ts_ns, row->dur_ns), (struct str){ NULL, 0 });
		return;
	}
	if (is_async) {
		put_async(o, row, "n");
	} else {
		begin_event(o, row->is_instant ? "i" : "X", row->category, row->name);
		if (is_stream)
			place->lane = find_lane(o, row);
		put_place(o, row->track, place->lane);
		put(o, row->is_instant ? ",\"s\":\"t\"" : ",\"dur\":");
		if (!row->is_instant)
			put_us(o, row->dur_ns);
	}
	end_event(o, row->ts_ns, args);
}

/* In the order of ids, which is that of tracks and, on each, of starts. */
static int put_slices(struct chrome_out *o, struct err *err)
{
	int64_t track_id = 0;
	struct event_row row;
	struct buf joined;
	int rc = 0;

	buf_init(&joined, SIZE_MAX);
	for (int64_t id = o->trace.cut.first;
	     (id = cut_next(&o->trace.cut, id)) && !ferror(o->w.out); id++) {
		if ((rc = export_trace_at(&o->trace, id, &row, err)) < 0)
			break;
		if (row.track->id != track_id)
			lanes_clear(&o->lanes);
		track_id = row.track->id;
		*ARRAY_PUSH(o->places, o->nplaces, o->places_cap) =
			(struct place){ id, row.ts_ns, row.track, 0 };
		put_slice(o, &row, joined_args(&row, &joined));
	}
	buf_release(&joined);
	return rc;
}

static void put_arrow_end(struct chrome_out *o, int64_t id, bool is_start,
			  struct str category)
{
	size_t at;

	SEARCH(at, 0, o->nplaces - 1, o->places[at].id < id);
	begin_event(o, is_start ? "s" : "f", category,
		    category.p ? category : STR_LIT(""));
	put(o, ",\"id\":");
	put_int(o, o->narrows);
	put_place(o, o->places[at].track, o->places[at].lane);
	if (!is_start)
		put(o, ",\"bp\":\"e\"");
	end_event(o, o->places[at].ts_ns, (struct str){ NULL, 0 });
}

/* Of slices that are written. */
static int put_arrow(void *to, const struct event_link *link, struct err *err)
{
	struct chrome_out *o = to;
	struct str category;

	if (!cut_has(&o->trace.cut, link->out_id) || !cut_has(&o->trace.cut, link->in_id))
		return 0;
	if (event_rows_text(o->trace.rows, link->category_id, &category, err) < 0)
		return -1;
	o->narrows++;
	put_arrow_end(o, link->out_id, true, category);
	put_arrow_end(o, link->in_id, false, category);
	return ferror(o->w.out) != 0;
}

static int put_sample(void *to, const struct event_sample *sample, struct err *err)
{
	struct chrome_out *o = to;
	struct str name = sample->track->name, series = name;
	size_t at = name.n;

	(void)err;
	while (at > 0 && name.p[at - 1] != ' ')
		at--;
	if (at > 0) {
		name.n = at - 1;
		series = str_behind(series, at);
	}
	begin_event(o, "C", (struct str){ NULL, 0 }, name);
	put_place(o, sample->track, 0);
	put(o, ",\"args\":{");
	json_text_str(&o->w, cut_name(o, series));
	writer_byte(&o->w, ':');
	put_cell(o, &sample->value);
	writer_byte(&o->w, '}');
	end_event(o, sample->ts_ns, (struct str){ NULL, 0 });
	return ferror(o->w.out) != 0;
}

/* Counters are of no thread and of no step: those of the time that was chosen. */
static int put_samples(struct chrome_out *o, struct err *err)
{
	bool is_all = !filter_is_given(o->trace.request->filter);

	return event_rows_samples(
		o->trace.rows, is_all ? INT64_MIN : o->trace.cut.from_ns,
		is_all ? INT64_MAX : o->trace.cut.to_ns, put_sample, o, err);
}

static int put_gap(void *to, const struct export_gap *gap, struct err *err)
{
	struct chrome_out *o = to;
	struct buf device;

	(void)err;
	buf_init(&device, SIZE_MAX);
	buf_add_text(&device, "idle, device ");
	buf_add_str(&device, gap->device);
	begin_event(o, "X", STR_LIT(EXPORT_IDLE), gap->cause);
	put(o, ",\"pid\":\"" EXPORT_IDLE_PROCESS "\",\"tid\":");
	json_text_str(&o->w, buf_str(&device));
	buf_release(&device);
	put(o, ",\"dur\":");
	put_us(o, gap->dur_ns);
	if (gap->blamed.n) {
		put(o, ",\"args\":{\"look at\":");
		json_text_str(&o->w, gap->blamed);
		writer_byte(&o->w, '}');
	}
	end_event(o, gap->start_ns, (struct str){ NULL, 0 });
	return ferror(o->w.out) != 0;
}

/* What stands beside the events, and how the recording is to be read. */
static int put_head(struct chrome_out *o, struct err *err)
{
	struct event_head head;

	if (event_rows_head(o->trace.rows, &head, err) < 0)
		return -1;
	put(o, "{\n\"" EXPORT_ENTRY "\":");
	json_text_whole(&o->w, head.rules);
	if (head.entries.n > sizeof("{}") - 1) {
		put(o, ",\n");
		json_text_whole(&o->w,
				(struct str){ head.entries.p + 1, head.entries.n - 2 });
	}
	put(o, ",\n\"traceEvents\":[");
	return 0;
}

static int put_all(struct chrome_out *o, struct err *err)
{
	if (put_head(o, err) < 0)
		return -1;
	put_namings(o);
	if (put_slices(o, err) < 0)
		return -1;
	if (ferror(o->w.out)) /* not all slices have a place */
		return 0;
	if (event_rows_links(o->trace.rows, put_arrow, o, err) < 0 ||
	    put_samples(o, err) < 0 || export_trace_gaps(&o->trace, put_gap, o, err) < 0)
		return -1;
	put(o, "\n]}\n");
	writer_flush(&o->w);
	return 0;
}

static void add_name(void *to, struct str text, int64_t uses)
{
	struct chrome_out *o = to;
	uint32_t number = intern_add(&o->texts, text);

	*ARRAY_AT(o->uses, o->uses_cap, number) += uses > 0 ? (uint64_t)uses : 0;
}

static int choose_names(struct chrome_out *o, struct err *err)
{
	if (event_rows_names(o->trace.rows, SPELT_PART, add_name, o, err) < 0)
		return -1;
	if (export_names_open(&o->names, &o->texts)) {
		memcpy(o->names.uses, o->uses, o->texts.n * sizeof(*o->uses));
		export_names_choose(&o->names,
				    (size_t)o->trace.profile->slices * EVENT_STACKS,
				    o->trace.losses);
	}
	return 0;
}

static int write_chrome(const struct export_request *request, FILE *out,
			struct export_losses *losses, struct err *err)
{
	struct chrome_out o = { .w.out = out, .between = "\n" };

	int rc = export_trace_open(request, &o.trace, losses, err);
	intern_init(&o.texts);
	buf_init(&o.room, SIZE_MAX);
	if (rc == 0)
		rc = choose_names(&o, err);
	if (rc == 0)
		rc = put_all(&o, err);
	export_names_close(&o.names);
	intern_release(&o.texts);
	buf_release(&o.room);
	export_trace_close(&o.trace);
	lanes_release(&o.lanes);
	free(o.places);
	free(o.uses);
	return rc;
}

static const char *const suffixes[] = { ".trace.json", ".json", NULL };

const struct exporter export_chrome = {
	.name = "chrome",
	.suffixes = suffixes,
	.takes_filters = true,
	.write = write_chrome,
};
