/* Where the time of Python went, by package: a bar of the first tab. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/sum.h"
#include "cli/report_charts.h"
#include "cli/report_colors.h"
#include "cli/report_rows.h"
#include "report/page_chart.h"

#define SHOWN ((size_t)7)

static const struct amount {
	const char *column;
	enum unit unit;
} amounts[] = { { "self_ns", UNIT_NS },
		{ "self_bytes", UNIT_BYTES },
		{ "self_count", UNIT_COUNT } };

struct packages {
	struct intern names;
	int64_t *sums; /* owned; by name */
	size_t cap;
	enum unit unit;
};

/* What stands behind the last `mark`; empty where it is not there. */
static struct str behind(struct str path, const char *mark)
{
	size_t n = strlen(mark);

	for (size_t at = path.n; at >= n; at--)
		if (memcmp(path.p + at - n, mark, n) == 0)
			return str_behind(path, at);
	return STR_LIT("");
}

/* Behind "lib/python3.11/", the library of Python itself. */
static struct str in_library(struct str path)
{
	struct str rest = behind(path, "/python");
	size_t digits = 0;

	while (digits < rest.n && ((rest.p[digits] >= '0' && rest.p[digits] <= '9') ||
				   rest.p[digits] == '.'))
		digits++;
	return digits && digits < rest.n && rest.p[digits] == '/'
		       ? str_behind(rest, digits + 1)
		       : STR_LIT("");
}

static struct str first_part(struct str path)
{
	const char *slash = path.n ? memchr(path.p, '/', path.n) : NULL;
	struct str part = { path.p, slash ? (size_t)(slash - path.p) : path.n };

	if (part.n > 3 && memcmp(part.p + part.n - 3, ".py", 3) == 0)
		part.n -= 3;
	return part;
}

/* "torch" of ".../site-packages/torch/nn/linear.py"; of the program's own files the file. */
static struct str package_of(struct str file)
{
	static const char *const installed[] = { "/site-packages/", "/dist-packages/" };
	struct str rest;

	for (size_t i = 0; i < 2; i++)
		if ((rest = behind(file, installed[i])).n)
			return first_part(rest);
	if ((rest = in_library(file)).n)
		return first_part(rest);
	if (!file.n || str_is(file, "~") || file.p[0] == '<')
		return STR_LIT("built in");
	rest = behind(file, "/");
	return rest.n ? rest : file;
}

static void add_row(struct packages *p, struct report_rows *rows, size_t row)
{
	for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++) {
		struct cell cell = report_cell(rows, row, amounts[i].column);
		if (cell.type != CELL_INT)
			continue;
		struct str name = package_of(report_text(rows, row, "file"));
		int64_t *sum = ARRAY_AT(p->sums, p->cap, intern_add(&p->names, name));
		*sum = sum_add(*sum, cell.as.integer);
		p->unit = amounts[i].unit;
		return;
	}
}

/* The largest first, then by name. */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct packages *p = context;

	if (p->sums[a] != p->sums[b])
		return p->sums[a] > p->sums[b];
	return str_compare(intern_str(&p->names, a), intern_str(&p->names, b)) < 0;
}

static void put_bar(struct report_making *m, const struct packages *p)
{
	uint32_t *order = sorted_places(p->names.n, is_before, p);
	struct page_part parts[SHOWN + 1];
	size_t n = 0;

	for (size_t i = 0; i < p->names.n; i++) {
		int64_t sum = p->sums[order[i]];
		if (i < SHOWN)
			parts[n++] = (struct page_part){ report_color_at(i),
							 intern_str(&p->names, order[i]),
							 sum };
		else if (i == SHOWN)
			parts[n++] = (struct page_part){ report_color_at(i),
							 STR_LIT("all others"), sum };
		else
			parts[SHOWN].value = sum_add(parts[SHOWN].value, sum);
	}
	page_bar(m->page,
		 &(struct page_bar){
			 .id = "chart-packages",
			 .title = STR_LIT("Packages"),
			 .about = STR_LIT(
				 "files outside of packages are shown one by one"),
			 .unit = p->unit,
			 .parts = parts,
			 .nparts = n });
	free(order);
}

int report_packages(struct report_making *m, struct err *err)
{
	struct packages p = { .cap = 0 };
	struct report_rows rows = { .rows = NULL };
	int rc = report_rows_load(&rows, "top -n 0 --format json", m->reading, err);

	intern_init(&p.names);
	for (size_t i = 0; rc == 0 && i < report_rows_count(&rows); i++)
		add_row(&p, &rows, i);
	if (p.names.n > 1)
		put_bar(m, &p);
	intern_release(&p.names);
	free(p.sums);
	report_rows_release(&rows);
	return rc;
}
