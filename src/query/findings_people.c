/*
 * Findings for people: first what was damaged and what was done about it, then
 * what the recording lacks, what that disables and how to record it better.
 * Sentences are notes: a column would have to cut them.
 */
#include <string.h>

#include "base/sum.h"
#include "query/findings_rows.h"

/* What the column Share is about, within a note. */
#define SHARE_OPENS " (share: of "

/* Of the table of what the recording lacks. */
enum {
	LACK_CODE,
	LACK_DETAIL,
	LACK_PROFILES,
	LACK_COUNT,
	LACK_TIME,
	LACK_SHARE,
	NLACK_COLUMNS
};

static const struct column lack_columns[NLACK_COLUMNS] = {
	[LACK_CODE] = { "code", "Remark", UNIT_TEXT },
	[LACK_DETAIL] = { "detail", "Detail", UNIT_TEXT },
	[LACK_PROFILES] = { "profiles", "Profiles", UNIT_COUNT },
	[LACK_COUNT] = { "count", "Count", UNIT_COUNT },
	[LACK_TIME] = { "time_ns", "Time", UNIT_NS },
	[LACK_SHARE] = { "share_pct", "Share", UNIT_PERCENT },
};

static const enum shown damage_shown[NFINDING_COLUMNS] = {
	[FINDING_EXCERPT] = SHOWN_TO_MACHINES, [FINDING_TIME] = SHOWN_TO_MACHINES,
	[FINDING_PROFILE] = SHOWN_IF_PROFILES, [FINDING_RANK] = SHOWN_IF_RANKS,
	[FINDING_PATH] = SHOWN_TO_MACHINES,    [FINDING_FOUND] = SHOWN_TO_MACHINES,
	[FINDING_DONE] = SHOWN_TO_MACHINES,    [FINDING_DISABLES] = SHOWN_TO_MACHINES,
	[FINDING_ADVICE] = SHOWN_TO_MACHINES,  [FINDING_SHARE_OF] = SHOWN_TO_MACHINES,
};

/* A column that says nothing in any row has no place. */
static void hide_empty(const struct memtable *m, enum shown *shown)
{
	for (size_t column = 0; m->nrows && column < m->table.ncolumns; column++) {
		bool says_something = false;
		for (size_t i = 0; i < m->nrows && !says_something; i++) {
			const struct cell *cell = &memtable_row(m, i)[column];
			says_something = cell->type != CELL_NULL &&
					 (cell->type != CELL_TEXT || cell->as.text.n);
		}
		if (!says_something)
			shown[column] = SHOWN_TO_MACHINES;
	}
}

static bool is_lack(const struct finding_kind *kind)
{
	return kind && finding_is_health((enum finding)(kind - finding_kinds));
}

static bool is_first_of_code(const struct memtable *m, size_t row)
{
	struct str code = memtable_row(m, row)[FINDING_CODE].as.text;

	for (size_t i = 0; i < row; i++)
		if (str_equal(memtable_row(m, i)[FINDING_CODE].as.text, code))
			return false;
	return true;
}

/* What stands at the first one is told here: in a column it would press the others. */
static void explain_damage(struct memtable *to, const struct finding_kind *kind,
			   const struct cell *cells)
{
	bool has_share = kind->share_of && cells[FINDING_SHARE].type != CELL_NULL;
	struct str excerpt = cells[FINDING_EXCERPT].as.text;

	memtable_add_note(to, "%s: %s%s%s%s; %s%s" STR_FMT, kind->code, kind->what,
			  has_share ? SHARE_OPENS : "", has_share ? kind->share_of : "",
			  has_share ? ")" : "", kind->done, excerpt.n ? "; first: " : "",
			  STR_ARG(excerpt));
}

static void add_damage(struct memtable *to, const struct memtable *all)
{
	for (size_t i = 0; i < all->nrows; i++) {
		const struct cell *cells = memtable_row(all, i);
		const struct finding_kind *kind =
			findings_kind(cells[FINDING_CODE].as.text);
		if (is_lack(kind))
			continue;
		memtable_add_row(to, cells);
		if (kind && is_first_of_code(all, i))
			explain_damage(to, kind, cells);
	}
}

static bool same_text(struct cell a, struct cell b)
{
	return a.type == b.type &&
	       (a.type != CELL_TEXT || str_equal(a.as.text, b.as.text));
}

/* One row for all profiles of which the same is to be said; its share is the largest. */
static void merge_lack(struct cell *to, const struct cell *from)
{
	const struct cell *time = &from[FINDING_TIME], *share = &from[FINDING_SHARE];

	to[LACK_PROFILES].as.integer++;
	to[LACK_COUNT].as.integer =
		sum_add(to[LACK_COUNT].as.integer, from[FINDING_COUNT].as.integer);
	if (time->type == CELL_INT && to[LACK_TIME].type == CELL_INT)
		to[LACK_TIME].as.integer =
			sum_add(to[LACK_TIME].as.integer, time->as.integer);
	if (share->type == CELL_REAL && to[LACK_SHARE].type == CELL_REAL &&
	    share->as.real > to[LACK_SHARE].as.real)
		to[LACK_SHARE].as.real = share->as.real;
}

/* Has a row before this one said it, of its code and detail? */
static bool is_said(const struct memtable *all, size_t row)
{
	const struct cell *cells = memtable_row(all, row);

	for (size_t i = 0; i < row; i++) {
		const struct cell *before = memtable_row(all, i);
		if (same_text(before[FINDING_CODE], cells[FINDING_CODE]) &&
		    same_text(before[FINDING_DETAIL], cells[FINDING_DETAIL]))
			return true;
	}
	return false;
}

static void add_lack_row(struct memtable *to, const struct memtable *all, size_t row)
{
	const struct cell *cells = memtable_row(all, row);
	struct cell lack[NLACK_COLUMNS] = {
		[LACK_CODE] = cells[FINDING_CODE], [LACK_DETAIL] = cells[FINDING_DETAIL],
		[LACK_PROFILES] = cell_int(1),     [LACK_COUNT] = cells[FINDING_COUNT],
		[LACK_TIME] = cells[FINDING_TIME], [LACK_SHARE] = cells[FINDING_SHARE],
	};

	for (size_t i = row + 1; i < all->nrows; i++) {
		const struct cell *other = memtable_row(all, i);
		if (same_text(other[FINDING_CODE], cells[FINDING_CODE]) &&
		    same_text(other[FINDING_DETAIL], cells[FINDING_DETAIL]))
			merge_lack(lack, other);
	}
	memtable_add_row(to, lack);
}

static void explain_lack(struct memtable *to, const struct finding_kind *kind)
{
	bool has_share = kind->share_of != NULL;

	memtable_add_note(to, "%s: %s%s%s%s; affects %s%s%s", kind->code, kind->what,
			  has_share ? SHARE_OPENS : "", has_share ? kind->share_of : "",
			  has_share ? ")" : "", kind->disables,
			  kind->advice ? "; better: " : "",
			  kind->advice ? kind->advice : "");
}

/* In the order in which the kinds are listed: what is worst for answers first. */
static void add_lacks(struct memtable *to, const struct memtable *all)
{
	for (size_t k = 0; k < NFINDINGS; k++) {
		const struct finding_kind *kind = &finding_kinds[k];
		bool is_told = false;
		for (size_t i = 0; is_lack(kind) && i < all->nrows; i++) {
			if (!str_is(memtable_row(all, i)[FINDING_CODE].as.text,
				    kind->code) ||
			    is_said(all, i))
				continue;
			add_lack_row(to, all, i);
			is_told = true;
		}
		if (is_told)
			explain_lack(to, kind);
	}
}

/* The table of lacks, moved; `caption` is copied. */
static struct table *lay_out_lacks(struct memtable *lacks, const char *caption,
				   const struct scope *scope)
{
	enum shown shown[NLACK_COLUMNS] = { SHOWN_ALWAYS };

	if (scope->n == 1)
		shown[LACK_PROFILES] = SHOWN_TO_MACHINES;
	hide_empty(lacks, shown);
	lacks->table.caption = arena_printf(&lacks->arena, "%s", caption);
	return table_pick(&lacks->table, shown, scope, true);
}

static struct table *lay_out_damage(struct memtable *damage, const char *caption,
				    const struct scope *scope)
{
	enum shown shown[NFINDING_COLUMNS];

	memcpy(shown, damage_shown, sizeof(shown));
	if (damage->nrows == 0)
		shown[FINDING_SHARE] = SHOWN_TO_MACHINES;
	hide_empty(damage, shown);
	damage->table.caption = arena_printf(&damage->arena, "%s", caption);
	return table_pick(&damage->table, shown, scope, true);
}

struct table *findings_for_people(struct memtable *all, const struct scope *scope)
{
	struct memtable *damage = memtable_new(finding_columns, NFINDING_COLUMNS);
	struct memtable *lacks = memtable_new(lack_columns, NLACK_COLUMNS);
	const char *caption = all->table.caption;
	struct table *out;

	add_damage(damage, all);
	add_lacks(lacks, all);
	if (damage->nrows == 0 && lacks->nrows > 0) {
		out = lay_out_lacks(lacks, caption, scope);
		table_free(&damage->table);
	} else {
		out = lay_out_damage(damage, caption, scope);
		if (lacks->nrows > 0)
			out->more = lay_out_lacks(lacks, "The recording", scope);
		else
			table_free(&lacks->table);
	}
	table_free(&all->table);
	return out;
}
