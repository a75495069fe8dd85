/* Two recordings on a page: see report_diff.h. */
#include "cli/report_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "base/units.h"
#include "cli/diff_sides.h"
#include "cli/report_charts.h"
#include "cli/report_colors.h"
#include "cli/report_flame.h"
#include "cli/report_rows.h"
#include "query/diff/diff_view.h"
#include "query/short_name.h"
#include "report/page_chart.h"
#include "report/page_table.h"

#define ALPHA      0.05 /* as of ptool diff */
#define MIN_EFFECT 1.0
#define PARTS_MAX  16

struct making {
	struct page *page;
	const struct report_opts *opts;
	struct diff_sides sides;
	struct diff_request request;
	struct diff diff;
};

static const char *const side_names[NDIFF_SIDES] = { "Before", "After" };
static const char *const side_ids[NDIFF_SIDES] = { "base-", "new-" };

static const struct filter no_filter = { .focus = NULL };

static struct str amount_text(struct making *m, int64_t value)
{
	char number[UNITS_TEXT_MAX];
	enum unit unit = diff_subject_unit(&m->diff);

	return arena_copy(&m->page->arena, units_text(unit, cell_int(value), number));
}

/* "A step is 20.1% shorter: 174.8 ms became 139.7 ms." */
static const char *sentence(struct making *m)
{
	struct arena *arena = &m->page->arena;
	const struct diff *d = &m->diff;
	int64_t before = d->sides[DIFF_BASE].subject, after = d->sides[DIFF_NEW].subject;
	double change = 100.0 * (double)sum_sub(after, before) / (double)before;
	struct str from = amount_text(m, before), to = amount_text(m, after);
	const char *what = diff_subject_name(d);
	const char *article = d->subject == DIFF_OF_STEPS ? "A" : "The";

	if (before == after)
		return arena_printf(arena, "Nothing changed: %s %s is " STR_FMT ".",
				    d->subject == DIFF_OF_STEPS ? "a" : "the", what,
				    STR_ARG(from));
	if (d->headline.verdict == DIFF_SLOWER || d->headline.verdict == DIFF_FASTER)
		return arena_printf(
			arena, "%s %s is %s%s: " STR_FMT " became " STR_FMT ".", article,
			what, before ? arena_printf(arena, "%.1f%% ", fabs(change)) : "",
			after < before ? "shorter" : "longer", STR_ARG(from),
			STR_ARG(to));
	return arena_printf(arena,
			    "%s %s went from " STR_FMT " to " STR_FMT
			    "%s; that may be chance.",
			    article, what, STR_ARG(from), STR_ARG(to),
			    before ? arena_printf(arena, ", %+.1f%%", change) : "");
}

/* The lines of ptool diff below its sentence. */
static const char *statistics(struct making *m)
{
	const char *const *lines = diff_headline_lines(&m->diff, &m->page->arena);
	const char *text = "";

	for (size_t i = 0; lines[i]; i++)
		text = arena_printf(&m->page->arena, "%s%s%s", text, i ? ". " : "",
				    lines[i]);
	return text;
}

static const char *part_color(struct str part, size_t n)
{
	static const struct {
		const char *part, *color;
	} known[] = { { "compute", "kernel" },
		      { "exposed communication", "comm" },
		      { "exposed copies", "memcpy" },
		      { "idle", "other" } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (str_is(part, known[i].part))
			return known[i].color;
	return report_color_at(n);
}

/* The last row is what the others add up to. */
static int64_t whole_of(const struct report_rows *rows, const char *column)
{
	return report_int(rows, report_rows_count(rows) - 1, column);
}

static void add_side_bar(struct making *m, struct report_rows *rows, enum diff_which side)
{
	static const char *const columns[NDIFF_SIDES] = { "base_ns", "new_ns" };
	struct page_part parts[PARTS_MAX];
	size_t n = 0, last = report_rows_count(rows) - 1;
	int64_t base = whole_of(rows, columns[DIFF_BASE]);
	int64_t new = whole_of(rows, columns[DIFF_NEW]);

	for (size_t i = 0; i < last && n < PARTS_MAX; i++) {
		struct str part = report_text(rows, i, "part");
		parts[n] = (struct page_part){ part_color(part, n), part,
					       report_int(rows, i, columns[side]) };
		n++;
	}
	page_bar(m->page,
		 &(struct page_bar){
			 .id = side == DIFF_BASE ? "chart-before" : "chart-after",
			 .title = str_of(side_names[side]),
			 .about = amount_text(m, whole_of(rows, columns[side])),
			 .unit = UNIT_NS,
			 .parts = parts,
			 .nparts = n,
			 .whole = base > new ? base : new });
}

/* Both sides' parts, drawn to one scale. */
static int add_bars(struct making *m, struct err *err)
{
	const struct view_request all = { .limit = 0 };
	struct report_rows rows = { .rows = NULL };
	struct table *table = NULL;
	int rc = diff_open_view(&m->diff, DIFF_PART_ACCOUNTING, &all, &table, err);

	if (rc < 0 && err->kind == ERR_EMPTY) {
		*err = (struct err)ERR_INIT;
		return 0;
	}
	if (rc == 0)
		rc = report_rows_take(&rows, table, err);
	if (rc == 0 && report_rows_count(&rows) > 1) {
		add_side_bar(m, &rows, DIFF_BASE);
		add_side_bar(m, &rows, DIFF_NEW);
	}
	report_rows_release(&rows);
	table_free(table);
	return rc;
}

/* Puts them in order. */
static int64_t median_of(int64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), sort_compare_int64);
	int64_t low = values[(n - 1) / 2], high = values[n / 2];
	return low + (high - low) / 2;
}

/* Of values in order as many as are drawn, the first and the last among them. */
static size_t thin_out(int64_t *values, size_t n)
{
	const size_t most = PAGE_MARKS_MOST;

	for (size_t i = 0; n > most && i < most; i++)
		values[i] = values[i * (n - 1) / (most - 1)];
	return n < most ? n : most;
}

/* The steps of a side; the caller frees. */
static int64_t *steps_of(const struct diff_side *side, size_t *n)
{
	int64_t *values = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < side->nruns; i++)
		for (size_t k = 0; k < side->steps[i].n; k++) {
			values = xgrow(values, &cap, *n + 1, sizeof(*values));
			values[(*n)++] = side->steps[i].items[k].dur_ns;
		}
	return values;
}

static void add_strip(struct making *m)
{
	struct page_side sides[NDIFF_SIDES];
	int64_t *values[NDIFF_SIDES];
	bool has_steps = true;

	for (size_t i = 0; i < NDIFF_SIDES; i++) {
		size_t n;
		values[i] = steps_of(&m->diff.sides[i], &n);
		int64_t median = n ? median_of(values[i], n) : 0;
		sides[i] =
			(struct page_side){ i ? "kernel" : "cpu", str_of(side_names[i]),
					    values[i], thin_out(values[i], n), median };
		has_steps = has_steps && n > 1;
	}
	if (has_steps) {
		page_part_open(
			m->page->body, "panel",
			PAGE_SLOTS(PAGE_TEXT("title", STR_LIT("Steps of both sides")),
				   PAGE_TEXT("about",
					     STR_LIT("a dot is a step, of more "
						     "than " PAGE_MARKS_TEXT
						     " each n-th by length; the line is "
						     "their median; time on the host"))));
		page_strip(m->page, "chart-sides", UNIT_NS, sides, NDIFF_SIDES);
		page_part_close(m->page->body, "panel");
	}
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		free(values[i]);
}

static int add_rows(struct making *m, const struct diff *d, const char *id,
		    const char *title, struct err *err)
{
	const struct view_request show = { .for_people = true };
	const struct page_table how = {
		.id = id,
		.title = title,
		.about = "delta is after less before",
		.of = "base_pct before;new_pct after;* before",
		.is_bare = true,
		.bar = "delta_ns delta;delta_bytes delta;delta_count "
		       "delta",
		.shorten = short_name_add
	};
	struct table *table = NULL;
	int rc = diff_open_view(d, DIFF_PART_ROWS, &show, &table, err);

	if (rc == 0)
		rc = page_table(m->page, &how, table, err) < 0 ? -1 : 0;
	table_free(table);
	return rc;
}

static int add_comparison(struct making *m, struct err *err)
{
	page_tab(m->page, "diff", "Comparison");
	page_part_open(m->page->body, "plain-panel", NULL);
	page_part(m->page->body, "verdict",
		  PAGE_SLOTS(PAGE_TEXT("text", str_of(sentence(m))),
			     PAGE_TEXT("worth", str_of(statistics(m)))));
	int rc = add_bars(m, err);
	page_part_close(m->page->body, "plain-panel");
	if (rc < 0)
		return -1;
	add_strip(m);
	m->page->has_data = true;
	return add_rows(m, &m->diff, "table-diff", "What changed", err);
}

/* Kernels by name; nothing where a side has none. */
static int add_kernels(struct making *m, struct err *err)
{
	struct diff_request request = m->request;
	struct diff d = { .request = NULL };

	if (m->diff.is_call_graph)
		return 0;
	request.by = diff_dimension_find("kernel");
	page_tab(m->page, "kernels", "Kernels");
	int rc = diff_open(&d, &request, err);
	if (rc == 0)
		rc = add_rows(m, &d, "table-diff-kernels", "Kernels", err);
	if (rc < 0 && err->kind == ERR_EMPTY) {
		page_part(m->page->body, "absent",
			  PAGE_SLOTS(PAGE_TEXT("text", str_of(err->text))));
		*err = (struct err)ERR_INIT;
		rc = 0;
	}
	diff_release(&d);
	return rc;
}

/* What a tab shows of each side, one below the other. */
static int add_sides(struct making *m, const struct report_table *tables,
		     int (*add)(struct report_making *m, struct err *err),
		     struct err *err)
{
	for (size_t i = 0; i < NDIFF_SIDES; i++) {
		const struct diff_run *run = m->sides.runs[i];
		const struct reading reading = { .store = run->store,
						 .path = run->name,
						 .scope = run->scope,
						 .for_people = true };
		struct report_making on = {
			.page = m->page,
			.reading = &reading,
			.opts = m->opts,
			.id = side_ids[i],
			.title = arena_printf(&m->page->arena, "%s: ", side_names[i]),
		};
		if (scope_kind(run->scope, &on.kind, err) < 0 ||
		    (add && add(&on, err) < 0))
			return -1;
		for (const struct report_table *t = tables; t->line; t++)
			if (report_table_add(&on, t, err) < 0)
				return -1;
	}
	return 0;
}

static const struct report_table memory_tables[] = {
	{ .line = "memory --wide", .id = "table-peaks", .title = "Peaks of memory" },
	{ .line = NULL }
};

static const struct report_table recording_tables[] = {
	{ .line = "info --wide", .id = "table-info", .title = "What was recorded" },
	{ .line = "doctor --wide",
	  .id = "table-doctor",
	  .title = "What was wrong with it" },
	{ .line = NULL }
};

/* What the user calls it: several runs are a baseline, or what else was given. */
static const char *side_name(const struct making *m, size_t side)
{
	return m->sides.n[side] > 1 ? m->opts->operands.items[side]
				    : m->sides.runs[side]->name;
}

static int add_all(struct making *m, struct err *err)
{
	if (add_comparison(m, err) < 0 || add_kernels(m, err) < 0)
		return -1;
	if (!m->diff.is_call_graph) {
		page_tab(m->page, "memory", "Memory");
		if (add_sides(m, memory_tables, report_memory, err) < 0)
			return -1;
	}
	page_tab(m->page, "flame", "Call tree");
	const char *names[NDIFF_SIDES] = { side_name(m, DIFF_BASE),
					   side_name(m, DIFF_NEW) };
	if (report_flame_diff(m->page, &m->sides, names, err) < 0)
		return -1;
	page_tab(m->page, "recording", "Recording");
	return add_sides(m, recording_tables, NULL, err);
}

static void add_names(struct making *m)
{
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		page_fact(m->page, str_of(arena_printf(&m->page->arena, "%s: %s",
						       i ? "after" : "before",
						       report_name(side_name(m, i)))));
}

int report_diff_add(struct page *page, const struct report_opts *o, const char **culprit,
		    struct err *err)
{
	const struct diff_side_opts side_opts = { .operands = o->operands,
						  .rank = o->scope.rank,
						  .profile = o->scope.profile,
						  .is_quiet = o->output.quiet,
						  .wants_slices = true };
	struct making m = { .page = page, .opts = o };
	const char *about = NULL;
	int rc = diff_sides_check(&side_opts, err);

	if (rc == 0)
		rc = diff_sides_open("report", &side_opts, &m.sides, &about, err);
	if (rc == 0) {
		m.request = (struct diff_request){ .filter = &no_filter,
						   .metric = NDIFF_METRICS,
						   .alpha = ALPHA,
						   .min_effect_pct = MIN_EFFECT };
		for (size_t i = 0; i < NDIFF_SIDES; i++) {
			m.request.runs[i] = m.sides.runs[i];
			m.request.nruns[i] = m.sides.n[i];
		}
		add_names(&m);
		rc = diff_open(&m.diff, &m.request, err);
		about = m.diff.culprit;
	}
	if (rc == 0)
		rc = add_all(&m, err);
	if (rc < 0)
		diff_sides_explain(&m.sides, err);
	*culprit = about ? arena_strdup(&page->arena, about) : NULL;
	diff_release(&m.diff);
	diff_sides_close(&m.sides);
	return rc;
}
