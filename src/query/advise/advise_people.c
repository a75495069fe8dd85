/*
 * Findings for people: how busy the devices are, a paragraph for each rule that has
 * findings, and one line for the rules that could not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memtable.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/advise/advise.h"
#include "query/advise/advise_facts.h"
#include "trace/fact.h"

/* No row is ever added: all is said in the caption and the notes. */
static const struct column text_columns[] = { { "text", "Advice", UNIT_TEXT } };

#define OTHERS_SHOWN ((size_t)3) /* findings of one rule below the first */
#define VIEWS_SHOWN  ((size_t)4) /* devices that have a line of their own */
#define BUSY_PCT     90 /* a device that works so much of the time has no idle time */

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

/* "steps 6, mean step 177.6 ms, data loading 59.3 ms, ..." */
static void note_evidence(struct memtable *m, const struct advice *a)
{
	char *line = arena_strdup(&m->arena, "");

	for (size_t i = 0; i < a->nevidence; i++) {
		const struct advice_evidence *e = &a->evidence[i];
		char text[UNITS_TEXT_MAX];
		struct str value = e->value.type == CELL_TEXT
					   ? e->value.as.text
					   : units_text(e->unit, e->value, text);
		struct str item = people_item(a, i, &m->arena);
		line = arena_printf(&m->arena, "%s%s" STR_FMT " " STR_FMT, line,
				    *line ? ", " : "", STR_ARG(item), STR_ARG(value));
	}
	memtable_add_note(m, "        %s: %s", a->rule->name, line);
	if (a->formula && !a->is_of_recording)
		memtable_add_note(m, "        saving: %s", a->formula);
}

/* ", rank 3, device 0": what tells findings of one rule apart. */
static const char *place_text(const struct advice *a, const struct scope *scope,
			      struct arena *arena)
{
	const char *word = a->is_gpu ? "GPU" : "device";
	char rank[48] = "", device[96] = "";

	if (a->profile && scope->nranks > 1 && a->profile->has_rank)
		snprintf(rank, sizeof(rank), ", rank %lld", (long long)a->profile->rank);
	else if (a->profile && scope->n > 1)
		snprintf(rank, sizeof(rank), ", profile %lld", (long long)a->profile->id);
	if (a->device.type == CELL_INT)
		snprintf(device, sizeof(device), ", %s %lld", word,
			 (long long)a->device.as.integer);
	else if (a->device.type == CELL_TEXT)
		snprintf(device, sizeof(device), ", %s %.*s", word,
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
		if (a->rule != list->items[at].rule ||
		    a->about != list->items[at].about || n++ >= OTHERS_SHOWN)
			continue;
		const char *place = place_text(a, scope, &m->arena);
		memtable_add_note(m, "        Also%s: %s.", *place ? place + 1 : "",
				  a->finding);
	}
	if (n > OTHERS_SHOWN)
		memtable_add_note(m, "        Also %zu more; --format csv has all.",
				  n - OTHERS_SHOWN);
}

static const char *severity_word(enum advice_severity severity)
{
	static const char *const words[NADVICE_SEVERITIES] = { "LOW", "MEDIUM", "HIGH" };

	return words[severity];
}

static void note_finding(struct memtable *m, const struct advice_list *list, size_t at,
			 const struct advise_request *request, const struct scope *scope)
{
	const struct advice *a = &list->items[at];
	const char *place = place_text(a, scope, &m->arena), *saves = "";
	char text[UNITS_TEXT_MAX];

	if (list->nviews <= 1 && !(a->profile && scope->n > 1))
		place = "";
	if (*place)
		place = arena_printf(&m->arena, " (%s)", place + 2);
	if (a->saving_ns != NUMBER_NONE) {
		struct str saving = units_text(UNIT_NS, cell_int(a->saving_ns), text);
		saves = arena_printf(&m->arena, "; %s" STR_FMT "%s",
				     a->is_of_recording ? "" : "could save up to ",
				     STR_ARG(saving), a->is_whole ? "" : " a step");
	}
	memtable_add_note(m, "%-7s %s%s: %s%s.", severity_word(a->severity),
			  a->rule->title, place, a->finding, saves);
	memtable_add_note(m, "        Try: %s.", a->suggestion);
	if (request->verbose)
		note_evidence(m, a);
	note_others(m, list, at, scope);
}

static bool lacks_the_same(const struct advice_lack *a, const struct advice_lack *b)
{
	return strcmp(a->why, b->why) == 0 &&
	       strcmp(a->record ? a->record : "", b->record ? b->record : "") == 0;
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
	memtable_add_note(m, "%s: %s.%s%s%s", names, reason->why,
			  reason->record ? " To change that: " : "",
			  reason->record ? reason->record : "",
			  reason->record ? "." : "");
}

/* Is it the first lack of its rule, of slices or of the recording? */
static bool is_first_of_rule(const struct advice_list *list, size_t lack)
{
	for (size_t i = 0; i < lack; i++)
		if (list->lacks[i].rule == list->lacks[lack].rule &&
		    list->lacks[i].of_slices == list->lacks[lack].of_slices)
			return false;
	return true;
}

/* Nobody shall take them for rules that found nothing. */
static void note_unexamined(struct memtable *m, const struct advice_list *list)
{
	const char *names = "", *how = NULL;

	for (size_t i = 0; i < list->nlacks; i++) {
		const struct advice_lack *lack = &list->lacks[i];
		if (!lack->of_slices || !is_first_of_rule(list, i))
			continue;
		names = arena_printf(&m->arena, "%s%s%s", names, *names ? ", " : "",
				     lack->rule->name);
		how = lack->record;
	}
	if (how)
		memtable_add_note(m,
				  "Not examined, because these rules read slices, which "
				  "are not here: %s. To examine them, %s.",
				  names, how);
}

static void note_lacks(struct memtable *m, const struct advice_list *list,
		       const struct advise_request *request, const struct scope *scope)
{
	const char *names = "";
	size_t n = 0;

	for (size_t i = 0; i < list->nlacks; i++) {
		if (list->lacks[i].of_slices || !is_first_of_rule(list, i))
			continue;
		n++;
		names = arena_printf(&m->arena, "%s%s%s", names, *names ? ", " : "",
				     list->lacks[i].rule->name);
	}
	if (n == 0)
		return;
	if (!request->verbose) {
		memtable_add_note(m,
				  "%zu rule%s what this recording lacks; --verbose lists "
				  "%s.",
				  n, n == 1 ? " needs" : "s need",
				  n == 1 ? "it" : "them");
		return;
	}
	memtable_add_note(m, "%zu rule%s what this recording lacks:", n,
			  n == 1 ? " needs" : "s need");
	for (size_t i = 0; i < list->nlacks; i++)
		if (!list->lacks[i].of_slices && is_first_of_reason(list, i))
			note_reason(m, list, i, scope);
}

/* Could each rule of the CPU run, where they were asked? */
static bool has_judged_host(const struct advice_list *list)
{
	for (size_t i = 0; i < list->nlacks; i++)
		if (!list->lacks[i].of_slices &&
		    list->lacks[i].rule->needs & NEED_HOST_ONLY)
			return false;
	return true;
}

static const char *verdict(const struct advice_list *list,
			   const struct advise_request *request)
{
	bool is_busy = true;
	size_t nunfit = 0;

	for (size_t i = 0; i < list->nviews; i++) {
		const struct advice_view *v = &list->views[i];
		nunfit += v->unfit != NULL;
		is_busy &= percent_of(v->busy_ns, v->window_ns) >= BUSY_PCT;
	}
	if (list->asked == list->nlacks)
		return "no rule could run";
	if (list->n || nunfit == list->nviews || !has_judged_host(list))
		return NULL;
	if (nunfit || request->n < rule_count() || advice_has_unexamined(list))
		return "no problem found by the rules that ran";
	return is_busy ? "no problem found" : "no single cause found";
}

/* "each step (5 steps of 222.1 ms)", "the step (222.1 ms)", "the recording (...)" */
static const char *window_text(const struct advice_view *v, struct arena *arena)
{
	char text[UNITS_TEXT_MAX];
	struct str length = units_text(
		UNIT_NS, cell_int(v->steps ? v->window_ns / v->steps : v->window_ns),
		text);

	if (v->steps < 2)
		return arena_printf(arena, "the %s (" STR_FMT ")",
				    v->steps ? "step" : "recording", STR_ARG(length));
	return arena_printf(arena, "each step (%lld steps of " STR_FMT ")",
			    (long long)v->steps, STR_ARG(length));
}

/* "GPU 0 is busy 23.6% of each step (5 steps of 222.1 ms)" */
static const char *view_text(const struct advice_list *list, size_t at,
			     const struct scope *scope, struct arena *arena)
{
	const struct advice_view *v = &list->views[at];
	const struct advice of = { .profile = v->profile,
				   .device = v->device,
				   .is_gpu = v->is_gpu };
	const char *place = place_text(&of, scope, arena);
	bool is_host = v->device.type == CELL_NULL;
	double pct = percent_of(v->busy_ns, v->window_ns);
	const char *window = window_text(v, arena);

	if (is_host)
		return arena_printf(
			arena,
			"%s%soperators run for %.1f%% of %s%s%s; no device work%s%s",
			*place ? place + 2 : "", *place ? ": " : "", pct, window,
			v->longest ? ", most of all " : "", v->longest ? v->longest : "",
			v->unfit ? "; " : "", v->unfit ? v->unfit : "");
	return arena_printf(arena, "%s is busy %.*f%% of %s%s%s",
			    *place ? place + 2 : "the device", pct < 1 && pct > 0 ? 3 : 1,
			    pct, window, v->unfit ? ": " : "", v->unfit ? v->unfit : "");
}

/* Of devices; where there are none, of the host. */
static const char *range_text(const struct advice_list *list, struct arena *arena)
{
	double least = 100, most = 0;
	size_t ndevices = 0;

	for (size_t i = 0; i < list->nviews; i++)
		ndevices += list->views[i].device.type != CELL_NULL;
	for (size_t i = 0; i < list->nviews; i++) {
		const struct advice_view *v = &list->views[i];
		double pct = percent_of(v->busy_ns, v->window_ns);
		if (ndevices && v->device.type == CELL_NULL)
			continue;
		least = pct < least ? pct : least;
		most = pct > most ? pct : most;
	}
	if (!ndevices)
		return arena_printf(arena,
				    "operators run for %.1f%% to %.1f%% of the time in "
				    "%zu profiles; no device work",
				    least, most, list->nviews);
	return arena_printf(arena, "%zu devices are busy %.1f%% to %.1f%% of the time",
			    ndevices, least, most);
}

static void add_views(struct memtable *m, const struct advice_list *list,
		      const struct advise_request *request, const struct scope *scope)
{
	const char *result = verdict(list, request), *first = "";

	if (list->nviews > VIEWS_SHOWN)
		first = range_text(list, &m->arena);
	else if (list->nviews)
		first = view_text(list, 0, scope, &m->arena);
	m->table.caption = result && *first
				   ? arena_printf(&m->arena, "%s; %s", result, first)
			   : result ? result
				    : first;
	if (list->nviews > VIEWS_SHOWN || list->nviews == 0)
		return;
	const char **under = arena_alloc(&m->arena, list->nviews * sizeof(*under));
	for (size_t i = 1; i < list->nviews; i++)
		under[i - 1] = view_text(list, i, scope, &m->arena);
	under[list->nviews - 1] = NULL;
	m->table.under = under;
}

/* What paragraphs are of: there are no more than rules and causes. */
struct told {
	const struct advice **items; /* owned */
	size_t n, cap;
};

/* Has the rule a finding of more weight, whose paragraph tells of this one? */
static bool is_found_before(struct told *told, const struct advice *a)
{
	for (size_t i = 0; i < told->n; i++)
		if (told->items[i]->rule == a->rule && told->items[i]->about == a->about)
			return true;
	told->items = xgrow(told->items, &told->cap, told->n + 1,
			    sizeof(const struct advice *));
	told->items[told->n++] = a;
	return false;
}

struct table *advise_text(const struct advice_list *list,
			  const struct advise_request *request, const struct scope *scope)
{
	struct memtable *m = memtable_new(text_columns, 1);
	struct told told = { .n = 0 };

	m->table.is_prose = true;
	add_views(m, list, request, scope);
	for (size_t i = 0; i < list->n; i++)
		if (!is_found_before(&told, &list->items[i]))
			note_finding(m, list, i, request, scope);
	free(told.items);
	note_lacks(m, list, request, scope);
	note_unexamined(m, list);
	return &m->table;
}

const char *advise_summary(const struct advice_list *list, size_t view,
			   const struct scope *scope, struct arena *arena)
{
	return view < list->nviews ? view_text(list, view, scope, arena) : NULL;
}
