/* Charts of steps and idle time: see report_charts.h. */
#include "cli/report_charts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "cli/report_colors.h"
#include "cli/report_rows.h"
#include "query/gaps/gap_cause.h"
#include "report/page_chart.h"

#define COLUMNS_MAX 2000

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

static void put_columns(struct report_making *m, const struct columns *c, const char *id)
{
	struct page_part parts[NPARTS];

	for (size_t i = 0; i < NPARTS; i++)
		parts[i] = (struct page_part){ with_device[i].color,
					       str_of(with_device[i].label), 0 };
	page_part_open(m->page->body, "panel",
		       PAGE_SLOTS(PAGE_TEXT("title", STR_LIT("Steps")),
				  PAGE_TEXT("about",
					    STR_LIT("what the time of each went to; the "
						    "line is the mean"))));
	page_columns(m->page, &(struct page_columns){ .id = id,
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

int report_steps_chart(struct report_making *m, const char *id, struct err *err)
{
	struct columns *c;

	if (m->kind != SCOPE_TRACES)
		return 0;
	c = xcalloc(1, sizeof(*c));
	int rc = report_rows_load(&c->rows, "steps --format json", m->reading, err);
	for (size_t i = 0; rc == 0 && i < report_rows_count(&c->rows); i++)
		take_row(c, i);
	if (c->n > 1 || c->mean)
		put_columns(m, c, id);
	report_rows_release(&c->rows);
	free(c);
	return rc;
}

int report_steps(struct report_making *m, struct err *err)
{
	return report_steps_chart(m, "chart-steps", err);
}

/* The title of a cause by its word. */
static struct str cause_title(struct str word)
{
	for (size_t i = 0; i < NGAP_CAUSES; i++)
		if (str_is(word, gap_causes[i].code))
			return str_of(gap_causes[i].title);
	return word;
}

static void add_cause(struct page_part *parts, size_t *n, struct str title, int64_t ns)
{
	size_t i = 0;

	while (i < *n && !str_equal(parts[i].label, title))
		i++;
	if (i == *n)
		parts[(*n)++] = (struct page_part){ report_color(title), title, 0 };
	parts[i].value += ns;
}

static int by_most(const void *a, const void *b)
{
	const struct page_part *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return str_compare(x->label, y->label);
}

int report_idle(struct report_making *m, struct err *err)
{
	struct page_part parts[NGAP_CAUSES];
	struct report_rows rows;
	size_t n = 0;
	int rc = report_rows_load(&rows, "gaps --format json", m->reading, err);

	for (size_t i = 0; rc == 0 && i < report_rows_count(&rows); i++)
		add_cause(parts, &n, cause_title(report_text(&rows, i, "cause")),
			  report_int(&rows, i, "idle_ns"));
	if (n) {
		qsort(parts, n, sizeof(*parts), by_most);
		page_part_open(m->page->body, "plain-panel", NULL);
		page_bar(m->page,
			 &(struct page_bar){ .id = "chart-causes",
					     .title = STR_LIT("Idle time by its causes"),
					     .about = STR_LIT("of all devices"),
					     .unit = UNIT_NS,
					     .parts = parts,
					     .nparts = n });
		page_part_close(m->page->body, "plain-panel");
	}
	report_rows_release(&rows);
	return rc;
}
