/* What is said beside the table of idle time: see gap_notes.h. */
#include "query/gaps/gap_notes.h"

#include <inttypes.h>

#include "base/sum.h"
#include "base/units.h"

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *ns_text(struct memtable *out, int64_t ns)
{
	char text[UNITS_TEXT_MAX];

	return arena_copy(&out->arena, units_text(UNIT_NS, cell_int(ns), text)).p;
}

/* "rank 1, device 0: " */
static const char *device_name(struct memtable *out, const struct scope *scope,
			       const struct gap_profile *p, uint32_t device)
{
	const struct work_device *d = &p->work.devices[device];
	struct arena *arena = &out->arena;
	const char *rank = "";

	if (scope->nranks > 1 && p->profile->has_rank)
		rank = arena_printf(arena, "rank %" PRId64 ", ", p->profile->rank);
	if (d->name)
		return arena_printf(arena, "%sdevice %.200s: ", rank, d->name);
	if (d->device == NUMBER_NONE)
		return rank;
	return arena_printf(arena, "%sdevice %" PRId64 ": ", rank, d->device);
}

static const char *steps_text(struct memtable *out, int64_t steps)
{
	return steps ? arena_printf(&out->arena, ", %" PRId64 " step%s", steps,
				    steps == 1 ? "" : "s")
		     : "";
}

void gap_notes_device(struct memtable *out, const struct scope *scope,
		      const struct gap_profile *p, uint32_t device)
{
	const struct gap_total *t = &p->totals[device];
	const char *name = device_name(out, scope, p, device);
	const char *text =
		arena_printf(&out->arena, "%sidle %s of %s (%.1f%%), %" PRId64 " gap%s%s",
			     name, ns_text(out, t->idle_ns), ns_text(out, t->span_ns),
			     percent(t->idle_ns, t->span_ns), t->gaps,
			     t->gaps == 1 ? "" : "s", steps_text(out, t->steps));

	if (!out->table.caption)
		out->table.caption = text;
	else
		memtable_add_note(out, "%s", text);
	int64_t edge_ns = sum_sub(p->profile->dur_ns, t->span_ns);
	if (p->range.is_all && edge_ns > 0)
		memtable_add_note(out,
				  "%s%s more were recorded before the first and after "
				  "the last work, and are no idle time",
				  name, ns_text(out, edge_ns));
}

void gap_notes_clocks(struct memtable *out, const struct gap_ranks *ranks)
{
	memtable_add_note(out,
			  "the clocks of the ranks are aligned on the ends of their "
			  "collectives, within %s",
			  ns_text(out, ranks->error_ns));
}

void gap_notes_add(struct memtable *out, struct gap_causes_seen *seen,
		   const struct gap_sums *sums, const struct gap_profile *p)
{
	for (size_t i = 0; i < sums->n; i++) {
		const struct gap_sum *sum = &sums->items[i];
		seen->cause_ns[sum->cause] =
			sum_add(seen->cause_ns[sum->cause], sum->idle_ns);
		seen->all_ns = sum_add(seen->all_ns, sum->idle_ns);
		if (sum->idle_ns <= seen->look_ns[sum->cause])
			continue;
		seen->look_ns[sum->cause] = sum->idle_ns;
		seen->look_at[sum->cause] =
			arena_copy(&out->arena, text_pool_str(p->texts, sum->blamed));
	}
}

void gap_notes_sentence(struct memtable *out, const struct gap_causes_seen *seen)
{
	enum gap_cause most = GAP_NONE;

	for (int i = GAP_NONE; i < NGAP_CAUSES; i++)
		if (seen->cause_ns[i] > seen->cause_ns[most])
			most = (enum gap_cause)i;
	if (seen->all_ns == 0)
		return;
	struct str at = seen->look_at[most];
	memtable_add_note(out, "the largest cause is %s%s" STR_FMT "%s, %.1f%%: %s",
			  gap_causes[most].title, at.n ? " (" : "",
			  (int)(at.n < 100 ? at.n : 100), at.p ? at.p : "",
			  at.n ? ")" : "", percent(seen->cause_ns[most], seen->all_ns),
			  gap_causes[most].remedy);
}
