/* Findings with their explanations: see findings.h. */
#include "query/findings.h"

#include "base/buf.h"
#include "base/memtable.h"
#include "ingest/finding.h"
#include "query/pick.h"
#include "query/query.h"

#define CAPTION_MAX ((size_t)256)

/* The columns: those of views/finding.sql, then what the code means. */
enum {
	PROFILE,
	RANK,
	FILE_PATH,
	SEVERITY,
	CODE,
	DETAIL,
	HOW_OFTEN,
	FIRST_OFFSET,
	EXCERPT,
	NVIEW_COLUMNS,
	FOUND = NVIEW_COLUMNS,
	DONE,
	NCOLUMNS
};

static const struct column finding_columns[NCOLUMNS] = {
	[PROFILE] = { "profile", "Profile", UNIT_COUNT },
	[RANK] = { "rank", "Rank", UNIT_COUNT },
	[FILE_PATH] = { "path", "File", UNIT_TEXT },
	[SEVERITY] = { "severity", "Severity", UNIT_TEXT },
	[CODE] = { "code", "Code", UNIT_TEXT },
	[DETAIL] = { "detail", "Detail", UNIT_TEXT },
	[HOW_OFTEN] = { "count", "Count", UNIT_COUNT },
	[FIRST_OFFSET] = { "first_offset", "First at byte", UNIT_COUNT },
	[EXCERPT] = { "excerpt", "Excerpt", UNIT_TEXT },
	[FOUND] = { "found", "Found", UNIT_TEXT },
	[DONE] = { "done", "Done", UNIT_TEXT },
};

static const enum shown finding_shown[NCOLUMNS] = {
	[PROFILE] = SHOWN_IF_PROFILES,   [RANK] = SHOWN_IF_RANKS,
	[FILE_PATH] = SHOWN_TO_MACHINES, [FOUND] = SHOWN_TO_MACHINES,
	[DONE] = SHOWN_TO_MACHINES,
};

const struct view view_finding = {
	.name = "finding",
	.sql = asset_query_views_finding_sql,
	.columns = finding_columns,
	.ncolumns = NVIEW_COLUMNS,
};

/* NULL for the code of a newer ptool's store. */
static const struct finding_kind *kind_of(struct str code)
{
	for (size_t i = 0; i < NFINDINGS; i++)
		if (str_is(code, finding_kinds[i].code))
			return &finding_kinds[i];
	return NULL;
}

static struct cell text_cell(const char *text)
{
	return text ? cell_text(str_of(text)) : cell_null();
}

static int collect(struct memtable *m, struct table *findings, struct err *err)
{
	struct cell cells[NCOLUMNS];
	int rc;

	while ((rc = findings->next(findings, cells, err)) > 0) {
		const struct finding_kind *kind = kind_of(cells[CODE].as.text);
		cells[FOUND] = text_cell(kind ? kind->what : NULL);
		cells[DONE] = text_cell(kind ? kind->done : NULL);
		memtable_add_row(m, cells);
	}
	return rc;
}

static size_t count_severity(const struct memtable *m, enum severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nrows; i++)
		n += str_is(memtable_row(m, i)[SEVERITY].as.text,
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
static const char *make_caption(struct memtable *m, const struct scope *scope)
{
	size_t errors = count_severity(m, SEVERITY_ERROR);
	size_t warnings = count_severity(m, SEVERITY_WARNING);
	size_t infos = count_severity(m, SEVERITY_INFO);
	struct buf text;

	if (m->nrows == 0)
		return arena_printf(&m->arena, "no findings in %s", what_about(scope));
	buf_init(&text, CAPTION_MAX);
	add_count(&text, errors, "", "error");
	add_count(&text, warnings, text.n ? ", " : "", "warning");
	add_count(&text, infos, text.n ? ", " : "", "remark");
	const char *caption =
		arena_printf(&m->arena, "%zu finding%s in %s: %s", m->nrows,
			     m->nrows == 1 ? "" : "s", what_about(scope), text.p);
	buf_release(&text);
	return caption;
}

static bool is_first_of_code(const struct memtable *m, size_t row)
{
	struct str code = memtable_row(m, row)[CODE].as.text;

	for (size_t i = 0; i < row; i++)
		if (str_equal(memtable_row(m, i)[CODE].as.text, code))
			return false;
	return true;
}

/* Sentences are for notes: a column would have to cut them. */
static void explain(struct memtable *m)
{
	for (size_t i = 0; i < m->nrows; i++) {
		const struct finding_kind *kind =
			kind_of(memtable_row(m, i)[CODE].as.text);
		if (kind && is_first_of_code(m, i))
			memtable_add_note(m, "%s: %s; %s", kind->code, kind->what,
					  kind->done);
	}
}

int findings_open(struct store *store, const struct scope *scope, bool for_people,
		  struct table **out, struct err *err)
{
	struct view_arg args[] = { { ":profiles", cell_text(str_of(scope->ids)) },
				   { .name = NULL } };
	struct table *rows;

	if (view_open(store, &view_finding, args, &rows, err) < 0)
		return -1;
	struct memtable *m = memtable_new(finding_columns, NCOLUMNS);
	int rc = collect(m, rows, err);
	table_free(rows);
	if (rc < 0) {
		table_free(&m->table);
		return -1;
	}
	m->table.caption = make_caption(m, scope);
	if (for_people)
		explain(m);
	*out = table_pick(&m->table, finding_shown, scope, for_people);
	return 0;
}
