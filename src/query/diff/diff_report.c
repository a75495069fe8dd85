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

/* What is said of the whole, whichever table it stands under. */
static int add_notes(const struct diff *d, struct memtable *to, struct err *err)
{
	diff_add_notes(d, to);
	if (diff_add_context(d, to, err) < 0)
		return -1;
	return diff_add_shapes(d, to, err);
}

/* For machines its lines are the first notes; for people they stand above. */
static void add_headline(const struct diff *d, const struct diff_style *style,
			 struct memtable *to)
{
	const char *const *lines = diff_headline_lines(d, &to->arena);

	if (style->people) {
		to->table.caption = lines[0];
		to->table.under = lines + 1;
		return;
	}
	for (; *lines; lines++)
		memtable_add_note(to, "%s", *lines);
}

static int make_account(const struct diff *d, struct memtable **out, struct err *err)
{
	struct diff_account account;

	if (!d->account && diff_account_make(d, &account, err) < 0)
		return -1;
	*out = account_table(d, d->account ? d->account : &account);
	return 0;
}

static int report_accounting(const struct diff *d, const struct diff_style *style,
			     struct table **out, struct err *err)
{
	struct memtable *parts;

	if (make_account(d, &parts, err) < 0)
		return -1;
	if (!parts)
		return err_set(
			err, ERR_EMPTY,
			"there is no accounting of %s: it has no parts but the rows",
			diff_subject_name(d));
	*out = &parts->table;
	add_headline(d, style, parts);
	return add_notes(d, parts, err);
}

static int report_headline(const struct diff *d, const struct diff_style *style,
			   struct table **out, struct err *err)
{
	struct memtable *m = diff_headline_table(d, style);

	*out = &m->table;
	add_headline(d, style, m);
	return add_notes(d, m, err);
}

static int report_rows(const struct diff *d, const struct diff_style *style,
		       struct table **out, struct err *err)
{
	struct memtable *parts = NULL;

	if (style->people && make_account(d, &parts, err) < 0)
		return -1;
	struct memtable *rows = diff_rows_table(d, style);
	struct memtable *first = rows;
	if (style->people) {
		first = parts ? parts : diff_headline_table(d, style);
		first->table.more = &rows->table;
		rows->table.caption = diff_rows_caption(d, &rows->arena);
	}
	*out = &first->table;
	add_headline(d, style, first);
	return add_notes(d, rows, err);
}

int diff_report(const struct diff *d, const struct diff_style *style, struct table **out,
		struct err *err)
{
	static int (*const views[NDIFF_VIEWS])(const struct diff *,
					       const struct diff_style *, struct table **,
					       struct err *) = {
		[DIFF_VIEW_ROWS] = report_rows,
		[DIFF_VIEW_HEADLINE] = report_headline,
		[DIFF_VIEW_ACCOUNTING] = report_accounting,
	};

	if (d->sides[DIFF_NEW].nruns == 0)
		return diff_noise_table(d, style, out, err);
	return views[style->view](d, style, out, err);
}
