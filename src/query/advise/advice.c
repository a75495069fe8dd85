/* Findings of rules: see advice.h. */
#include "query/advise/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/advise/advise_facts.h"
#include "trace/fact.h"

#define FINDING_MAX 512
/* Parts of a step: a saving from there on is of high, or of medium severity. */
#define HIGH_PART   10
#define MEDIUM_PART 20

void advice_list_release(struct advice_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].evidence);
	free(list->items);
	free(list->lacks);
	free(list->views);
	arena_release(&list->arena);
	*list = (struct advice_list){ .n = 0 };
}

static struct cell own_cell(struct arena *arena, struct cell cell)
{
	if (cell.type == CELL_TEXT)
		cell.as.text = arena_copy(arena, cell.as.text);
	return cell;
}

struct advice *advice_add(const struct rule_run *run, struct cell device,
			  const char *suggestion, const char *finding, ...)
{
	struct advice_list *list = run->out;
	char text[FINDING_MAX];
	va_list args;

	va_start(args, finding);
	vsnprintf(text, sizeof(text), finding, args);
	va_end(args);
	struct advice *a = ARRAY_PUSH(list->items, list->n, list->cap);
	*a = (struct advice){ .rule = run->rule,
			      .profile = run->facts->profile,
			      .device = own_cell(&list->arena, device),
			      .severity = ADVICE_LOW,
			      .finding = arena_strdup(&list->arena, text),
			      .saving_ns = NUMBER_NONE,
			      .is_gpu = run->facts->is_gpu,
			      .suggestion = suggestion };
	return a;
}

void advice_evidence(const struct rule_run *run, const char *item, enum unit unit,
		     struct cell value)
{
	struct advice_list *list = run->out;
	struct advice *a = &list->items[list->n - 1];

	*ARRAY_PUSH(a->evidence, a->nevidence, a->evidence_cap) =
		(struct advice_evidence){ arena_strdup(&list->arena, item),
					  own_cell(&list->arena, value), unit };
}

void advice_save(const struct rule_run *run, int64_t ns, int64_t of_ns,
		 const char *formula)
{
	struct advice *a = &run->out->items[run->out->n - 1];

	a->saving_ns = ns;
	a->of_ns = of_ns;
	a->formula = formula;
	a->is_whole = run->facts->has_work && run->facts->work.windows.is_single;
	a->severity = ns >= of_ns / HIGH_PART     ? ADVICE_HIGH
		      : ns >= of_ns / MEDIUM_PART ? ADVICE_MEDIUM
						  : ADVICE_LOW;
}

int advice_lacks(const struct rule_run *run, const char *why, const char *record)
{
	struct advice_list *list = run->out;

	*ARRAY_PUSH(list->lacks, list->nlacks, list->lacks_cap) = (struct advice_lack){
		.rule = run->rule,
		.profile = run->facts->profile,
		.why = why,
		.record = record,
	};
	return 0;
}

int advice_lacks_slices(const struct rule_run *run)
{
	advice_lacks(
		run, "not examined: it reads slices, which are not here",
		"ask a store that has them: with --rank N of a folder, pulled from a "
		"database, or made without --summary-only");
	run->out->lacks[run->out->nlacks - 1].of_slices = true;
	return 0;
}

bool advice_has_unexamined(const struct advice_list *list)
{
	for (size_t i = 0; i < list->nlacks; i++)
		if (list->lacks[i].of_slices)
			return true;
	return false;
}

static int64_t profile_place(const struct scope_profile *profile)
{
	return profile ? profile->id : -1;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Findings of one rule on one profile keep their order by the device: by its place. */
static int by_weight(const void *left, const void *right)
{
	const struct advice *a = left, *b = right;
	int order = compare((int64_t)b->severity, (int64_t)a->severity);

	if (order == 0)
		order = compare(b->saving_ns, a->saving_ns);
	if (order == 0)
		order = compare(rule_place(a->rule), rule_place(b->rule));
	if (order == 0)
		order = compare(profile_place(a->profile), profile_place(b->profile));
	return order ? order : compare((int64_t)a->place, (int64_t)b->place);
}

/* Those of no device, which are of all, come first. */
static int compare_devices(struct cell a, struct cell b)
{
	if (a.type != b.type)
		return compare(a.type, b.type);
	if (a.type == CELL_TEXT)
		return str_compare(a.as.text, b.as.text);
	return a.type == CELL_INT ? compare(a.as.integer, b.as.integer) : 0;
}

/* Those of the run first; then of one profile, and of one of its devices, together. */
static int by_device(const struct advice *a, const struct advice *b)
{
	int order = compare(b->rule->is_of_run, a->rule->is_of_run);

	if (order == 0)
		order = compare(profile_place(a->profile), profile_place(b->profile));
	return order ? order : compare_devices(a->device, b->device);
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct advice *items = context;

	return by_device(&items[a], &items[b]) < 0;
}

/* Findings that may be of the same time: places [from, to) in an order. */
struct advice_range {
	const uint32_t *order;
	size_t from, to;
};

/* Findings that explain others wherever they are. */
static size_t end_of_run(const struct advice_list *list, const uint32_t *order)
{
	size_t n = 0;

	while (n < list->n && list->items[order[n]].rule->is_of_run)
		n++;
	return n;
}

/* Idle time of a cause that another rule measures in its own way. */
static bool is_of_cause(const struct advice *a, const struct rule *rule)
{
	return a->about && rule->causes >> a->about & 1;
}

/*
 * What findings of rules that it yields to could save: of its profile, but what a rule of
 * the run says of one rank is why others wait.
 */
static int64_t explained_ns(const struct advice_list *list, const struct advice *a,
			    struct advice_range range)
{
	int64_t ns = 0;

	for (size_t i = range.from; i < range.to; i++) {
		const struct advice *other = &list->items[range.order[i]];
		bool is_own = other->profile == a->profile;
		if (other->saving_ns > 0 && is_own != other->rule->is_of_run &&
		    (rule_yields_to(a->rule, other->rule) || is_of_cause(a, other->rule)))
			ns = sum_add(ns, other->saving_ns);
	}
	return ns;
}

/* The end of the findings on the profile, and on the device, of that at `from`. */
static size_t range_end(const struct advice_list *list, const uint32_t *order,
			size_t from, bool of_device)
{
	const struct advice *first = &list->items[order[from]];
	size_t to = from + 1;

	while (to < list->n && first->profile == list->items[order[to]].profile &&
	       (!of_device ||
		compare_devices(first->device, list->items[order[to]].device) == 0))
		to++;
	return to;
}

/* Of one profile: those that others explain by half of what they could save. */
static void find_explained(const struct advice_list *list, struct advice_range profile,
			   bool *is_explained)
{
	const uint32_t *order = profile.order;
	struct advice_range run = { order, 0, end_of_run(list, order) };
	struct advice_range none = { order, profile.from, profile.from };

	for (size_t from = profile.from, to; from < profile.to; from = to) {
		to = range_end(list, order, from, true);
		struct advice_range same = { order, from, to };
		if (list->items[order[from]].device.type == CELL_NULL)
			same.to = profile.to;
		for (size_t i = from; i < to; i++) {
			const struct advice *a = &list->items[order[i]];
			int64_t ns = sum_add(explained_ns(list, a, run),
					     explained_ns(list, a, none));
			ns = sum_add(ns, explained_ns(list, a, same));
			is_explained[order[i]] = ns > 0 && ns >= a->saving_ns / 2;
		}
		if (list->items[order[from]].device.type == CELL_NULL)
			none.to = to;
	}
}

static void leave_out_explained(struct advice_list *list)
{
	bool *is_left_out = xcalloc(list->n + 1, sizeof(*is_left_out));
	uint32_t *order = sorted_places(list->n, is_before, list->items);
	size_t kept = 0;

	for (size_t from = 0, to; from < list->n; from = to) {
		to = range_end(list, order, from, false);
		find_explained(list, (struct advice_range){ order, from, to },
			       is_left_out);
	}
	free(order);
	for (size_t i = 0; i < list->n; i++) {
		if (is_left_out[i])
			free(list->items[i].evidence);
		else
			list->items[kept++] = list->items[i];
	}
	list->n = kept;
	free(is_left_out);
}

void advice_settle(struct advice_list *list)
{
	leave_out_explained(list);
	for (size_t i = 0; i < list->n; i++)
		list->items[i].place = i;
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), by_weight);
}

void advice_add_view(struct advice_list *list, const struct advice_view *view)
{
	struct advice_view *own = ARRAY_PUSH(list->views, list->nviews, list->views_cap);

	*own = *view;
	own->device = own_cell(&list->arena, view->device);
}

const char *advice_severity_name(enum advice_severity severity)
{
	static const char *const names[NADVICE_SEVERITIES] = { "low", "medium", "high" };

	return names[severity];
}
