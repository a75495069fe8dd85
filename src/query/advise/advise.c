/* Rules asked of profiles: see advise.h. */
#include "query/advise/advise.h"

#include "query/advise/advise_facts.h"
#include "query/advise/advise_needs.h"
#include "query/advise/advise_stored.h"
#include "query/advise/rule_parts.h"

struct rule_choice rule_choice_of(const struct rule *rule)
{
	struct rule_choice choice = { .rule = rule };

	for (size_t i = 0; rule->parameters[i].name; i++)
		choice.values[i] = rule->parameters[i].value;
	return choice;
}

static void judge_devices(const struct rule_run *run)
{
	const struct device_work *work = &run->facts->work.work;

	for (size_t i = 0; i < work->ndevices; i++) {
		const struct rule_device on = { i, &work->devices[i],
						&run->facts->uses[i],
						work_device_cell(&work->devices[i]) };
		if (!(run->rule->needs & NEED_ENOUGH) ||
		    advise_needs_enough(run->facts, i))
			run->rule->each_device(run, &on);
	}
}

/* The recording holds what the rule needs. */
static int ask_rule(const struct rule_run *run, struct err *err)
{
	const struct rule *rule = run->rule;

	if (facts_load(run->facts, rule->facts, err) < 0)
		return -1;
	if (rule->can_tell && !rule->can_tell(run))
		return advice_lacks(run, rule->lacks,
				    rule_try(run, rule->record, rule->record_xprof));
	if (rule->check)
		return rule->check(run, err);
	if (rule->judge)
		rule->judge(run);
	else
		judge_devices(run);
	return 0;
}

/* The rules of a profile, or those of the run when there is none. */
static int ask(const struct advise_request *request, struct advise_facts *facts,
	       struct advice_list *out, struct err *err)
{
	unsigned met = 0;

	if (facts->profile && (advise_needs_met(facts, &met, err) < 0 ||
			       advise_views_add(facts, met, out, err) < 0))
		return -1;
	for (size_t i = 0; i < request->n; i++) {
		const struct rule_choice *choice = &request->choices[i];
		const struct rule_run run = { .rule = choice->rule,
					      .values = choice->values,
					      .facts = facts,
					      .out = out };
		if (choice->rule->is_of_run != !facts->profile)
			continue;
		if (advise_needs_allow(&run, met) && ask_rule(&run, err) < 0)
			return -1;
	}
	return 0;
}

static int ask_all(struct advise_facts *facts, const struct advise_request *request,
		   struct advice_list *out, struct err *err)
{
	const struct scope *scope = facts->scope;
	int rc = 0;

	/* the last round asks the rules of the run */
	for (size_t i = 0; rc == 0 && i <= scope->n; i++) {
		advise_facts_begin(facts, i < scope->n ? &scope->profiles[i] : NULL);
		if (facts->stored && facts->profile)
			rc = advise_stored_load(facts, err);
		if (rc == 0)
			rc = ask(request, facts, out, err);
		if (rc == 0 && facts->profile && request->watcher)
			rc = request->watcher->watch(request->watcher->to, facts, err);
		advise_facts_release(facts);
	}
	return rc;
}

/* Slices are not there: what idle time of other ranks it was is not asked either. */
static int ask_stored(struct advise_facts *facts, const struct advise_request *request,
		      struct advice_list *out, struct err *err)
{
	struct advise_stored stored;
	int rc = advise_stored_open(facts->store, facts->scope, facts->texts, &stored,
				    err);

	facts->stored = &stored;
	if (rc == 0)
		rc = ask_all(facts, request, out, err);
	facts->stored = NULL;
	advise_stored_close(&stored);
	return rc;
}

static int ask_slices(struct advise_facts *facts, const struct advise_request *request,
		      struct advice_list *out, struct err *err)
{
	struct gap_ranks ranks = { .n = 0 };
	int rc = gap_ranks_open(facts->store, facts->texts, facts->scope->profiles[0].run,
				&ranks, err);

	facts->ranks = &ranks;
	if (rc == 0)
		rc = ask_all(facts, request, out, err);
	facts->ranks = NULL;
	gap_ranks_close(&ranks);
	return rc;
}

static bool lacks_slices(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (!scope->profiles[i].has_slices)
			return true;
	return false;
}

/* No rule could say anything of what is no trace. */
static int needs_trace(const struct scope *scope, struct err *err)
{
	static const char *const kinds[NSCOPE_KINDS] = {
		[SCOPE_CALL_GRAPHS] = "a call graph",
		[SCOPE_SAMPLES] = "a set of sampled stacks",
		[SCOPE_LINES] = "a report on lines",
	};
	enum scope_kind kind;

	if (scope_kind(scope, &kind, err) < 0)
		return -1;
	const char *is =
		scope_is_sampled_memory(scope) ? "a record of memory" : kinds[kind];
	return is ? err_set(err, ERR_EMPTY,
			    "rules need a trace, and this is %s: record with "
			    "torch.profiler",
			    is)
		  : 0;
}

int advise_load(struct store *store, const struct scope *scope,
		const struct advise_request *request, struct advice_list *out,
		struct err *err)
{
	struct text_pool texts;

	*out = (struct advice_list){ .n = 0 };
	if (needs_trace(scope, err) < 0)
		return -1;
	if (scope_is_printed(scope) && !request->watcher)
		return err_set(err, ERR_EMPTY,
			       "rules need a trace, and this is a printed table: "
			       "export_chrome_trace() writes one");
	int rc = text_pool_open(store, &texts, err);
	struct advise_facts facts = { .store = store, .scope = scope, .texts = &texts };
	if (rc == 0)
		rc = lacks_slices(scope) ? ask_stored(&facts, request, out, err)
					 : ask_slices(&facts, request, out, err);
	text_pool_close(&texts);
	advice_settle(out);
	return rc;
}

int advise_open(struct store *store, const struct scope *scope,
		const struct advise_request *request, struct table **out, struct err *err)
{
	struct advice_list list;
	int rc = advise_load(store, scope, request, &list, err);

	if (rc == 0)
		*out = request->for_people && !request->evidence
			       ? advise_text(&list, request, scope)
			       : advise_table(&list, request, scope);
	advice_list_release(&list);
	return rc;
}
