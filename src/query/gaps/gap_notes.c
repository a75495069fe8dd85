/* What is said beside the table of idle time: see gap_notes.h. */
#include "query/gaps/gap_notes.h"

#include <inttypes.h>
#include <sqlite3.h>

#include "base/buf.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/query.h"
#include "query/short_name.h"

ASSET(asset_query_views_gap_names_sql);

#define LOOK_AT_CELLS 40  /* of a name in a sentence */
#define HINT_PCT      2.0 /* of the time: less is not worth a hint */
#define OUTSIDE_PCT   1.0 /* of the time: less is the seam between steps */

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

/* Of what the idle time is a part: " in 3 steps". */
static const char *window_text(struct memtable *out, const struct gap_profile *p,
			       const struct gap_total *t)
{
	int64_t steps = t->steps, between_ns = sum_sub(t->idle_ns, t->stepped_ns);

	if (p->range.is_inner)
		return " from its first to its last work";
	if (steps && between_ns)
		return arena_printf(&out->arena,
				    " in %" PRId64 " step%s and between them (%s)", steps,
				    steps == 1 ? "" : "s", ns_text(out, between_ns));
	return steps ? arena_printf(&out->arena, " in %" PRId64 " step%s", steps,
				    steps == 1 ? "" : "s")
		     : " of recording";
}

void gap_notes_device(struct memtable *out, struct gap_causes_seen *seen,
		      const struct scope *scope, const struct gap_profile *p,
		      uint32_t device)
{
	const struct gap_total *t = &p->totals[device];
	if (!t->span_ns && !p->range.is_all)
		return; /* none of its steps is wanted */
	const char *name = device_name(out, scope, p, device);
	char gaps[UNITS_TEXT_MAX];
	const char *text = arena_printf(
		&out->arena, "%sidle %s (%.1f%%) of %s%s, " STR_FMT " gap%s", name,
		ns_text(out, t->idle_ns), percent_of(t->idle_ns, t->span_ns),
		ns_text(out, t->span_ns), window_text(out, p, t),
		STR_ARG(units_text(UNIT_COUNT, cell_int(t->gaps), gaps)),
		t->gaps == 1 ? "" : "s");

	if (!out->table.caption)
		out->table.caption = text;
	else
		memtable_add_note(out, "%s", text);
	seen->idle_ns = sum_add(seen->idle_ns, t->idle_ns);
	seen->span_ns = sum_add(seen->span_ns, t->span_ns);
	if (percent_of(t->outside_ns, t->span_ns) >= OUTSIDE_PCT)
		memtable_add_note(out,
				  "%sidle for %s more outside the steps, which is not "
				  "counted here",
				  name, ns_text(out, t->outside_ns));
}

void gap_notes_merged(struct memtable *out, const struct gap_profile *p)
{
	memtable_add_note(
		out,
		"%zu devices have too many steps to tell apart: the time between "
		"steps counts as idle too; --step N..M looks at fewer",
		p->work.ndevices);
}

void gap_notes_left_out(struct memtable *out, const struct gap_profile *p,
			enum gap_key key, bool has_roots)
{
	unsigned missed = 1U << GAP_KEY_NONE | 1U << key;

	if (has_roots)
		missed |= 1U << GAP_LEFT_WAITS;
	if (!(p->blame.left_out & missed))
		return;
	memtable_add_note(
		out,
		"%zu devices wait for too many names to tell them apart: those "
		"of what they share are left out; --time or --step looks at less",
		p->work.ndevices);
}

void gap_notes_clocks(struct memtable *out, const struct gap_ranks *ranks)
{
	memtable_add_note(out,
			  "the clocks of the ranks are aligned on the ends of their "
			  "collectives, within %s",
			  ns_text(out, ranks->error_ns));
}

/* Of equal ones the first by its text. */
static bool is_more(const struct gap_causes_seen *seen, const struct gap_sum *sum,
		    const struct gap_profile *p)
{
	if (sum->idle_ns != seen->look_ns[sum->cause] || !sum->idle_ns)
		return sum->idle_ns > seen->look_ns[sum->cause];
	return str_compare(text_pool_str(p->texts, sum->blamed),
			   seen->look_at[sum->cause]) < 0;
}

void gap_notes_add(struct memtable *out, struct gap_causes_seen *seen,
		   const struct gap_sums *by_cause, const struct gap_profile *p)
{
	seen->is_xprof |= scope_is_xprof(p->profile);
	seen->is_pipeline |= scope_is_pipeline(p->profile);
	seen->has_stacks |= p->profile->has_stacks;
	for (size_t i = 0; i < by_cause->n; i++) {
		const struct gap_sum *sum = &by_cause->items[i];
		enum gap_cause cause = (enum gap_cause)sum->cause;
		if (sum->key != GAP_NOTES_NAMES) {
			seen->cause_ns[cause] =
				sum_add(seen->cause_ns[cause], sum->idle_ns);
			seen->long_ns[cause] =
				sum_add(seen->long_ns[cause], sum->long_ns);
		} else if (is_more(seen, sum, p)) {
			seen->look_ns[cause] = sum->idle_ns;
			seen->look_at[cause] = arena_copy(
				&out->arena, text_pool_str(p->texts, sum->blamed));
		}
	}
}

int gap_notes_names(struct store *store, const struct scope *scope,
		    struct gap_causes_seen *seen, struct err *err)
{
	seen->has_ops = true;
	if (!store_has_table(store, "op_stat"))
		return 0;
	struct query q =
		query_of_scope(store, asset_query_views_gap_names_sql, scope->ids, err);

	if (query_next(&q, err)) {
		seen->is_fused = sqlite3_column_int(q.stmt, 0) != 0;
		seen->lacks_graphs = sqlite3_column_int(q.stmt, 1) != 0;
		seen->has_ops = sqlite3_column_int(q.stmt, 2) != 0;
	}
	return query_end(&q);
}

void gap_notes_sentence(struct memtable *out, const struct gap_causes_seen *seen)
{
	enum gap_cause most = GAP_NONE;

	for (int i = GAP_NONE; i < NGAP_CAUSES; i++)
		if (seen->cause_ns[i] > seen->cause_ns[most])
			most = (enum gap_cause)i;
	if (seen->span_ns == 0 || sum_is_stuck(seen->span_ns))
		return;
	if (percent_of(seen->idle_ns, seen->span_ns) < HINT_PCT) {
		memtable_add_note(out,
				  "busy for %.1f%% of that time: look at its work "
				  "('ptool kernels'), not at gaps",
				  100.0 - percent_of(seen->idle_ns, seen->span_ns));
		return;
	}
	if (most == GAP_NONE ||
	    percent_of(seen->cause_ns[most], seen->span_ns) < HINT_PCT)
		return;
	const struct gap_loss loss = { seen->cause_ns[most], seen->long_ns[most],
				       seen->look_at[most],  seen->cause_ns,
				       seen->is_xprof,       seen->is_pipeline,
				       seen->has_stacks,     seen->is_fused,
				       seen->lacks_graphs };
	struct buf at;
	buf_init(&at, SIZE_MAX);
	if (seen->look_at[most].n) {
		buf_add_text(&at, " (");
		short_name_add(&at, seen->look_at[most], LOOK_AT_CELLS);
		buf_add_text(&at, ")");
	}
	memtable_add_note(out, "%.1f%% of the time is lost to '%s'" STR_FMT ": %s",
			  percent_of(seen->cause_ns[most], seen->span_ns),
			  gap_causes[most].title, STR_ARG(buf_str(&at)),
			  gap_cause_remedy(most, &loss));
	buf_release(&at);
}

void gap_notes_no_keys(struct memtable *out, enum gap_by by, bool says_how)
{
	static const struct {
		const char *what, *record; /* record: in PyTorch; what NULL: no note */
	} notes[] = {
		[GAPS_BY_OP] = { "operator", "record with ProfilerActivity.CPU" },
		[GAPS_BY_FRAME] = { "Python frame", "record with with_stack=True" },
		[GAPS_BY_ANNOTATION] = { "annotation but those of steps",
					 "torch.profiler.record_function() makes them" },
		[GAPS_BY_STEP] = { "step", "prof.step() marks them" },
		[GAPS_BY_STREAM] = { NULL, NULL },
	};

	if (out->nrows && notes[by].what)
		memtable_add_note(out, "no %s was recorded at these times%s%s",
				  notes[by].what, says_how ? ": " : "",
				  says_how ? notes[by].record : "");
}
