/*
 * What a recording holds, for the rules that need it, and what to record where it does
 * not.
 */
#ifndef PTOOL_QUERY_ADVISE_NEEDS_H
#define PTOOL_QUERY_ADVISE_NEEDS_H

#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"

/* Bits of enum rule_need that the profile of the facts fulfils.  -1 with err set. */
int advise_needs_met(struct advise_facts *f, unsigned *met, struct err *err);

/*
 * May the rule run?  When not, the list says why; a rule for recordings without device
 * work is passed over in silence where there is some.
 */
bool advise_needs_allow(const struct rule_run *run, unsigned met);

/* Says that rules which need it would find more; 0. */
int advise_needs_lack_work(const struct rule_run *run);

/* Are graphs captured and none replayed?  What is launched may have run nothing then. */
bool advise_needs_capture_only(const struct advise_facts *f);

/* Is there enough work of the device, by its place, to judge how it is used? */
bool advise_needs_enough(const struct advise_facts *f, size_t device);

/* How busy each device was, or the host of a recording without device work. */
int advise_views_add(struct advise_facts *f, unsigned met, struct advice_list *out,
		     struct err *err);

#endif
