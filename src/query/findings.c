/* Findings with their explanations: see findings.h. */
#include "query/findings.h"

#include "base/buf.h"
#include "query/findings_rows.h"
#include "query/query.h"

#define CAPTION_MAX ((size_t)256)

const struct column finding_columns[NFINDING_COLUMNS] = {
	[FINDING_PROFILE] = { "profile", "Profile", UNIT_ID },
	[FINDING_RANK] = { "rank", "Rank", UNIT_ID },
	[FINDING_PATH] = { "path", "File", UNIT_TEXT },
	[FINDING_SEVERITY] = { "severity", "Severity", UNIT_TEXT },
	[FINDING_CODE] = { "code", "Code", UNIT_TEXT },
	[FINDING_DETAIL] = { "detail", "Detail", UNIT_TEXT },
	[FINDING_COUNT] = { "count", "Count", UNIT_COUNT },
	[FINDING_OFFSET] = { "first_offset", "At byte", UNIT_COUNT },
	[FINDING_EXCERPT] = { "excerpt", "Excerpt", UNIT_TEXT },
	[FINDING_TIME] = { "time_ns", "Time", UNIT_NS },
	[FINDING_SHARE] = { "share_pct", "Share", UNIT_PERCENT },
	[FINDING_FOUND] = { "found", "Found", UNIT_TEXT },
	[FINDING_DONE] = { "done", "Done", UNIT_TEXT },
	[FINDING_DISABLES] = { "disables", "Disables", UNIT_TEXT },
	[FINDING_ADVICE] = { "advice", "Advice", UNIT_TEXT },
	[FINDING_SHARE_OF] = { "share_of", "Share of", UNIT_TEXT },
};

const struct sql_view sql_view_finding = {
	.name = "finding",
	.sql = asset_query_views_finding_sql,
	.columns = finding_columns,
	.ncolumns = NVIEW_COLUMNS,
};

const struct finding_kind *findings_kind(struct str code)
{
	for (size_t i = 0; i < NFINDINGS; i++)
		if (str_is(code, finding_kinds[i].code))
			return &finding_kinds[i];
	return NULL;
}

static void add_row(struct memtable *m, struct cell *cells)
{
	const struct finding_kind *kind = findings_kind(cells[FINDING_CODE].as.text);

	cells[FINDING_FOUND] = cell_text_or_null(kind ? kind->what : NULL);
	cells[FINDING_DONE] = cell_text_or_null(kind ? kind->done : NULL);
	cells[FINDING_DISABLES] = cell_text_or_null(kind ? kind->disables : NULL);
	cells[FINDING_ADVICE] = cell_text_or_null(kind ? kind->advice : NULL);
	cells[FINDING_SHARE_OF] = cell_text_or_null(kind ? kind->share_of : NULL);
	memtable_add_row(m, cells);
}

static bool is_as_bad(struct str severity, enum severity least)
{
	for (enum severity s = least; s <= SEVERITY_ERROR; s++)
		if (str_is(severity, severity_name(s)))
			return true;
	return false;
}

/* *total: those that are not as bad count too. */
static int collect(struct memtable *m, struct table *findings, enum severity least,
		   size_t *total, struct err *err)
{
	struct cell cells[NFINDING_COLUMNS];
	int rc;

	*total = 0;
	while ((rc = findings->next(findings, cells, err)) > 0) {
		++*total;
		if (is_as_bad(cells[FINDING_SEVERITY].as.text, least))
			add_row(m, cells);
	}
	return rc;
}

static size_t count_severity(const struct memtable *m, enum severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nrows; i++)
		n += str_is(memtable_row(m, i)[FINDING_SEVERITY].as.text,
			    severity_name(severity));
	return n;
}

/* "1 error", "2 errors", with what stands before it. */
static void add_count(struct buf *text, size_t n, const char *before, const char *what)
{
	if (n > 0)
		buf_addf(text, "%s%zu %s%s", before, n, what, n == 1 ? "" : "s");
}

/* The file, when all is about one; else the run. */
static const char *what_about(const struct scope *scope)
{
	return scope->n == 1 ? scope->profiles[0].path : scope->profiles[0].run;
}

/* "3 findings in trace.json: 1 error, 2 warnings" */
static const char *make_caption(struct memtable *m, const struct scope *scope,
				size_t total)
{
	size_t errors = count_severity(m, SEVERITY_ERROR);
	size_t warnings = count_severity(m, SEVERITY_WARNING);
	size_t infos = count_severity(m, SEVERITY_INFO);
	struct buf text;

	if (total == 0)
		return arena_printf(&m->arena, "no findings in %s", what_about(scope));
	if (m->nrows == 0)
		return arena_printf(&m->arena, "none of %zu findings in %s", total,
				    what_about(scope));
	buf_init(&text, CAPTION_MAX);
	buf_addf(&text, "%zu ", m->nrows);
	if (m->nrows < total)
		buf_addf(&text, "of %zu ", total);
	buf_add_text(&text, total == 1 ? "finding" : "findings");
	const char *head = arena_printf(&m->arena, STR_FMT, STR_ARG(buf_str(&text)));
	buf_clear(&text);
	add_count(&text, errors, "", "error");
	add_count(&text, warnings, text.n ? ", " : "", "warning");
	add_count(&text, infos, text.n ? ", " : "", "remark");
	const char *caption = arena_printf(&m->arena, "%s in %s: " STR_FMT, head,
					   what_about(scope), STR_ARG(buf_str(&text)));
	buf_release(&text);
	return caption;
}

int findings_open(struct store *store, const struct scope *scope, enum severity least,
		  bool for_people, struct table **out, struct err *err)
{
	struct sql_view_arg args[] = { { ":profiles", cell_text(str_of(scope->ids)) },
				       { .name = NULL } };
	struct table *rows;
	size_t total;

	if (sql_view_open(store, &sql_view_finding, args, &rows, err) < 0)
		return -1;
	struct memtable *m = memtable_new(finding_columns, NFINDING_COLUMNS);
	int rc = collect(m, rows, least, &total, err);
	table_free(rows);
	if (rc < 0) {
		table_free(&m->table);
		return -1;
	}
	m->table.caption = make_caption(m, scope, total);
	*out = for_people ? findings_for_people(m, scope) : &m->table;
	return 0;
}
