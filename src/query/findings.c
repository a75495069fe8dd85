/*
 * Findings with their explanations: see findings.h.  For people first what was damaged
 * and what was done about it, then what the recording lacks, what that disables and how
 * to record it better.  Sentences are notes: a column would have to cut them.
 */
#include "query/findings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/short_name.h"

#define CAPTION_MAX   ((size_t)256)
#define EXCERPT_CELLS ((size_t)60)

/* clang-format off */
/* The cells of a row: the columns of finding.sql, then how many profiles it is about. */
enum { PROFILE, RANK, PATH, SEVERITY, CODE, DETAIL, COUNT, OFFSET, EXCERPT, TIME, SHARE, PROFILES,
       NCELLS };

/* Bits of struct field's `needs`. */
enum { OF_RANKS = 1, OF_PROFILES = 2 };

/* clang-format on */

/* NULL for the code of a newer ptool's store. */
static const struct finding_kind *kind_of(const struct cell *cells)
{
	for (size_t i = 0; i < NFINDINGS; i++)
		if (str_is(cells[CODE].as.text, finding_kinds[i].code))
			return &finding_kinds[i];
	return NULL;
}

/* arg: the offset of a text of struct finding_kind. */
static struct cell get_words(const void *from, const void *row, int arg)
{
	const struct finding_kind *kind = kind_of(row);
	const char *text = NULL;

	(void)from;
	if (kind)
		memcpy(&text, (const char *)kind + arg, sizeof(text));
	return cell_text_or_null(text);
}

#define CELL(place)   .get = view_cell, .arg = (place)
#define WORDS(member) .get = get_words, .arg = offsetof(struct finding_kind, member)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank", NULL, UNIT_ID, CELL(RANK), .needs = OF_RANKS, .flags = FIELD_KEY },
	{ "path", "File", "its file", NULL, UNIT_TEXT, CELL(PATH) },
	{ "severity", "Severity", "error: something was lost; warning: repaired or left out; info: something to know", NULL, UNIT_TEXT, CELL(SEVERITY) },
	{ "code", "Code", "what it was, for scripts; codes do not change their meaning", NULL, UNIT_TEXT, CELL(CODE), .flags = FIELD_KEY },
	{ "remark", "Remark", NULL, NULL, UNIT_TEXT, CELL(CODE), .flags = FIELD_PEOPLE },
	{ "detail", "Detail", "kind of the finding, within one code", NULL, UNIT_TEXT, CELL(DETAIL), .flags = FIELD_KEY },
	{ "profiles", "Profiles", NULL, NULL, UNIT_COUNT, CELL(PROFILES), .flags = FIELD_PEOPLE, .needs = OF_PROFILES },
	{ "count", "Count", "how often it was met", NULL, UNIT_COUNT, CELL(COUNT) },
	{ "first_offset", "At byte", "where it was met first: the byte in the decompressed file", NULL, UNIT_COUNT, CELL(OFFSET) },
	{ "excerpt", "Excerpt", "the text at this place, or the name of the event", NULL, UNIT_TEXT, CELL(EXCERPT) },
	{ "time_ns", "Time", "time of the events concerned", NULL, UNIT_NS, CELL(TIME) },
	{ "share_pct", "Share", "their share of share_of, where that says something", NULL, UNIT_PERCENT, CELL(SHARE) },
	{ "found", "Found", "what the code means", NULL, UNIT_TEXT, WORDS(what) },
	{ "done", "Done", "what was done about it", NULL, UNIT_TEXT, WORDS(done) },
	{ "disables", "Disables", "what cannot be answered because of it; null for damage", NULL, UNIT_TEXT, WORDS(disables) },
	{ "advice", "Advice", "how to record better; null for damage", NULL, UNIT_TEXT, WORDS(advice) },
	{ "share_of", "Share of", "what share_pct is a share of", NULL, UNIT_TEXT, WORDS(share_of) },
	{ .name = NULL },
};

static const struct view_part *const damaged =
	VIEW_PART("profile rank! severity! code! detail count! first_offset! share_pct");
static const struct view_part *const lacking =
	VIEW_PART("remark! detail profiles! count! time_ns share_pct");
/* clang-format on */

const struct view findings_view = { .name = "doctor", .fields = fields };

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

static bool is_lack(const struct finding_kind *kind)
{
	return kind && finding_is_health((enum finding)(kind - finding_kinds));
}

/* What the column Share is about, within a note. */
static const char *share_words(const struct finding_kind *kind, bool has_share,
			       struct arena *arena)
{
	if (!has_share || !kind->share_of)
		return "";
	return arena_printf(arena, " (share: of %s)", kind->share_of);
}

/* The first excerpt is in the note: in a column it would press the others. */
static void explain_damage(struct memtable *to, const struct finding_kind *kind,
			   const struct cell *cells)
{
	bool has_share = cells[SHARE].type != CELL_NULL;
	struct buf first;

	buf_init(&first, CAPTION_MAX);
	if (cells[EXCERPT].type == CELL_TEXT && cells[EXCERPT].as.text.n) {
		buf_add_text(&first, "; first: ");
		short_name_add(&first, cells[EXCERPT].as.text, EXCERPT_CELLS);
	}
	memtable_add_note(to, "%s: %s%s; %s" STR_FMT, kind->code, kind->what,
			  share_words(kind, has_share, &to->arena), kind->done,
			  STR_ARG(buf_str(&first)));
	buf_release(&first);
}

static void add_damage(struct memtable *to, const struct memtable *all)
{
	bool is_explained[NFINDINGS] = { false };

	for (size_t i = 0; i < all->nrows; i++) {
		const struct cell *cells = memtable_row(all, i);
		const struct finding_kind *kind = kind_of(cells);
		if (is_lack(kind))
			continue;
		memtable_add_row(to, cells);
		if (!kind || is_explained[kind - finding_kinds])
			continue;
		explain_damage(to, kind, cells);
		is_explained[kind - finding_kinds] = true;
	}
}

/* One row for all profiles of which the same is to be said; its share is the largest. */
static void merge_lack(struct cell *to, const struct cell *from)
{
	to[PROFILES].as.integer++;
	to[COUNT].as.integer = sum_add(to[COUNT].as.integer, from[COUNT].as.integer);
	if (from[TIME].type == CELL_INT && to[TIME].type == CELL_INT)
		to[TIME].as.integer = sum_add(to[TIME].as.integer, from[TIME].as.integer);
	if (from[SHARE].type == CELL_REAL && to[SHARE].type == CELL_REAL &&
	    from[SHARE].as.real > to[SHARE].as.real)
		to[SHARE].as.real = from[SHARE].as.real;
}

/* The number of the row's code and detail. */
static uint32_t number_of(struct intern *kinds, struct buf *key, const struct cell *cells)
{
	buf_clear(key);
	buf_add_str(key, cells[CODE].as.text);
	if (cells[DETAIL].type == CELL_TEXT) {
		buf_add_char(key, '\n');
		buf_add_str(key, cells[DETAIL].as.text);
	}
	return intern_add(kinds, buf_str(key));
}

/* The caller frees: one row for each code and detail, in the order of the first of each. */
static struct cell *merge_lacks(const struct memtable *all, size_t *n)
{
	struct cell *lacks = xcalloc(all->nrows + 1, sizeof(*lacks) * NCELLS);
	struct intern kinds;
	struct buf key;

	intern_init(&kinds);
	buf_init(&key, SIZE_MAX);
	*n = 0;
	for (size_t i = 0; i < all->nrows; i++) {
		const struct cell *cells = memtable_row(all, i);
		if (!is_lack(kind_of(cells)))
			continue;
		size_t at = number_of(&kinds, &key, cells);
		struct cell *lack = &lacks[at * NCELLS];
		if (at < *n) {
			merge_lack(lack, cells);
			continue;
		}
		memcpy(lack, cells, sizeof(*lack) * NCELLS);
		lack[PROFILES] = cell_int(1);
		++*n;
	}
	buf_release(&key);
	intern_release(&kinds);
	return lacks;
}

static void explain_lack(struct memtable *to, const struct finding_kind *kind)
{
	memtable_add_note(to, "%s: %s%s; affects %s%s%s", kind->code, kind->what,
			  share_words(kind, true, &to->arena), kind->disables,
			  kind->advice ? "; better: " : "",
			  kind->advice ? kind->advice : "");
}

/* In the order in which the kinds are listed: what is worst for answers first. */
static void add_lacks(struct memtable *to, const struct memtable *all)
{
	size_t n;
	struct cell *lacks = merge_lacks(all, &n);

	for (size_t k = 0; k < NFINDINGS; k++) {
		const struct finding_kind *kind = &finding_kinds[k];
		bool is_told = false;
		for (size_t i = 0; is_lack(kind) && i < n; i++) {
			if (!str_is(lacks[i * NCELLS + CODE].as.text, kind->code))
				continue;
			memtable_add_row(to, &lacks[i * NCELLS]);
			is_told = true;
		}
		if (is_told)
			explain_lack(to, kind);
	}
	free(lacks);
}

/* Their table; the rows, whose caption stands above, are moved. */
static struct table *lay_out(struct memtable *rows, const struct view_part *part,
			     const struct scope *scope)
{
	const struct view_request show = { .people = part,
					   .for_people = part != NULL,
					   .asked = (!part || scope->nranks > 1 ? OF_RANKS
										: 0U) |
						    (scope->n > 1 ? OF_PROFILES : 0U) };
	struct memtable *out = view_of_cells(&findings_view, rows, scope, &show);

	table_free(&rows->table);
	return &out->table;
}

static struct table *lay_out_for_people(const struct memtable *all,
					const struct scope *scope)
{
	struct memtable *damage = memtable_new(NULL, NCELLS);
	struct memtable *lacks = memtable_new(NULL, NCELLS);

	add_damage(damage, all);
	add_lacks(lacks, all);
	if (damage->nrows == 0 && lacks->nrows > 0) {
		table_free(&damage->table);
		lacks->table.caption = all->table.caption;
		return lay_out(lacks, lacking, scope);
	}
	damage->table.caption = all->table.caption;
	struct table *out = lay_out(damage, damaged, scope);
	lacks->table.caption = "The recording";
	if (lacks->nrows > 0)
		out->more = lay_out(lacks, lacking, scope);
	else
		table_free(&lacks->table);
	return out;
}

static bool is_as_bad(struct str severity, enum severity least)
{
	for (enum severity s = least; s <= SEVERITY_ERROR; s++)
		if (str_is(severity, severity_name(s)))
			return true;
	return false;
}

/* NULL on failure. */
static struct memtable *load(struct store *store, const struct scope *scope,
			     struct err *err)
{
	struct memtable *all = memtable_new(NULL, NCELLS);

	if (query_rows(store, asset_query_views_finding_sql, scope->ids, all, err) == 0)
		return all;
	table_free(&all->table);
	return NULL;
}

int findings_open(struct store *store, const struct scope *scope, enum severity least,
		  bool for_people, struct table **out, struct err *err)
{
	struct memtable *all = load(store, scope, err);

	if (!all)
		return -1;
	struct memtable *wanted = memtable_new(NULL, NCELLS);
	for (size_t i = 0; i < all->nrows; i++)
		if (is_as_bad(memtable_row(all, i)[SEVERITY].as.text, least))
			memtable_add_row(wanted, memtable_row(all, i));
	wanted->table.caption = make_caption(wanted, scope, all->nrows);
	table_free(&all->table);
	if (for_people) {
		*out = lay_out_for_people(wanted, scope);
		table_free(&wanted->table);
	} else {
		*out = lay_out(wanted, NULL, scope);
	}
	return 0;
}

bool findings_have(struct store *store, const struct scope *scope, enum finding what)
{
	struct err err = ERR_INIT;
	struct memtable *all = load(store, scope, &err);
	bool have = false;

	for (size_t i = 0; all && i < all->nrows; i++)
		have |= str_is(memtable_row(all, i)[CODE].as.text,
			       finding_kinds[what].code);
	if (all)
		table_free(&all->table);
	return have;
}
