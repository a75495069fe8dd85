/* Charts of steps and idle time: see report_charts.h. */
#include "cli/report_charts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "cli/report_rows.h"
#include "query/gaps/gap_table.h"
#include "query/short_name.h"
#include "report/page_chart.h"
#include "report/page_table.h"

#define COLUMNS_MAX 2000
#define GAPS_LISTED 1000
#define STEPS_ID    "chart-steps"
#define STEPS_TITLE "Steps"
#define STEPS_ABOUT "what the time of each went to; the line is the mean"

/* Columns of `ptool steps`, from below. */
struct step_part {
	const char *column, *color, *label;
};

static const struct step_part with_device[] = {
	{ "kernel_ns", "kernel", "kernels" },
	{ "communication_ns", "comm", "communication" },
	{ "memcpy_ns", "memcpy", "copies" },
	{ "memset_ns", "memset", "sets" },
	{ "runtime_ns", "runtime", "runtime calls" },
	{ "dataloader_ns", "data", "data loading" },
	{ "cpu_exec_ns", "cpu", "CPU" },
	{ "other_ns", "other", "other" },
};

#define NPARTS (sizeof(with_device) / sizeof(*with_device))

struct columns {
	struct report_rows rows;
	struct str labels[COLUMNS_MAX];
	int64_t values[COLUMNS_MAX * NPARTS], places[2 * COLUMNS_MAX];
	size_t n;
	int64_t mean;
};

/* Of several profiles or devices the first. */
static bool is_first(struct columns *c, size_t row)
{
	struct cell device = report_cell(&c->rows, row, "device");
	struct cell first = report_cell(&c->rows, 0, "device");

	return report_int(&c->rows, row, "profile") ==
		       report_int(&c->rows, 0, "profile") &&
	       device.as.integer == first.as.integer;
}

static void take_row(struct columns *c, size_t row)
{
	struct str label = report_text(&c->rows, row, "step");
	int64_t total = report_int(&c->rows, row, "total_ns");

	if (!is_first(c, row) || c->n == COLUMNS_MAX)
		return;
	if (str_is(label, "mean")) {
		c->mean = total;
		return;
	}
	c->labels[c->n] = label;
	c->places[2 * c->n] = report_int(&c->rows, row, "start_ns");
	c->places[2 * c->n + 1] = c->places[2 * c->n] + total;
	for (size_t i = 0; i < NPARTS; i++)
		c->values[c->n * NPARTS + i] =
			report_int(&c->rows, row, with_device[i].column);
	c->n++;
}

static void put_columns(struct report_making *m, const struct columns *c)
{
	struct page_part parts[NPARTS];

	for (size_t i = 0; i < NPARTS; i++)
		parts[i] = (struct page_part){ with_device[i].color,
					       str_of(with_device[i].label), 0 };
	page_part_open(m->page->body, "panel",
		       PAGE_SLOTS(PAGE_TEXT("title", STR_LIT(STEPS_TITLE)),
				  PAGE_TEXT("about", STR_LIT(STEPS_ABOUT))));
	page_columns(m->page, &(struct page_columns){ .id = STEPS_ID,
						      .what = "step",
						      .unit = UNIT_NS,
						      .parts = parts,
						      .nparts = NPARTS,
						      .labels = c->labels,
						      .values = c->values,
						      .places = c->places,
						      .ncolumns = c->n,
						      .mean = c->mean });
	page_part_close(m->page->body, "panel");
}

int report_steps_chart(struct report_making *m, struct err *err)
{
	struct columns *c;

	if (m->kind != SCOPE_TRACES)
		return 0;
	c = xcalloc(1, sizeof(*c));
	int rc = report_rows_load(&c->rows, "steps --format json", m->reading, err);
	for (size_t i = 0; rc == 0 && i < report_rows_count(&c->rows); i++)
		take_row(c, i);
	if (c->n > 1 || c->mean)
		put_columns(m, c);
	report_rows_release(&c->rows);
	free(c);
	return rc;
}

int report_steps(struct report_making *m, struct err *err)
{
	(void)err;
	page_chart_again(m->page, "columns", STEPS_ID, STEPS_TITLE, STEPS_ABOUT);
	return 0;
}

/* What reads the same is read once. */
int report_idle(struct report_making *m, struct err *err)
{
	static const struct gap_table_request sums = { .for_people = true };
	static const struct gap_table_request list = { .is_list = true,
						       .limit = GAPS_LISTED };
	static const struct page_table hows[] = {
		{ .id = "table-gaps",
		  .title = "Causes of idle time",
		  .about = "and what the host was in",
		  .bar = "idle_ns data;idle_per_step_ns data",
		  .of = "share_pct idle time",
		  .shorten = short_name_add },
		{ .id = "table-gap-list",
		  .title = "Longest gaps",
		  .about = "the 1,000 longest",
		  .bar = "dur_ns data",
		  .only = "rank device start_ns dur_ns step cause blamed before after",
		  .shorten = short_name_add },
	};
	struct table *tables[] = { NULL, NULL };
	struct err why = ERR_INIT;

	page_chart_again(m->page, "parts", REPORT_IDLE_ID, "Idle time by its causes",
			 "of all devices; shares are of the idle time");
	int rc = gap_tables_open(m->reading->store, m->reading->scope, &sums, &list,
				 tables, &why);
	for (size_t i = 0; rc >= 0 && i < 2; i++)
		rc = page_table(m->page, &hows[i], tables[i], &why);
	table_free(tables[0]);
	table_free(tables[1]);
	if (rc < 0 && why.kind == ERR_EMPTY) {
		page_part(m->page->body, "absent",
			  PAGE_SLOTS(PAGE_TEXT("text", str_of(why.text))));
		return 0;
	}
	if (rc < 0)
		*err = why;
	return rc < 0 ? -1 : 0;
}
