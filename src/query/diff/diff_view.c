/* A comparison as tables: see diff_view.h. */
#include "query/diff/diff_view.h"

#include <math.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "query/diff/diff_account.h"
#include "query/query.h"

#define BECAME " => "

/* What getters read beside the row. */
struct showing {
	const struct diff *d;
	struct arena *arena; /* of texts that are made */
	bool for_people;
};

static struct cell text(const char *s)
{
	return cell_text_or_null(s);
}

/* Null unless it is finite. */
static struct cell diff_real_cell(double value)
{
	return isfinite(value) ? cell_real(value) : cell_null();
}

struct cell diff_amount_cell(double value)
{
	return isfinite(value) && fabs(value) < 0x1p62 ? cell_int(llround(value))
						       : cell_null();
}

static double double_at(const void *row, int at)
{
	double value;

	memcpy(&value, (const char *)row + at, sizeof(value));
	return value;
}

struct cell diff_get_real(const void *from, const void *row, int arg)
{
	(void)from;
	return diff_real_cell(double_at(row, arg));
}

struct cell diff_get_amount(const void *from, const void *row, int arg)
{
	(void)from;
	return diff_amount_cell(double_at(row, arg));
}

struct cell diff_calls_cell(int64_t calls, int64_t units)
{
	return calls % units == 0 ? cell_int(calls / units)
				  : cell_real((double)calls / (double)units);
}

/* People see a kernel that was renamed by both of its names. */
static struct cell get_name(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	const struct diff_row *r = row;
	struct str name = diff_row_name(s->d, r, DIFF_BASE);
	struct str other = diff_row_name(s->d, r, DIFF_NEW);

	(void)arg;
	if (!s->for_people || r->status != DIFF_RENAMED)
		return cell_text(name);
	return text(arena_printf(s->arena, STR_FMT BECAME STR_FMT, STR_ARG(name),
				 STR_ARG(other)));
}

static struct cell get_new_name(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	const struct diff_row *r = row;

	(void)arg;
	return r->status == DIFF_RENAMED ? cell_text(diff_row_name(s->d, r, DIFF_NEW))
					 : cell_null();
}

static const char *status_name(const struct diff_row *r)
{
	static const char *const statuses[] = { "changed", "equal", "added", "removed",
						"renamed" };

	return statuses[r->status];
}

static struct cell get_status(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return text(status_name(row));
}

static struct cell get_calls(const void *from, const void *row, int which)
{
	const struct showing *s = from;
	const struct diff_row *r = row;

	if (s->d->is_sampled)
		return cell_null();
	return diff_calls_cell(r->of[which].calls, s->d->sides[which].units);
}

/* Samples are no calls: more of them is more time, whatever the calls were. */
static struct cell get_split(const void *from, const void *row, int arg)
{
	const struct showing *s = from;

	return s->d->is_sampled ? cell_null() : view_int64(from, row, arg);
}

/* What a side does not have is no 0 for people, though machines can add with one. */
static struct cell get_mean(const void *from, const void *row, int which)
{
	const struct showing *s = from;
	const struct diff_measure *m = &((const struct diff_row *)row)->of[which];

	return s->for_people && m->row == DIFF_NO_ROW ? cell_null() : cell_int(m->mean);
}

static struct cell get_change(const void *from, const void *row, int arg)
{
	const struct diff_row *r = row;
	bool is_alone = r->status == DIFF_ADDED || r->status == DIFF_REMOVED;

	(void)from, (void)arg;
	return is_alone ? text(status_name(r)) : diff_real_cell(r->delta_pct);
}

/* One run a side has no q that says more than that its steps differ. */
static struct cell get_q(const void *from, const void *row, int arg)
{
	const struct showing *s = from;

	(void)arg;
	return s->for_people && !s->d->may_decide
		       ? cell_null()
		       : diff_real_cell(((const struct diff_row *)row)->test.q);
}

static struct cell get_significant(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	const struct diff_test *test = &((const struct diff_row *)row)->test;

	(void)arg;
	return !s->d->may_decide || isnan(test->q) ? cell_null()
						   : cell_int(test->is_significant);
}

static struct cell get_metric(const void *from, const void *row, int arg)
{
	(void)row, (void)arg;
	return text(diff_metric_name(((const struct showing *)from)->d->metric));
}

/* "12", "3.50": calls a step need not be whole. */
static const char *calls_text(struct cell cell, struct arena *arena)
{
	static const struct scale whole = { UNIT_COUNT, 1, "", 0 },
				  part = { UNIT_COUNT, 1, "", 1 };
	char number[UNITS_TEXT_MAX];

	return arena_copy(arena,
			  units_cell(cell.type == CELL_INT ? whole : part, cell, number))
		.p;
}

/* "4 -> 12", or where they are the same "4". */
static struct cell get_both_calls(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	const char *base = calls_text(get_calls(from, row, DIFF_BASE), s->arena);
	const char *after = calls_text(get_calls(from, row, DIFF_NEW), s->arena);

	(void)arg;
	return text(strcmp(base, after) == 0
			    ? base
			    : arena_printf(s->arena, "%s -> %s", base, after));
}

#define ROW(member) .arg = (int)offsetof(struct diff_row, member)
#define AMOUNT(member) \
	.get = view_int64, ROW(member), .flags = FIELD_AMOUNT | FIELD_COMPARED
#define SPLIT(member) \
	.get = get_split, ROW(member), .flags = FIELD_AMOUNT | FIELD_COMPARED

/* clang-format off */
static const struct field fields[] = {
	{ "name", "Name", "name, A to Z", NULL, UNIT_TEXT, .get = get_name, .flags = FIELD_KEY, .least = 44 },
	{ "new_name", "New name", "name on the new side, where the row is renamed", NULL, UNIT_TEXT, .get = get_new_name },
	{ "status", "Status", "changed, equal, added, removed or renamed", NULL, UNIT_TEXT, .get = get_status },
	{ "base_calls", "Base calls", "calls per step or run in base; a fraction where runs differ", NULL, UNIT_COUNT, .get = get_calls, .arg = DIFF_BASE },
	{ "new_calls", "New calls", "calls in new, likewise", NULL, UNIT_COUNT, .get = get_calls, .arg = DIFF_NEW },
	{ "base", "Base", "amount per step or run in base, rounded; 0 if base lacks the row", NULL, UNIT_NS, .get = get_mean, .arg = DIFF_BASE, .flags = FIELD_AMOUNT | FIELD_COMPARED, .leaves = 1 },
	{ "new", "New", "amount in new, likewise", NULL, UNIT_NS, .get = get_mean, .arg = DIFF_NEW, .flags = FIELD_AMOUNT | FIELD_COMPARED, .leaves = 1 },
	{ "delta", "Delta", "new - base; largest growth first", NULL, UNIT_NS, AMOUNT(delta) },
	{ "delta_pct", "Change %", "delta in percent of base; null when one side does not have the row", "change", UNIT_PERCENT, .get = diff_get_real, ROW(delta_pct) },
	{ "shown_pct", "Change %", NULL, NULL, UNIT_PERCENT, .get = get_change, .flags = FIELD_PEOPLE },
	{ "from_calls", "From call count", "part of delta explained by more or fewer calls", NULL, UNIT_NS, SPLIT(from_calls), .leaves = 2 },
	{ "from_duration", "From duration", "the rest: longer or shorter calls", NULL, UNIT_NS, SPLIT(from_duration), .leaves = 2 },
	{ "calls", "Calls", NULL, NULL, UNIT_TEXT, .get = get_both_calls, .flags = FIELD_PEOPLE, .least = 20 },
	{ "p", "p", "p of the row by itself", NULL, UNIT_RATIO, .get = diff_get_real, ROW(test.p) },
	{ "q", "Adj. p", "p adjusted for all rows tested; null where there is none", NULL, UNIT_RATIO, .get = get_q },
	{ "significant", "Significant", "significant rows first; null with one run a side, except with --within-run", NULL, UNIT_BOOL, .get = get_significant },
	{ "metric", "Metric", "what was compared: a value of --metric", NULL, UNIT_TEXT, .get = get_metric, .flags = FIELD_NO_SORT },
	{ .name = NULL },
};

const struct view diff_view = {
	.name = "diff",
	.fields = fields,
	.people = VIEW_PART("name base! new! delta! shown_pct! from_calls! from_duration! calls! q"),
};
/* clang-format on */

/* Of calls, samples, steps and peaks there is no split into calls and duration. */
static const struct view_part without_split[] = {
	{ .fields = "name base! new! delta! shown_pct! q" },
	{ .fields = NULL },
};

static struct memtable *rows_table(const struct diff *d, const struct view_request *show)
{
	struct arena arena = { 0 };
	const struct showing from = { d, &arena, show->for_people };
	const struct view_rows rows = { &from, d->rows, d->nrows, sizeof(*d->rows) };
	struct view_request request = *show;

	request.amounts = d->unit;
	request.title = show->for_people ? d->by->title : NULL;
	if (d->metric == DIFF_CALLS || d->is_sampled || !d->by->has_split)
		request.people = without_split;
	struct memtable *m = view_table(&diff_view, &rows,
					d->request->runs[DIFF_BASE]->scope, &request);
	if (show->for_people)
		m->table.caption = diff_rows_caption(d, &m->arena);
	arena_release(&arena);
	return m;
}

/* A part of the headline's time, or all of it. */
struct part {
	const char *name;
	int64_t ns[NDIFF_SIDES];
};

static struct cell get_part(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return text(((const struct part *)row)->name);
}

static struct cell get_share(const void *from, const void *row, int which)
{
	int64_t whole = ((const struct diff *)from)->sides[which].subject;
	int64_t ns = ((const struct part *)row)->ns[which];

	return share_cell(ns, whole);
}

static struct cell get_growth(const void *from, const void *row, int arg)
{
	const struct part *part = row;

	(void)from, (void)arg;
	return cell_int(sum_sub(part->ns[DIFF_NEW], part->ns[DIFF_BASE]));
}

#define NS(side)                                                        \
	.get = view_int64, .arg = (int)offsetof(struct part, ns[side]), \
	.flags = FIELD_COMPARED

/* clang-format off */
static const struct field part_fields[] = {
	{ "part", "Part", "part of the time; the last is the sum", NULL, UNIT_TEXT, .get = get_part },
	{ "base_ns", "Base", "time in base", NULL, UNIT_NS, NS(DIFF_BASE) },
	{ "base_pct", "Base %", "share of base", NULL, UNIT_PERCENT, .get = get_share, .arg = DIFF_BASE },
	{ "new_ns", "New", "time in new", NULL, UNIT_NS, NS(DIFF_NEW) },
	{ "new_pct", "New %", "share of new", NULL, UNIT_PERCENT, .get = get_share, .arg = DIFF_NEW },
	{ "delta_ns", "Delta", "new - base", NULL, UNIT_NS, .get = get_growth, .flags = FIELD_COMPARED },
	{ .name = NULL },
};
/* clang-format on */

const struct view diff_accounting_view = {
	.name = "diff --accounting",
	.fields = part_fields,
	.people = VIEW_PART("part! base_ns! base_pct! new_ns! new_pct! delta_ns!"),
	.is_form = true,
};

/* The parts of the headline and their sum; NULL when there are none, or were left out. */
static int parts_table(const struct diff *d, const struct view_request *show,
		       struct memtable **out, bool *is_left_out, struct err *err)
{
	struct diff_account own = { 0 };
	const struct diff_account *a = d->account ? d->account : &own;
	const struct view_request request = { .for_people = show->for_people };
	struct part parts[DIFF_PARTS_MAX + 1];
	size_t n = 0;

	*out = NULL;
	if (!d->account && diff_account_make(d, &own, err) < 0)
		return -1;
	*is_left_out = a->is_left_out;
	for (; n < a->n; n++)
		parts[n] = (struct part){ a->names[n],
					  { a->ns[DIFF_BASE][n], a->ns[DIFF_NEW][n] } };
	if (n == 0)
		return 0;
	parts[n++] =
		(struct part){ d->subject == DIFF_OF_RECORDINGS ? "recording" : "step",
			       { d->sides[DIFF_BASE].subject,
				 d->sides[DIFF_NEW].subject } };
	const struct view_rows rows = { d, parts, n, sizeof(*parts) };
	*out = view_table(&diff_accounting_view, &rows, NULL, &request);
	return 0;
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
static void add_headline(const struct diff *d, bool for_people, struct memtable *to)
{
	const char *const *lines = diff_headline_lines(d, &to->arena);

	if (for_people) {
		to->table.caption = lines[0];
		to->table.under = lines + 1;
		return;
	}
	for (; *lines; lines++)
		memtable_add_note(to, "%s", *lines);
}

int diff_open_view(const struct diff *d, enum diff_part part,
		   const struct view_request *show, struct table **out, struct err *err)
{
	bool has_rows = part == DIFF_PART_ROWS, people = show->for_people;
	bool has_parts = part == DIFF_PART_ACCOUNTING || (has_rows && people);
	struct memtable *first = NULL;
	bool is_left_out = false;

	if (d->sides[DIFF_NEW].nruns == 0)
		return diff_noise_open(d, show, out, err);
	if (has_parts && parts_table(d, show, &first, &is_left_out, err) < 0)
		return -1;
	if (!first && part == DIFF_PART_ACCOUNTING)
		return err_set(err, ERR_EMPTY,
			       "%s cannot be split into parts: see the rows",
			       diff_subject_name(d));
	if (!first && (!has_rows || people))
		first = diff_headline_table(d, people);
	struct memtable *last = first;
	if (has_rows)
		last = rows_table(d, show);
	if (has_rows && people)
		first->table.more = &last->table;
	else
		first = last;
	*out = &first->table;
	add_headline(d, people, first);
	if (is_left_out)
		memtable_add_note(last, "no table of what the time went to: it is read "
					"from slices, which were left out of a store "
					"(--summary-only)");
	return add_notes(d, last, err);
}
