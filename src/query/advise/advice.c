/* Findings of rules: see advice.h. */
#include "query/advise/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "ingest/sink.h"
#include "query/advise/advise_facts.h"

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
	list->items = xgrow(list->items, &list->cap, list->n + 1, sizeof(*list->items));
	struct advice *a = &list->items[list->n++];
	*a = (struct advice){ .rule = run->rule,
			      .profile = run->facts->profile,
			      .device = own_cell(&list->arena, device),
			      .severity = ADVICE_LOW,
			      .finding = arena_strdup(&list->arena, text),
			      .saving_ns = NUMBER_NONE,
			      .is_gpu = facts_is_gpu(&run->facts->work.work),
			      .suggestion = suggestion };
	return a;
}

void advice_evidence(const struct rule_run *run, const char *item, enum unit unit,
		     struct cell value)
{
	struct advice_list *list = run->out;
	struct advice *a = &list->items[list->n - 1];

	a->evidence = xgrow(a->evidence, &a->evidence_cap, a->nevidence + 1,
			    sizeof(*a->evidence));
	a->evidence[a->nevidence++] =
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

	list->lacks = xgrow(list->lacks, &list->lacks_cap, list->nlacks + 1,
			    sizeof(*list->lacks));
	list->lacks[list->nlacks++] = (struct advice_lack){
		.rule = run->rule,
		.profile = run->facts->profile,
		.why = why,
		.record = record,
	};
	return 0;
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

/*
 * Can `b` be why of `a`?  Devices and profiles are the same, or one of them is of all.
 * What a rule of the run says of one rank is why others wait.
 */
static bool is_of_same(const struct advice *a, const struct advice *b)
{
	if (b->rule->is_of_run)
		return a->profile != b->profile;
	if (a->profile != b->profile)
		return false;
	if (a->device.type == CELL_NULL || b->device.type == CELL_NULL)
		return true;
	if (a->device.type != b->device.type)
		return false;
	return a->device.type == CELL_INT
		       ? a->device.as.integer == b->device.as.integer
		       : str_equal(a->device.as.text, b->device.as.text);
}

/* Do findings of rules that it yields to explain half of what it could save? */
static bool is_explained(const struct advice_list *list, const struct advice *a)
{
	int64_t explained_ns = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct advice *other = &list->items[i];
		if (other->saving_ns > 0 && rule_yields_to(a->rule, other->rule) &&
		    is_of_same(a, other))
			explained_ns = sum_add(explained_ns, other->saving_ns);
	}
	return explained_ns > 0 && explained_ns >= a->saving_ns / 2;
}

static void leave_out_explained(struct advice_list *list)
{
	bool *is_left_out = xcalloc(list->n + 1, sizeof(*is_left_out));
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		is_left_out[i] = is_explained(list, &list->items[i]);
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
	list->views = xgrow(list->views, &list->views_cap, list->nviews + 1,
			    sizeof(*list->views));
	list->views[list->nviews] = *view;
	list->views[list->nviews++].device = own_cell(&list->arena, view->device);
}

const char *advice_severity_name(enum advice_severity severity)
{
	static const char *const names[NADVICE_SEVERITIES] = { "low", "medium", "high" };

	return names[severity];
}
