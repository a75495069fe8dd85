/* The first tab of a page: why is it slow, where a step goes, what to try. */
#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/sum.h"
#include "base/units.h"
#include "cli/report_charts.h"
#include "cli/report_colors.h"
#include "cli/report_findings.h"
#include "cli/report_rows.h"
#include "query/overview/overview.h"
#include "query/short_name.h"
#include "report/page_chart.h"

#define PARTS_MAX  16
#define NAME_CELLS 44 /* of a name beside a bar */

struct making {
	struct report_making *on;
	struct page *page;
	struct report_rows rows;   /* of ptool overview */
	struct report_rows advice; /* of ptool advise; none of call graphs */
	struct overview_more more;
};

static bool is_row(const struct making *m, size_t row, enum overview_block block)
{
	struct cell cell = report_cell(&m->rows, row, "block");

	return str_is(cell.as.text, overview_block_name(block));
}

static struct str item_of(const struct making *m, size_t row)
{
	return report_cell(&m->rows, row, "item").as.text;
}

/* The row of this name in a block; false: it is not there. */
static bool find(const struct making *m, enum overview_block block, const char *item,
		 size_t *row)
{
	for (size_t i = 0; i < report_rows_count(&m->rows); i++)
		if (is_row(m, i, block) && str_is(item_of(m, i), item)) {
			*row = i;
			return true;
		}
	return false;
}

static enum unit unit_of(const struct making *m, size_t row)
{
	struct str word = report_cell(&m->rows, row, "unit").as.text;

	return str_is(word, "bytes") ? UNIT_BYTES
	       : str_is(word, "ns")  ? UNIT_NS
				     : UNIT_COUNT;
}

static struct str value_text(struct making *m, size_t row)
{
	char number[UNITS_TEXT_MAX];
	struct cell cell = report_cell(&m->rows, row, "value");

	if (cell.type == CELL_TEXT)
		return cell.as.text;
	return arena_copy(&m->page->arena, units_text(unit_of(m, row), cell, number));
}

static double share_of(const struct making *m, size_t row)
{
	struct cell cell = report_cell(&m->rows, row, "share_pct");

	return cell.type == CELL_REAL  ? cell.as.real
	       : cell.type == CELL_INT ? (double)cell.as.integer
				       : 0;
}

static struct str short_text(struct making *m, struct str name)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	short_name_add(&text, name, NAME_CELLS);
	struct str copy = arena_copy(&m->page->arena, buf_str(&text));
	buf_release(&text);
	return copy;
}

/* What the head of the page says. */
static void add_facts(struct making *m)
{
	size_t row;

	for (size_t i = 0; i < report_rows_count(&m->rows); i++) {
		bool is_named = is_row(m, i, OVERVIEW_RECORDING) &&
				report_cell(&m->rows, i, "value").type == CELL_NULL;
		if (is_named) /* a device */
			page_fact(m->page, item_of(m, i));
	}
	if (find(m, OVERVIEW_RECORDING, "format", &row))
		page_fact(m->page, value_text(m, row));
	if (find(m, OVERVIEW_RECORDING, "span", &row) &&
	    report_int(&m->rows, row, "value") > 0)
		page_fact(m->page, value_text(m, row));
	if (find(m, OVERVIEW_STEPS, "steps", &row))
		page_fact(m->page,
			  str_of(arena_printf(&m->page->arena, STR_FMT " %s",
					      STR_ARG(value_text(m, row)),
					      report_int(&m->rows, row, "value") == 1
						      ? "step"
						      : "steps")));
	if (find(m, OVERVIEW_RECORDING, "ranks", &row) &&
	    report_int(&m->rows, row, "value") > 1)
		page_fact(m->page, str_of(arena_printf(&m->page->arena, STR_FMT " ranks",
						       STR_ARG(value_text(m, row)))));
	if (find(m, OVERVIEW_RECORDING, "slices", &row) &&
	    report_int(&m->rows, row, "value") > 0)
		page_fact(m->page, str_of(arena_printf(&m->page->arena, STR_FMT " slices",
						       STR_ARG(value_text(m, row)))));
}

/* Rows of a block as parts of a bar; those without a share are none. */
static size_t take_parts(struct making *m, enum overview_block block, bool by_name,
			 struct page_part parts[PARTS_MAX])
{
	int64_t whole = 0, sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < report_rows_count(&m->rows) && n < PARTS_MAX - 1; i++) {
		struct str item = item_of(m, i);
		int64_t value = report_int(&m->rows, i, "value");
		double share = share_of(m, i);
		if (!is_row(m, i, block) || share <= 0 || value <= 0)
			continue;
		if (str_is(item, "total") || str_is(item, "busy") || str_is(item, "idle"))
			continue;
		parts[n] = (struct page_part){ by_name ? report_color(item)
						       : report_color_at(n),
					       short_text(m, item), value };
		sum = sum_add(sum, value);
		whole = sum_of_double((double)value * 100 / share);
		n++;
	}
	if (!by_name && sum_sub(whole, sum) > whole / 500)
		parts[n++] =
			(struct page_part){ "other", STR_LIT("all others"), whole - sum };
	return n;
}

/* " of rank 0", " of profile 1", where there are several. */
static const char *of_which(struct making *m)
{
	size_t row;

	if (!find(m, OVERVIEW_STEPS, "rank", &row) &&
	    !find(m, OVERVIEW_STEPS, "profile", &row))
		return "";
	struct str what = item_of(m, row);
	return arena_printf(&m->page->arena, " of " STR_FMT " " STR_FMT, STR_ARG(what),
			    STR_ARG(value_text(m, row)));
}

/* "mean of 3 steps", "1 step" */
static struct str mean_text(struct making *m, size_t row)
{
	return report_int(&m->rows, row, "value") == 1
		       ? STR_LIT("1 step")
		       : str_of(arena_printf(&m->page->arena, "mean of " STR_FMT " steps",
					     STR_ARG(value_text(m, row))));
}

static void add_step_bar(struct making *m)
{
	struct page_part parts[PARTS_MAX];
	size_t mean, steps;

	if (!find(m, OVERVIEW_STEPS, "mean", &mean) ||
	    !find(m, OVERVIEW_STEPS, "steps", &steps))
		return;
	size_t n = take_parts(m, OVERVIEW_STEPS, true, parts);
	struct arena *arena = &m->page->arena;
	page_bar(m->page,
		 &(struct page_bar){
			 .id = "chart-step",
			 .title = str_of(arena_printf(arena,
						      "Where a step of " STR_FMT " goes",
						      STR_ARG(value_text(m, mean)))),
			 .about = str_of(arena_printf(
				 arena,
				 STR_FMT "%s; time in which a device works is the "
					 "device's, the rest is the host's",
				 STR_ARG(mean_text(m, steps)), of_which(m))),
			 .unit = UNIT_NS,
			 .parts = parts,
			 .nparts = n });
}

/* Its denominator is its own: a step and the idle time of a device are not the same. */
static void add_idle_bar(struct making *m)
{
	struct page_part parts[PARTS_MAX];
	struct arena *arena = &m->page->arena;
	size_t idle, busy;

	if (!find(m, OVERVIEW_IDLE, "idle", &idle) ||
	    !find(m, OVERVIEW_IDLE, "busy", &busy))
		return;
	int64_t idle_ns = report_int(&m->rows, idle, "value");
	int64_t span_ns = idle_ns + report_int(&m->rows, busy, "value");
	char number[UNITS_TEXT_MAX];
	struct str span =
		arena_copy(arena, units_text(UNIT_NS, cell_int(span_ns), number));
	size_t n = take_parts(m, OVERVIEW_IDLE, true, parts);
	page_bar(m->page,
		 &(struct page_bar){
			 .id = REPORT_IDLE_ID,
			 .title = str_of(arena_printf(
				 arena, "Why devices are idle %.1f%% of their time",
				 share_of(m, idle))),
			 .about = str_of(arena_printf(
				 arena,
				 STR_FMT " of " STR_FMT "; shares are of the idle time",
				 STR_ARG(value_text(m, idle)), STR_ARG(span))),
			 .unit = UNIT_NS,
			 .parts = parts,
			 .nparts = n,
			 .is_thin = true });
}

static void add_name_bar(struct making *m, enum overview_block block, const char *id,
			 const char *title, const char *about)
{
	struct page_part parts[PARTS_MAX];
	size_t n = take_parts(m, block, false, parts), row = 0;

	while (row < report_rows_count(&m->rows) &&
	       (!is_row(m, row, block) || share_of(m, row) <= 0 ||
		report_int(&m->rows, row, "value") <= 0))
		row++;
	if (n)
		page_bar(m->page, &(struct page_bar){ .id = id,
						      .title = str_of(title),
						      .about = str_of(about),
						      .unit = unit_of(m, row),
						      .parts = parts,
						      .nparts = n,
						      .is_thin = true });
}

static int add_answer(struct making *m, struct err *err)
{
	size_t host;
	bool is_host = find(m, OVERVIEW_OPERATORS, "host", &host);
	FILE *out = m->page->body;
	int rc = 0;

	page_part_open(out, "plain-panel", NULL);
	page_part(out, "verdict",
		  PAGE_SLOTS(PAGE_TEXT("text", str_of(m->more.verdict.sentence)),
			     PAGE_TEXT("worth", str_of(m->more.verdict.worth))));
	add_step_bar(m);
	add_idle_bar(m);
	add_name_bar(m, OVERVIEW_KERNELS, "chart-kernels", "Kernels",
		     "by the sum of their times, on all streams");
	add_name_bar(m, OVERVIEW_OPERATORS, "chart-operators", "Operators",
		     is_host ? "by their own time on the CPU"
			     : "by the time of the device work that they launched");
	add_name_bar(m, OVERVIEW_FUNCTIONS, "chart-functions", "Functions",
		     "by their own time, without what they called");
	if (m->on->kind == SCOPE_CALL_GRAPHS || m->on->kind == SCOPE_SAMPLES)
		rc = report_packages(m->on, err);
	page_part_close(out, "plain-panel");
	return rc;
}

static void add_chip(struct making *m, struct str value, const char *label)
{
	page_part(
		m->page->body, "chip",
		PAGE_SLOTS(PAGE_TEXT("value", value), PAGE_TEXT("label", str_of(label))));
}

/* Of one device in several recordings the largest counts, the first of those that are equal. */
static void add_peaks(struct making *m)
{
	struct arena *arena = &m->page->arena;
	struct intern devices;
	size_t *highest = NULL, cap = 0;

	intern_init(&devices);
	for (size_t i = 0; i < report_rows_count(&m->rows); i++) {
		if (!is_row(m, i, OVERVIEW_MEMORY))
			continue;
		size_t known = devices.n;
		uint32_t device = intern_add(&devices, item_of(m, i));
		size_t *row = ARRAY_AT(highest, cap, device);
		if (device == known || report_int(&m->rows, i, "value") >
					       report_int(&m->rows, *row, "value"))
			*row = i;
	}
	for (uint32_t i = 0; highest && i < devices.n; i++)
		add_chip(m, value_text(m, highest[i]),
			 arena_printf(arena, "peak of memory, " STR_FMT,
				      STR_ARG(intern_str(&devices, i))));
	intern_release(&devices);
	free(highest);
}

static const char *steps_word(const struct making *m)
{
	size_t row;

	return find(m, OVERVIEW_STEPS, "steps", &row) &&
			       report_int(&m->rows, row, "value") == 1
		       ? "length of the step"
		       : "mean of the steps";
}

static void add_chips(struct making *m)
{
	struct arena *arena = &m->page->arena;
	FILE *body = m->page->body;
	struct page_stream chips;
	size_t row;

	page_stream_open(&chips);
	m->page->body = chips.out;
	if (find(m, OVERVIEW_IDLE, "busy", &row))
		add_chip(m, str_of(arena_printf(arena, "%.1f%%", share_of(m, row))),
			 "busy, of the devices' time");
	if (find(m, OVERVIEW_STEPS, "mean", &row))
		add_chip(m, value_text(m, row), steps_word(m));
	if (find(m, OVERVIEW_RECORDING, "span", &row) &&
	    report_int(&m->rows, row, "value") > 0)
		add_chip(m, value_text(m, row), "recorded");
	add_peaks(m);
	m->page->body = body;
	if (page_stream_text(&chips).n)
		page_part(body, "chips",
			  PAGE_SLOTS(PAGE_MARKUP("body", page_stream_text(&chips))));
	page_stream_release(&chips);
}

/* Most rules are about causes of idle time, where a device can be idle. */
static void add_findings(struct making *m)
{
	size_t row;
	const struct report_finding_words words = {
		.of = find(m, OVERVIEW_STEPS, "steps", &row) ? "a step"
							     : "of the recording",
		.has_places = m->on->reading->scope->n > 1,
		.tab = find(m, OVERVIEW_IDLE, "idle", &row) ? "idle" : "timeline",
	};

	report_findings(m->page, &m->advice, &words);
}

static int load(struct making *m, struct err *err)
{
	const struct reading *r = m->on->reading;
	const struct overview_request request = { .name = m->page->title,
						  .arguments = "",
						  .more = &m->more };
	struct table *table = NULL;
	int rc = overview_open(r->store, r->scope, &request, &table, err);

	if (rc == 0)
		rc = report_rows_take(&m->rows, table, err);
	if (rc == 0 && m->more.advice)
		rc = report_rows_take(&m->advice, m->more.advice, err);
	table_free(table);
	return rc;
}

static int64_t mean_of(const struct making *m)
{
	size_t row;

	return find(m, OVERVIEW_STEPS, "mean", &row) ? report_int(&m->rows, row, "value")
						     : 0;
}

int report_overview(struct report_making *on, struct err *err)
{
	struct making m = { .on = on, .page = on->page };
	FILE *out = on->page->body;
	int rc = load(&m, err);

	if (rc == 0) {
		add_facts(&m);
		page_part_open(out, "two", NULL);
		page_part_open(out, "column", NULL);
		rc = add_answer(&m, err);
		report_steps_chart(on, &m.more, mean_of(&m));
		page_part_close(out, "column");
		page_part_open(out, "column", NULL);
		add_chips(&m);
		add_findings(&m);
		page_part_close(out, "column");
		page_part_close(out, "two");
		on->page->has_data = true;
	}
	table_free(m.more.advice);
	free(m.more.steps);
	arena_release(&m.more.arena);
	report_rows_release(&m.rows);
	report_rows_release(&m.advice);
	return rc;
}
