/* Charts of steps and idle time: see report_charts.h. */
#include "cli/report_charts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/report_colors.h"
#include "query/gaps/gap_table.h"
#include "query/short_name.h"
#include "query/steps/steps.h"
#include "report/page_chart.h"
#include "report/page_table.h"

#define GAPS_LISTED 1000
#define STEPS_ID    "chart-steps"
#define STEPS_TITLE "Steps"
#define STEPS_DRAWN ((size_t)PAGE_MARKS_MOST)
#define STEPS_ABOUT                                                    \
	"what the time of each went to; of more than " PAGE_MARKS_TEXT \
	" the longest in "                                             \
	"each place; the line is the mean"

/* From below. */
static const enum step_category order[NSTEP_CATEGORIES] = {
	STEP_KERNEL,  STEP_COMMUNICATION, STEP_MEMCPY,    STEP_MEMSET,
	STEP_RUNTIME, STEP_DATA_LOADING,  STEP_OPERATORS, STEP_OTHER,
};

/* Arrays of a chart, owned. */
struct columns {
	struct page_part parts[NSTEP_CATEGORIES];
	struct str *labels;
	int64_t *values, *places;
};

/* The longest of those that share the place of a column. */
static const struct overview_step *step_at(const struct overview_more *of, size_t column,
					   size_t ncolumns)
{
	size_t first = column * of->nsteps / ncolumns;
	size_t end = (column + 1) * of->nsteps / ncolumns;
	const struct overview_step *longest = &of->steps[first];

	for (size_t i = first; i < end; i++)
		if (of->steps[i].total_ns > longest->total_ns)
			longest = &of->steps[i];
	return longest;
}

static void fill_columns(struct report_making *m, const struct overview_more *of,
			 struct columns *c, size_t n)
{
	c->labels = xrealloc_array(NULL, n, sizeof(*c->labels));
	c->values = xrealloc_array(NULL, n * NSTEP_CATEGORIES, sizeof(*c->values));
	c->places = xrealloc_array(NULL, 2 * n, sizeof(*c->places));
	for (size_t k = 0; k < NSTEP_CATEGORIES; k++) {
		struct str name = str_of(steps_category_name(order[k]));
		c->parts[k] = (struct page_part){ report_color(name), name, 0 };
	}
	for (size_t i = 0; i < n; i++) {
		const struct overview_step *step = step_at(of, i, n);
		c->labels[i] =
			str_of(arena_printf(&m->page->arena, "%" PRId64, step->number));
		c->places[2 * i] = step->start_ns;
		c->places[2 * i + 1] = step->start_ns + step->total_ns;
		for (size_t k = 0; k < NSTEP_CATEGORIES; k++)
			c->values[i * NSTEP_CATEGORIES + k] = step->category_ns[order[k]];
	}
}

void report_steps_chart(struct report_making *m, const struct overview_more *of,
			int64_t mean_ns)
{
	size_t n = of->nsteps < STEPS_DRAWN ? of->nsteps : STEPS_DRAWN;
	struct columns c;

	if (n == 0)
		return;
	fill_columns(m, of, &c, n);
	page_part_open(m->page->body, "panel",
		       PAGE_SLOTS(PAGE_TEXT("title", STR_LIT(STEPS_TITLE)),
				  PAGE_TEXT("about", STR_LIT(STEPS_ABOUT))));
	page_columns(m->page, &(struct page_columns){ .id = STEPS_ID,
						      .what = "step",
						      .unit = UNIT_NS,
						      .parts = c.parts,
						      .nparts = NSTEP_CATEGORIES,
						      .labels = c.labels,
						      .values = c.values,
						      .places = c.places,
						      .ncolumns = n,
						      .mean = mean_ns });
	page_part_close(m->page->body, "panel");
	free(c.labels);
	free(c.values);
	free(c.places);
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
