/*
 * ptool advise: what rules find in the profiles of a scope, as a table.
 */
#ifndef PTOOL_QUERY_ADVISE_H
#define PTOOL_QUERY_ADVISE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/table.h"
#include "query/advise/advice.h"
#include "query/scope.h"
#include "query/view.h"

extern const struct view advise_view;

/* A rule with what its parameters are set to. */
struct rule_choice {
	const struct rule *rule;
	double values[RULE_PARAMETERS_MAX];
};

struct advise_facts;

/* Who reads what the rules have read, too: called for each profile, when they were asked. */
struct advise_watcher {
	int (*watch)(void *to, struct advise_facts *facts, struct err *err); /* 0, -1 */
	void *to;
};

struct advise_request {
	const struct rule_choice *choices; /* borrowed; in the order of rules[] */
	size_t n;
	bool evidence; /* a row for each number that findings rest on */
	bool verbose;  /* for people: evidence, and why rules could not run */
	bool for_people;
	const struct advise_watcher *watcher; /* borrowed; NULL: none */
};

/* Its parameters as they are without --rule. */
struct rule_choice rule_choice_of(const struct rule *rule);

/*
 * Findings and lacks, sorted; advice_list_release() in both cases.  The scope outlives
 * them.  ERR_EMPTY for call graphs.
 */
int advise_load(struct store *store, const struct scope *scope,
		const struct advise_request *request, struct advice_list *out,
		struct err *err);

/* Their table, which owns what it shows; table_free() frees it. */
struct table *advise_table(const struct advice_list *list,
			   const struct advise_request *request,
			   const struct scope *scope);
/* advise_people.c: a paragraph for each finding, and what could not run. */
struct table *advise_text(const struct advice_list *list,
			  const struct advise_request *request,
			  const struct scope *scope);
/* "GPU 0 is busy 23.6% of each step", of a view; NULL after the last. */
const char *advise_summary(const struct advice_list *list, size_t view,
			   const struct scope *scope, struct arena *arena);

/* advise_load() and advise_table(). */
int advise_open(struct store *store, const struct scope *scope,
		const struct advise_request *request, struct table **out,
		struct err *err);

#endif
