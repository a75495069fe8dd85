/* Charts of a page: see page_chart.h. */
#include "report/page_chart.h"

#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "report/json_text.h"
#include "report/page_blob.h"

#define LEAST_SHARE 0.4 /* percent of a bar that its list names */

/* JSON that is made piece by piece. */
struct making {
	struct page_stream stream;
	struct writer w;
};

static void begin(struct making *m)
{
	page_stream_open(&m->stream);
	m->w = (struct writer){ .out = m->stream.out };
}

static void end(struct making *m, struct page *p, const char *id)
{
	writer_flush(&m->w);
	page_data(p->data, id, page_stream_text(&m->stream));
	page_stream_release(&m->stream);
}

/* What stands between members, and their names, is JSON of ours. */
static void put(struct making *m, const char *json)
{
	writer_str(&m->w, str_of(json));
}

static void put_number(struct making *m, int64_t value)
{
	char text[UNITS_TEXT_MAX];

	writer_str(&m->w, units_integer(value, text));
}

static void put_numbers(struct making *m, const int64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		put(m, i ? "," : "[");
		put_number(m, values[i]);
	}
	put(m, n ? "]" : "[]");
}

/* "key":"kernel","label":"..." */
static void put_key(struct making *m, const char *color, struct str label)
{
	put(m, "\"key\":\"");
	put(m, color);
	put(m, "\",\"label\":");
	json_text_str(&m->w, label);
}

static void put_unit(struct making *m, enum unit unit)
{
	put(m, "{\"unit\":\"");
	put(m, units_word(unit));
	put(m, "\"");
}

static void put_place(struct page *p, const char *kind, const char *id)
{
	page_part(
		p->body, "chart",
		PAGE_SLOTS(PAGE_TEXT("kind", str_of(kind)), PAGE_TEXT("id", str_of(id))));
}

void page_chart_again(struct page *p, const char *kind, const char *id, const char *title,
		      const char *about)
{
	page_part(p->body, "again",
		  PAGE_SLOTS(PAGE_TEXT("kind", str_of(kind)), PAGE_TEXT("id", str_of(id)),
			     PAGE_TEXT("title", str_of(title)),
			     PAGE_TEXT("about", str_of(about))));
}

static int64_t sum_of(const struct page_part *parts, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = sum_add(sum, parts[i].value);
	return sum;
}

static void put_parts(struct page *p, const struct page_bar *bar)
{
	struct making m;
	const char *before = "";

	begin(&m);
	put_unit(&m, bar->unit);
	put(&m, bar->is_thin ? ",\"thin\":true" : "");
	if (bar->whole) {
		put(&m, ",\"whole\":");
		put_number(&m, bar->whole);
	}
	put(&m, ",\"parts\":[");
	for (size_t i = 0; i < bar->nparts; i++) {
		if (bar->parts[i].value <= 0)
			continue;
		put(&m, before);
		put(&m, "{");
		put_key(&m, bar->parts[i].color, bar->parts[i].label);
		put(&m, ",\"value\":");
		put_number(&m, bar->parts[i].value);
		put(&m, "}");
		before = ",";
	}
	put(&m, "]}");
	end(&m, p, bar->id);
}

/* "33.4%, 59.3 ms" */
static struct str share_text(struct page *p, const struct page_bar *bar, int64_t value,
			     int64_t sum)
{
	char number[UNITS_TEXT_MAX];
	struct str text = units_text(bar->unit, cell_int(value), number);

	return str_of(arena_printf(&p->arena, "%.1f%%, " STR_FMT,
				   100.0 * (double)value / (double)sum, STR_ARG(text)));
}

static void put_legend(struct page *p, const struct page_bar *bar, int64_t sum)
{
	page_part_open(p->body, "keys", NULL);
	for (size_t i = 0; i < bar->nparts; i++) {
		const struct page_part *part = &bar->parts[i];
		if (100.0 * (double)part->value < LEAST_SHARE * (double)sum)
			continue;
		page_part(p->body, "key",
			  PAGE_SLOTS(PAGE_TEXT("color", str_of(part->color)),
				     PAGE_TEXT("label", part->label),
				     PAGE_TEXT("value",
					       share_text(p, bar, part->value, sum))));
	}
	page_part_close(p->body, "keys");
}

void page_bar(struct page *p, const struct page_bar *bar)
{
	int64_t sum = sum_of(bar->parts, bar->nparts);
	const struct page_slot *slots = PAGE_SLOTS(PAGE_TEXT("title", bar->title),
						   PAGE_TEXT("about", bar->about));

	if (sum <= 0)
		return;
	page_part_open(p->body, "bar", slots);
	put_place(p, "parts", bar->id);
	put_legend(p, bar, sum);
	page_part_close(p->body, "bar");
	put_parts(p, bar);
	p->has_data = true;
}

/* Is any of these in a column? */
static bool is_used(const struct page_columns *c, size_t part)
{
	for (size_t i = 0; i < c->ncolumns; i++)
		if (c->values[i * c->nparts + part] > 0)
			return true;
	return false;
}

static void put_color_list(struct page *p, const struct page_columns *c)
{
	const struct page_part *parts = c->parts;

	page_part_open(p->body, "keys", NULL);
	for (size_t i = 0; i < c->nparts; i++) {
		if (!is_used(c, i))
			continue;
		page_part(p->body, "key",
			  PAGE_SLOTS(PAGE_TEXT("color", str_of(parts[i].color)),
				     PAGE_TEXT("label", parts[i].label)));
	}
	page_part_close(p->body, "keys");
}

void page_columns(struct page *p, const struct page_columns *c)
{
	struct making m;

	put_place(p, "columns", c->id);
	put_color_list(p, c);
	begin(&m);
	put_unit(&m, c->unit);
	put(&m, ",\"what\":");
	json_text_str(&m.w, str_of(c->what));
	put(&m, ",\"mean\":");
	put_number(&m, c->mean);
	put(&m, ",\"keys\":[");
	for (size_t i = 0; i < c->nparts; i++) {
		put(&m, i ? ",{" : "{");
		put_key(&m, c->parts[i].color, c->parts[i].label);
		put(&m, "}");
	}
	put(&m, "],\"labels\":[");
	for (size_t i = 0; i < c->ncolumns; i++) {
		put(&m, i ? "," : "");
		json_text_str(&m.w, c->labels[i]);
	}
	put(&m, "],\"rows\":[");
	for (size_t i = 0; i < c->ncolumns; i++) {
		put(&m, i ? "," : "");
		put_numbers(&m, c->values + i * c->nparts, c->nparts);
	}
	put(&m, "]");
	for (size_t i = 0; c->places && i < c->ncolumns; i++) {
		put(&m, i ? "," : ",\"places\":[");
		put_numbers(&m, c->places + 2 * i, 2);
	}
	put(&m, c->places && c->ncolumns ? "]}" : "}");
	end(&m, p, c->id);
	p->has_data = true;
}

/* A member with one number of each level. */
static void put_levels(struct making *m, const struct page_series *s, const char *name,
		       size_t offset)
{
	put(m, name);
	for (size_t i = 0; i < s->n; i++) {
		int64_t value;
		memcpy(&value, (const char *)&s->levels[i] + offset, sizeof(value));
		put(m, i ? "," : "[");
		put_number(m, value);
	}
	put(m, s->n ? "]" : "[]");
}

void page_curve(struct page *p, const struct page_curve *c)
{
	struct making m;

	put_place(p, "curve", c->id);
	begin(&m);
	put_unit(&m, c->unit);
	put(&m, ",\"length\":");
	put_number(&m, c->length_ns);
	put(&m, ",\"series\":[");
	page_part_open(p->body, "keys", NULL);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct page_series *s = &c->series[i];
		put(&m, i ? ",{" : "{");
		put_key(&m, s->color, s->label);
		put(&m, s->is_dashed ? ",\"dashed\":true" : "");
		put_levels(&m, s, ",\"at\":", offsetof(struct page_level, at_ns));
		put_levels(&m, s, ",\"low\":", offsetof(struct page_level, low));
		put_levels(&m, s, ",\"high\":", offsetof(struct page_level, high));
		put_levels(&m, s, ",\"last\":", offsetof(struct page_level, last));
		put(&m, "}");
		page_part(p->body, "key",
			  PAGE_SLOTS(PAGE_TEXT("color", str_of(s->color)),
				     PAGE_TEXT("label", s->label),
				     PAGE_TEXT("value",
					       str_of(s->is_dashed ? "dashed" : ""))));
	}
	page_part_close(p->body, "keys");
	put(&m, "],\"marks\":[");
	for (size_t i = 0; i < c->nmarks; i++) {
		put(&m, i ? ",[" : "[");
		put_number(&m, c->marks_ns[i]);
		put(&m, ",");
		json_text_str(&m.w, c->marks[i]);
		put(&m, "]");
	}
	put(&m, "]}");
	end(&m, p, c->id);
	p->has_data = true;
}

void page_strip(struct page *p, const char *id, enum unit unit,
		const struct page_side *sides, size_t n)
{
	struct making m;

	put_place(p, "strip", id);
	begin(&m);
	put_unit(&m, unit);
	put(&m, ",\"sides\":[");
	for (size_t i = 0; i < n; i++) {
		put(&m, i ? ",{" : "{");
		put_key(&m, sides[i].color, sides[i].label);
		put(&m, ",\"median\":");
		put_number(&m, sides[i].median);
		put(&m, ",\"values\":");
		put_numbers(&m, sides[i].values, sides[i].n);
		put(&m, "}");
	}
	put(&m, "]}");
	end(&m, p, id);
	p->has_data = true;
}
