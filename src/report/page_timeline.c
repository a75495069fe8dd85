/* A timeline within a page: see page_timeline.h. */
#include "report/page_timeline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "report/json_text.h"
#include "report/page_blob.h"
#include "report/page_columns.h"

/* The columns of a track: five, and two more of device work or where there are bundles. */
enum { GAP, DUR, NAME, ROW, DETAIL, LAUNCH, OP, NCOLUMNS, BUNDLED = LAUNCH, BUSY = OP };

#define VALUE_BYTES 8 /* of a counter's values */

/* An element holds tracks of so many bytes at least: some recordings have many small ones. */
#define ELEMENT_BYTES ((size_t)1 << 18)

struct page_timeline {
	FILE *out;
	struct page_column columns[NCOLUMNS];
	struct buf bytes; /* of the tracks since the newest element */
	int64_t *ends;    /* owned; of the newest slices of its rows, in units */
	size_t ends_cap;
	struct writer *meta; /* what is said of the tracks and their names, as JSON */
	size_t ntracks, nelements;
	struct spelt spelt; /* of what tracks and details say */
	page_color_fn *color;
};

/* Tracks. */

static bool is_whole_us(const struct timeline_slice *s)
{
	return s->start_ns % 1000 == 0 && s->dur_ns % 1000 == 0 && s->busy_ns % 1000 == 0;
}

static int64_t unit_of(const struct timeline_track *track)
{
	for (size_t i = 0; i < track->n; i++)
		if (!is_whole_us(&track->slices[i]))
			return 1;
	return 1000;
}

static bool has_links(const struct timeline_track *track)
{
	return track->kind == TIMELINE_STREAM || track->kind == TIMELINE_COLLECTIVES;
}

/* *launch is that of the slice before. */
static void add_links(struct page_timeline *p, const struct timeline_slice *s,
		      int64_t *launch)
{
	page_column_add(&p->columns[LAUNCH],
			s->launch ? 1 + zigzag_of(s->launch - *launch) : 0);
	if (s->launch)
		*launch = s->launch;
	page_column_add(&p->columns[OP], s->op ? 1 + zigzag_of(*launch - s->op) : 0);
}

static void add_slices(struct page_timeline *p, const struct timeline_track *track,
		       int64_t unit)
{
	int64_t before = 0, row = -1, detail = 0, launch = 0;
	bool links = has_links(track);

	for (size_t i = 0; i < track->n; i++) {
		const struct timeline_slice *s = &track->slices[i];
		int64_t start = s->start_ns / unit, dur = s->dur_ns / unit;
		int64_t *end = &p->ends[s->row];
		page_column_add(&p->columns[GAP],
				zigzag_of(start - (s->row > row ? before : *end)));
		page_column_add(&p->columns[DUR], (uint64_t)dur);
		page_column_add(&p->columns[NAME], s->name);
		page_column_add(&p->columns[ROW], s->row);
		page_column_add(&p->columns[DETAIL], zigzag_of(s->detail - detail));
		if (links) {
			add_links(p, s, &launch);
		} else if (track->has_bundles) {
			page_column_add(&p->columns[BUNDLED], s->bundled);
			page_column_add(&p->columns[BUSY], (uint64_t)(s->busy_ns / unit));
		}
		*end = start + dur;
		before = start;
		row = s->row;
		detail = s->detail;
	}
}

static void pack_slices(struct page_timeline *p, const struct timeline_track *track,
			int64_t unit)
{
	size_t n = has_links(track) || track->has_bundles ? NCOLUMNS : DETAIL + 1;

	if (p->ends_cap < track->rows)
		p->ends = xgrow(p->ends, &p->ends_cap, track->rows, sizeof(*p->ends));
	memset(p->ends, 0, track->rows * sizeof(*p->ends));
	add_slices(p, track, unit);
	page_number_write(track->n, &p->bytes);
	page_number_write(n, &p->bytes);
	for (size_t i = 0; i < n; i++)
		page_column_write(&p->columns[i], &p->bytes);
}

/* Times as a column, values as eight planes of the bytes of doubles, the lowest first. */
static void pack_samples(struct page_timeline *p, const struct timeline_track *track)
{
	int64_t before = 0;

	page_number_write(track->nsamples, &p->bytes);
	page_number_write(1, &p->bytes);
	for (size_t i = 0; i < track->nsamples; i++) {
		int64_t ts_ns = track->samples[i].ts_ns;
		page_column_add(&p->columns[GAP], (uint64_t)(ts_ns - before));
		before = ts_ns;
	}
	page_column_write(&p->columns[GAP], &p->bytes);
	for (unsigned plane = 0; plane < VALUE_BYTES; plane++) {
		for (size_t i = 0; i < track->nsamples; i++) {
			uint64_t bits;
			memcpy(&bits, &track->samples[i].value, sizeof(bits));
			buf_add_char(&p->bytes, (char)(bits >> 8 * plane & 0xff));
		}
	}
}

/* What they are called. */

static void put_text(struct page_timeline *p, const char *text)
{
	writer_str(p->meta, str_of(text));
}

static void put_number(struct page_timeline *p, int64_t number)
{
	char text[UNITS_TEXT_MAX];

	writer_str(p->meta, units_integer(number, text));
}

static void put_cell(struct page_timeline *p, enum unit unit, const struct cell *cell)
{
	json_text_part(p->meta, unit, cell, &p->spelt);
}

static void put_name(struct page_timeline *p, struct str name)
{
	const struct cell cell = cell_text(name);

	put_cell(p, UNIT_TEXT, &cell);
}

static int64_t end_of(const struct timeline_track *track)
{
	int64_t end_ns = 0;

	for (size_t i = 0; i < track->n; i++) {
		const struct timeline_slice *s = &track->slices[i];
		if (end_ns < s->start_ns + s->dur_ns)
			end_ns = s->start_ns + s->dur_ns;
	}
	return track->nsamples ? track->samples[track->nsamples - 1].ts_ns : end_ns;
}

static void put_fact(struct page_timeline *p, const char *key, int64_t number)
{
	put_text(p, key);
	put_number(p, number);
}

static void put_track(struct page_timeline *p, const struct timeline_track *track,
		      int64_t unit, size_t at)
{
	static const char *const kinds[NTIMELINE_KINDS] = {
		[TIMELINE_THREAD] = "thread",      [TIMELINE_ASYNC] = "async",
		[TIMELINE_STREAM_NOTES] = "notes", [TIMELINE_STREAM] = "stream",
		[TIMELINE_IDLE] = "idle",          [TIMELINE_COLLECTIVES] = "collectives",
		[TIMELINE_COUNTER] = "counter",
	};

	put_text(p, p->ntracks++ ? ",\n{\"kind\":\"" : "{\"kind\":\"");
	put_text(p, kinds[track->kind]);
	put_text(p, "\",\"name\":");
	put_name(p, track->name);
	put_text(p, ",\"process\":");
	put_name(p, track->process);
	put_text(p, ",\"pid\":");
	put_cell(p, UNIT_ID, &track->pid);
	put_text(p, ",\"tid\":");
	put_cell(p, UNIT_ID, &track->tid);
	put_text(p, ",\"device\":");
	put_cell(p, UNIT_ID, &track->device);
	put_fact(p, ",\"profile\":", (int64_t)track->profile);
	put_fact(p, ",\"element\":", (int64_t)p->nelements);
	put_fact(p, ",\"at\":", (int64_t)at);
	put_fact(p, ",\"n\":", (int64_t)(track->n ? track->n : track->nsamples));
	put_fact(p, ",\"rows\":", track->rows);
	put_fact(p, ",\"unit\":", unit);
	put_fact(p, ",\"base\":", track->base);
	put_fact(p, ",\"end\":", end_of(track));
	put_text(p, ",\"values\":");
	json_text_str(p->meta, str_of(units_word(track->values)));
	put_text(p, track->has_bundles ? ",\"bundles\":true}" : ",\"bundles\":false}");
}

static void put_names(struct page_timeline *p, const struct timeline_head *head)
{
	put_text(p, "],\n\"names\":[");
	for (size_t i = 0; i < head->nnames; i++) {
		put_text(p, i ? ",\n" : "");
		json_text_str(p->meta, head->names[i].text);
	}
	put_text(p, "],\n\"short\":[");
	for (size_t i = 0; i < head->nnames; i++) {
		const struct timeline_name *name = &head->names[i];
		put_text(p, i ? "," : "");
		if (str_equal(name->text, name->shorter))
			put_text(p, "null");
		else
			json_text_str(p->meta, name->shorter);
	}
	put_text(p, "],\n\"class\":[");
	for (size_t i = 0; i < head->nnames; i++)
		put_fact(p, i ? "," : "", head->names[i].class);
	put_text(p, "],\n\"classes\":[");
	for (size_t i = 0; i < head->nclasses; i++) {
		put_text(p, i ? "," : "");
		json_text_str(p->meta, str_of(head->classes[i]));
	}
	put_text(p, "]");
}

/* Of causes of idle time, whose classes are called "idle ...": [name, colour]. */
static void put_colors(struct page_timeline *p, const struct timeline_head *head)
{
	bool is_first = true;

	put_text(p, ",\n\"colors\":[");
	for (size_t i = 0; i < head->nnames; i++) {
		const struct timeline_name *name = &head->names[i];
		if (strncmp(head->classes[name->class], "idle ", 5) != 0)
			continue;
		put_fact(p, is_first ? "[" : ",[", (int64_t)i);
		put_text(p, ",");
		json_text_str(p->meta, str_of(p->color(name->text)));
		put_text(p, "]");
		is_first = false;
	}
	put_text(p, "]");
}

static void put_profiles(struct page_timeline *p, const struct timeline_head *head)
{
	int64_t dur_ns = 0;

	put_text(p, ",\n\"profiles\":[");
	for (size_t i = 0; i < head->nprofiles; i++) {
		const struct timeline_profile *profile = &head->profiles[i];
		put_text(p, i ? ",\n{\"rank\":" : "{\"rank\":");
		put_cell(p, UNIT_ID, &profile->rank);
		put_text(p, ",\"path\":");
		json_text_str(p->meta, profile->path);
		put_fact(p, ",\"shift\":", profile->shift_ns);
		put_fact(p, ",\"dur\":", profile->dur_ns);
		put_text(p, "}");
		if (dur_ns < profile->shift_ns + profile->dur_ns)
			dur_ns = profile->shift_ns + profile->dur_ns;
	}
	put_text(p, "],\n\"steps\":[");
	for (size_t i = 0; i < head->nsteps; i++) {
		const struct timeline_step *step = &head->steps[i];
		put_fact(p, i ? ",[" : "[", step->number);
		put_fact(p, ",", step->start_ns);
		put_fact(p, ",", step->dur_ns);
		put_fact(p, ",", (int64_t)step->profile);
		put_text(p, "]");
	}
	put_fact(p, "],\n\"dur\":", dur_ns);
	put_text(p, head->is_aligned ? ",\"aligned\":true" : ",\"aligned\":false");
}

/* The cells of a row that are recorded, each behind its column's place. */
static void put_details_row(struct page_timeline *p, const struct table *t,
			    const struct cell *cells)
{
	bool is_first = true;

	put_text(p, "[");
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (cells[i].type == CELL_NULL)
			continue;
		put_fact(p, is_first ? "" : ",", (int64_t)i);
		put_text(p, ",");
		put_cell(p, t->columns[i].unit, &cells[i]);
		is_first = false;
	}
	put_text(p, "]");
}

static int put_details(struct page_timeline *p, struct table *t, struct err *err)
{
	struct cell *cells = xrealloc_array(NULL, t->ncolumns, sizeof(*cells));
	int rc;

	put_text(p, ",\n\"details\":{\"columns\":[");
	for (size_t i = 0; i < t->ncolumns; i++) {
		put_text(p, i ? ",{\"name\":" : "{\"name\":");
		json_text_str(p->meta, str_of(t->columns[i].name));
		put_text(p, ",\"title\":");
		json_text_str(p->meta, str_of(t->columns[i].title));
		put_text(p, ",\"unit\":");
		json_text_str(p->meta, str_of(units_word(t->columns[i].unit)));
		put_text(p, "}");
	}
	put_text(p, "],\"rows\":[");
	for (bool is_first = true; (rc = t->next(t, cells, err)) > 0; is_first = false) {
		put_text(p, is_first ? "" : ",\n");
		put_details_row(p, t, cells);
	}
	put_text(p, "]}");
	free(cells);
	return rc;
}

static void put_bundles(struct page_timeline *p, const struct timeline_head *head)
{
	put_fact(p, ",\n\"slices\":", head->slices);
	put_fact(p, ",\"bundled\":", head->bundled);
	put_fact(p, ",\"bundle_ns\":", head->bundle_ns);
	put_text(p, ",\"whole\":[");
	for (size_t i = 0; i < head->nwhole; i++) {
		put_fact(p, i ? ",[" : "[", (int64_t)head->whole[i].profile);
		put_fact(p, ",", head->whole[i].start_ns);
		put_fact(p, ",", head->whole[i].end_ns);
		put_text(p, "]");
	}
	put_text(p, "]}\n");
}

static int put_head(struct page_timeline *p, struct timeline *timeline, struct err *err)
{
	struct timeline_head head;

	timeline->head(timeline, &head);
	put_names(p, &head);
	put_colors(p, &head);
	put_profiles(p, &head);
	if (put_details(p, head.details, err) < 0)
		return -1;
	put_bundles(p, &head);
	return 0;
}

static void put_element(struct page_timeline *p)
{
	char id[32];

	snprintf(id, sizeof(id), "tracks-%zu", p->nelements++);
	page_blob(p->out, id, (struct bytes){ (const uint8_t *)p->bytes.p, p->bytes.n });
	buf_clear(&p->bytes);
}

static int put_tracks(struct page_timeline *p, struct timeline *timeline, struct err *err)
{
	struct timeline_track track;
	int rc;

	put_text(p, "{\"tracks\":[\n");
	while ((rc = timeline->next(timeline, &track, err)) > 0) {
		int64_t unit = track.nsamples ? 1 : unit_of(&track);
		size_t at = p->bytes.n;
		if (track.kind == TIMELINE_COUNTER)
			pack_samples(p, &track);
		else
			pack_slices(p, &track, unit);
		put_track(p, &track, unit, at);
		if (p->bytes.n >= ELEMENT_BYTES)
			put_element(p);
	}
	if (p->bytes.n > 0)
		put_element(p);
	return rc;
}

int page_timeline(FILE *out, struct timeline *timeline, page_color_fn *color,
		  struct err *err)
{
	struct page_timeline p = { .out = out, .color = color };
	char *text = NULL;
	size_t n = 0;
	FILE *meta = xopen_memory(&text, &n);
	struct writer writer = { .out = meta };
	p.meta = &writer;
	buf_init(&p.bytes, SIZE_MAX);
	int rc = put_tracks(&p, timeline, err);
	if (rc == 0)
		rc = put_head(&p, timeline, err);
	writer_flush(&writer);
	fclose(meta);
	if (rc == 0)
		page_blob(out, "timeline-meta",
			  (struct bytes){ (const uint8_t *)text, n });
	for (size_t i = 0; i < NCOLUMNS; i++)
		page_column_release(&p.columns[i]);
	buf_release(&p.bytes);
	free(p.ends);
	free(text);
	return rc;
}
