/* All that ptool diff prints: see diff_report.h. */
#include "query/diff/diff_report.h"

#include "base/sum.h"
#include "query/diff/diff_account.h"
#include "query/diff/diff_context.h"
#include "query/diff/diff_noise.h"

enum { PART, BASE, BASE_SHARE, NEW, NEW_SHARE, DELTA, NCOLUMNS };

static const struct column account_columns[NCOLUMNS] = {
	[PART] = { "part", "Part", UNIT_TEXT },
	[BASE] = { "base_ns", "Base", UNIT_NS },
	[BASE_SHARE] = { "base_pct", "Base %", UNIT_PERCENT },
	[NEW] = { "new_ns", "New", UNIT_NS },
	[NEW_SHARE] = { "new_pct", "New %", UNIT_PERCENT },
	[DELTA] = { "delta_ns", "Delta", UNIT_NS },
};

static struct cell share(int64_t part, int64_t whole)
{
	return whole > 0 ? cell_real(100.0 * (double)part / (double)whole) : cell_null();
}

static void add_part(struct memtable *m, const struct diff *d, const char *name,
		     int64_t base, int64_t after)
{
	memtable_add_row(m,
			 (struct cell[NCOLUMNS]){
				 [PART] = cell_text(str_of(name)),
				 [BASE] = cell_int(base),
				 [BASE_SHARE] = share(base, d->sides[DIFF_BASE].subject),
				 [NEW] = cell_int(after),
				 [NEW_SHARE] = share(after, d->sides[DIFF_NEW].subject),
				 [DELTA] = cell_int(sum_sub(after, base)),
			 });
}

/* The parts of the headline and their sum; NULL when there are none. */
static struct memtable *account_table(const struct diff *d, const struct diff_account *a)
{
	if (a->n == 0)
		return NULL;
	struct memtable *m = memtable_new(account_columns, NCOLUMNS);
	for (size_t i = 0; i < a->n; i++)
		add_part(m, d, a->names[i], a->ns[DIFF_BASE][i], a->ns[DIFF_NEW][i]);
	add_part(m, d, d->subject == DIFF_OF_RECORDINGS ? "recording" : "step",
		 d->sides[DIFF_BASE].subject, d->sides[DIFF_NEW].subject);
	return m;
}

static int add_context(const struct diff *d, struct memtable *to, struct err *err)
{
	if (diff_add_context(d, to, err) < 0)
		return -1;
	return diff_add_shapes(d, to, err);
}

static int report_people(const struct diff *d, const struct diff_style *style,
			 struct table **out, struct err *err)
{
	struct diff_account account;

	if (diff_account_make(d, &account, err) < 0)
		return -1;
	struct memtable *rows = diff_rows_table(d, style);
	struct memtable *parts = account_table(d, &account);
	struct memtable *first = parts ? parts : rows;
	diff_add_notes(d, rows);
	int rc = add_context(d, rows, err);
	first->table.caption = diff_headline_text(d, &first->arena);
	if (parts) {
		rows->table.caption = diff_rows_caption(d, &rows->arena);
		parts->table.more = &rows->table;
	}
	*out = &first->table;
	return rc;
}

int diff_report(const struct diff *d, const struct diff_style *style, struct table **out,
		struct err *err)
{
	if (d->sides[DIFF_NEW].nruns == 0)
		return diff_noise_table(d, style, out, err);
	if (style->people)
		return report_people(d, style, out, err);
	struct memtable *rows = diff_rows_table(d, style);
	memtable_add_note(rows, "%s", diff_headline_text(d, &rows->arena));
	diff_add_notes(d, rows);
	*out = &rows->table;
	return add_context(d, rows, err);
}
