/* Charts of steps and idle time: see report_charts.h. */
#include "cli/report_charts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "cli/report_rows.h"
#include "report/page_chart.h"

#define COLUMNS_MAX 2000
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

int report_idle(struct report_making *m, struct err *err)
{
	(void)err;
	page_chart_again(m->page, "parts", REPORT_IDLE_ID, "Idle time by its causes",
			 "of all devices; shares are of the idle time");
	return 0;
}
