/*
 * Findings for people: a block for each rule that has some, with the evidence as a table
 * and its sentences as notes, which the renderer wraps; then the rules that could not
 * run.
 */
#include <stdio.h>
#include <string.h>

#include "base/memtable.h"
#include "base/units.h"
#include "ingest/sink.h"
#include "query/advise/advise.h"

static const struct column evidence_columns[] = {
	{ "item", "Evidence", UNIT_TEXT },
	{ "value", "Value", UNIT_TEXT },
};
#define OTHERS_SHOWN ((size_t)3) /* findings of one rule below the first */
#define NCOLUMNS     (sizeof(evidence_columns) / sizeof(evidence_columns[0]))

/* "data_loading_ns" without its unit, which stands at the value. */
static struct str item_stem(const char *item)
{
	static const char *const suffixes[] = { "_ns", "_pct", "_bytes" };
	struct str stem = str_of(item);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);
		if (stem.n > n && memcmp(stem.p + stem.n - n, suffixes[i], n) == 0) {
			stem.n -= n;
			break;
		}
	}
	return stem;
}

/* "data loading"; "data loading, share" of one that has a time of that name, too. */
static struct str people_item(const struct advice *a, size_t at, struct arena *arena)
{
	struct str stem = item_stem(a->evidence[at].item);
	bool is_double = false;

	for (size_t i = 0; i < at; i++)
		is_double |= str_equal(item_stem(a->evidence[i].item), stem);
	char *text = arena_printf(arena, STR_FMT "%s", STR_ARG(stem),
				  is_double ? ", share" : "");
	for (char *c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
	return str_of(text);
}

static void add_evidence(struct memtable *m, const struct advice *a)
{
	for (size_t i = 0; i < a->nevidence; i++) {
		const struct advice_evidence *e = &a->evidence[i];
		char text[UNITS_TEXT_MAX];
		struct str value = e->value.type == CELL_TEXT
					   ? e->value.as.text
					   : units_text(e->unit, e->value, text);
		const struct cell cells[NCOLUMNS] = {
			cell_text(people_item(a, i, &m->arena)), cell_text(value)
		};
		memtable_add_row(m, cells);
	}
}

/* ", rank 3, device 0": what tells findings of one rule apart. */
static const char *place_text(const struct advice *a, const struct scope *scope,
			      struct arena *arena)
{
	char rank[48] = "", device[96] = "";

	if (a->profile && scope->nranks > 1 && a->profile->has_rank)
		snprintf(rank, sizeof(rank), ", rank %lld", (long long)a->profile->rank);
	else if (a->profile && scope->n > 1)
		snprintf(rank, sizeof(rank), ", profile %lld", (long long)a->profile->id);
	if (a->device.type == CELL_INT)
		snprintf(device, sizeof(device), ", device %lld",
			 (long long)a->device.as.integer);
	else if (a->device.type == CELL_TEXT)
		snprintf(device, sizeof(device), ", device %.*s",
			 (int)(a->device.as.text.n < 64 ? a->device.as.text.n : 64),
			 a->device.as.text.p);
	return arena_printf(arena, "%s%s", rank, device);
}

/* What the rule found elsewhere: of some a line each, of the rest how many. */
static void note_others(struct memtable *m, const struct advice_list *list, size_t at,
			const struct scope *scope)
{
	size_t n = 0;

	for (size_t i = at + 1; i < list->n; i++) {
		const struct advice *a = &list->items[i];
		if (a->rule != list->items[at].rule || n++ >= OTHERS_SHOWN)
			continue;
		const char *place = place_text(a, scope, &m->arena);
		memtable_add_note(m, "also%s: %s", *place ? place + 1 : "", a->finding);
	}
	if (n > OTHERS_SHOWN)
		memtable_add_note(m, "also %zu more, which the machine formats have",
				  n - OTHERS_SHOWN);
}

static struct table *block(const struct advice_list *list, size_t at,
			   const struct scope *scope)
{
	const struct advice *a = &list->items[at];
	struct memtable *m = memtable_new(evidence_columns, NCOLUMNS);
	char text[UNITS_TEXT_MAX];

	m->table.is_form = true;
	m->table.caption = arena_printf(
		&m->arena, "%s (%s, %s severity%s)", a->rule->title, a->rule->name,
		advice_severity_name(a->severity), place_text(a, scope, &m->arena));
	add_evidence(m, a);
	memtable_add_note(m, "%s", a->finding);
	if (a->saving_ns != NUMBER_NONE) {
		struct str saving = units_text(UNIT_NS, cell_int(a->saving_ns), text);
		memtable_add_note(m, "saves at most %.*s%s: %s", (int)saving.n, saving.p,
				  a->is_whole ? "" : " a step", a->formula);
	}
	memtable_add_note(m, "try: %s", a->suggestion);
	note_others(m, list, at, scope);
	return &m->table;
}

static bool lacks_the_same(const struct advice_lack *a, const struct advice_lack *b)
{
	return strcmp(a->why, b->why) == 0 && strcmp(a->record, b->record) == 0;
}

/* Is the same said of a profile before this one? */
static bool is_told(const struct advice_list *list, size_t lack)
{
	for (size_t i = 0; i < lack; i++)
		if (list->lacks[i].rule == list->lacks[lack].rule &&
		    lacks_the_same(&list->lacks[i], &list->lacks[lack]))
			return true;
	return false;
}

static int64_t count_told(const struct advice_list *list, const struct advice_lack *lack)
{
	int64_t n = 0;

	for (size_t i = 0; i < list->nlacks; i++)
		n += list->lacks[i].rule == lack->rule &&
		     lacks_the_same(&list->lacks[i], lack);
	return n;
}

/* Rules that lack the same stand together: "a, b: why; how". */
static bool is_first_of_reason(const struct advice_list *list, size_t lack)
{
	for (size_t i = 0; i < lack; i++)
		if (lacks_the_same(&list->lacks[i], &list->lacks[lack]))
			return false;
	return true;
}

static void note_reason(struct memtable *m, const struct advice_list *list, size_t first,
			const struct scope *scope)
{
	const struct advice_lack *reason = &list->lacks[first];
	char *names = arena_strdup(&m->arena, "");

	for (size_t i = first; i < list->nlacks; i++) {
		const struct advice_lack *lack = &list->lacks[i];
		if (!lacks_the_same(lack, reason) || is_told(list, i))
			continue;
		names = arena_printf(&m->arena, "%s%s%s", names, *names ? ", " : "",
				     lack->rule->name);
		int64_t n = count_told(list, lack);
		if (scope->n > 1 && lack->profile)
			names = arena_printf(&m->arena, "%s (%lld of %zu profiles)",
					     names, (long long)n, scope->n);
	}
	memtable_add_note(m, "%s: %s; better: %s", names, reason->why, reason->record);
}

static struct table *lacks_block(const struct advice_list *list,
				 const struct scope *scope)
{
	struct memtable *m = memtable_new(evidence_columns, NCOLUMNS);

	m->table.caption = list->n ? "Rules that could not run"
			   : list->nlacks < list->asked
				   ? "no problem found; rules that could not run:"
				   : "no rule could run:";
	for (size_t i = 0; i < list->nlacks; i++)
		if (is_first_of_reason(list, i))
			note_reason(m, list, i, scope);
	return &m->table;
}

static struct table *nothing_found(void)
{
	struct memtable *m = memtable_new(evidence_columns, NCOLUMNS);

	m->table.caption = "no problem found";
	return &m->table;
}

/* Has the rule a finding of more weight, whose block tells of this one? */
static bool is_found_before(const struct advice_list *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (list->items[i].rule == list->items[at].rule)
			return true;
	return false;
}

struct table *advise_blocks(const struct advice_list *list, const struct scope *scope)
{
	struct table *first = NULL, **end = &first;

	for (size_t i = 0; i < list->n; i++) {
		if (is_found_before(list, i))
			continue;
		*end = block(list, i, scope);
		end = &(*end)->more;
	}
	if (list->nlacks)
		*end = lacks_block(list, scope);
	return first ? first : nothing_found();
}
