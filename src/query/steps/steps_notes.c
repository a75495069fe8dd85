/* Notes of steps: see steps.h. */
#include "query/steps/steps.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/sum.h"
#include "base/units.h"
#include "base/utf8.h"
#include "query/devices/device_work.h"

#define LONG_TOLD    5   /* long steps that have a note of their own */
#define SPREAD_PARTS 4   /* a slice with less than such a part of it has not done it */
#define NAME_MOST    100 /* bytes of a slice's name */

static const char *const category_names[NSTEP_CATEGORIES] = {
	[STEP_KERNEL] = "Kernel",      [STEP_MEMCPY] = "Memcpy",
	[STEP_MEMSET] = "Memset",      [STEP_COMMUNICATION] = "Communication",
	[STEP_RUNTIME] = "Runtime",    [STEP_DATA_LOADING] = "DataLoader",
	[STEP_OPERATORS] = "CPU Exec", [STEP_OTHER] = "Other",
};

const char *steps_category_name(enum step_category category)
{
	return category_names[category];
}

/* Where most of what a long step took more went to. */
static void add_growth(const struct step_mark *mark, struct buf *text)
{
	char ns[UNITS_TEXT_MAX];
	bool is_spread = mark->grew_slice_ns < mark->above_ns / SPREAD_PARTS;

	if (mark->grew_slice) {
		struct str grew = units_text(UNIT_NS, cell_int(mark->grew_slice_ns), ns);
		buf_addf(text,
			 is_spread ? ", in many slices: " STR_FMT " most, " STR_FMT
				     " more"
				   : ": " STR_FMT " took " STR_FMT " more",
			 STR_ARG(utf8_cut(str_of(mark->grew_slice), NAME_MOST)),
			 STR_ARG(grew));
	}
	if (mark->grew_unrecorded_ns > mark->grew_slice_ns) {
		struct str grew =
			units_text(UNIT_NS, cell_int(mark->grew_unrecorded_ns), ns);
		buf_addf(text, "; " STR_FMT " more in no recorded slice", STR_ARG(grew));
	}
}

static void note_long(const struct steps *s, const struct steps_profile *p, size_t step,
		      const struct step_mark *mark, struct memtable *m)
{
	char total[UNITS_TEXT_MAX], above[UNITS_TEXT_MAX];
	int64_t host_ns = steps_value(p, step, VALUE_HOST);
	int64_t total_ns =
		s->bounds == BOUNDS_HOST ? steps_value(p, step, VALUE_TOTAL) : host_ns;
	struct str total_text = units_text(UNIT_NS, cell_int(total_ns), total);
	struct str above_text = units_text(UNIT_NS, cell_int(mark->above_ns), above);
	const char *phase = engine_phase_name(p->bounds.items[step].told.phase);
	struct buf text;

	buf_init(&text, 1024);
	buf_addf(&text,
		 "! step %" PRId64 " took " STR_FMT "%s, " STR_FMT
		 " more than the median %s%sstep",
		 p->bounds.items[step].number, STR_ARG(total_text),
		 total_ns == host_ns ? " on the host" : "", STR_ARG(above_text),
		 phase ? phase : "", phase ? " " : "");
	add_growth(mark, &text);
	memtable_add_note(m, STR_FMT, STR_ARG(buf_str(&text)));
	buf_release(&text);
}

struct told {
	size_t nlong, ndropped;
};

/* Of the first device. */
static void note_profile(const struct steps *s, const struct steps_profile *p,
			 struct told *told, struct memtable *m)
{
	for (size_t i = 0; i < p->bounds.n; i++) {
		const struct step_mark *mark = &s->marks[p->first_mark + i];
		if (mark->is_hidden)
			continue;
		told->ndropped += p->bounds.items[i].is_dropped;
		if (mark->is_long && told->nlong++ < LONG_TOLD)
			note_long(s, p, i, mark, m);
	}
}

static void note_marks(const struct steps *s, struct memtable *m)
{
	struct told told = { 0, 0 };

	for (size_t i = 0; i < s->nprofiles; i++)
		note_profile(s, &s->profiles[i], &told, m);
	if (told.nlong > LONG_TOLD)
		memtable_add_note(m, "! %zu more step%s long", told.nlong - LONG_TOLD,
				  told.nlong == LONG_TOLD + 1 ? " is" : "s are");
	if (s->has_unnamed)
		memtable_add_note(m, "! too many slices span too many steps: which slice "
				     "made a step long is not known");
	if (told.ndropped)
		memtable_add_note(m,
				  "* left out of the mean, and by TensorBoard: a last "
				  "step with no device work, or with less than 80%% of "
				  "that of the step before");
}

/* " in 1 of 2 profiles" of those that are shown; empty when it is all of them. */
static const char *in_profiles(struct memtable *m, size_t n, size_t nshown)
{
	return n == nshown
		       ? ""
		       : arena_printf(&m->arena, " in %zu of %zu profiles", n, nshown);
}

/* None of the launches runs in these profiles. */
static void note_captured(struct memtable *m, const char *in)
{
	if (*in)
		memtable_add_note(m, "%s " DEVICE_CAPTURED, in + 1);
	else
		memtable_add_note(m, "%s", DEVICE_CAPTURED);
}

static void note_lacks(const struct steps *s, const struct scope *scope,
		       struct memtable *m)
{
	bool is_xprof = s->nprofiles && scope_is_xprof(s->profiles[0].profile);
	size_t nshown = 0, nsingle = 0, nidle = 0, nlost = 0, nunmoved = 0;
	int64_t launches = 0;

	for (size_t i = 0; i < s->nprofiles; i++) {
		const struct steps_profile *p = &s->profiles[i];
		if (!p->nshown)
			continue;
		nshown++;
		nsingle += p->bounds.is_single;
		nidle += !p->has_work;
		nlost += !p->has_work && p->launches;
		launches = sum_add(launches, p->has_work ? 0 : p->launches);
		nunmoved += p->bounds.is_unmoved;
	}
	if (nsingle)
		memtable_add_note(
			m,
			"no steps were recorded%s: all of it is step 0; to record "
			"steps, %s%s",
			in_profiles(m, nsingle, nshown),
			is_xprof ? "wrap each in jax.profiler.StepTraceAnnotation or "
				   "tf.profiler.experimental.Trace"
				 : scope_in_torch(scope,
						  "call step() of torch.profiler.profile "
						  "at the end of each, or "),
			is_xprof ? ""
				 : "name the labels that are steps: 'ptool ingest "
				   "--step-name RE FILE'");
	if (launches)
		memtable_add_note(
			m, DEVICE_LOST, (long long)launches, launches == 1 ? "" : "s",
			arena_printf(&m->arena, "%s;", in_profiles(m, nlost, nshown)));
	size_t ncaptured = s->nlaunching > nlost ? s->nlaunching - nlost : 0;
	if (ncaptured)
		note_captured(m, in_profiles(m, ncaptured, nshown));
	if (nidle > nlost + ncaptured)
		memtable_add_note(m, "no device work was recorded%s%s",
				  in_profiles(m, nidle - nlost - ncaptured, nshown),
				  scope_in_torch(scope,
						 "; to record it, profile with "
						 "ProfilerActivity.CUDA, or that of the "
						 "device"));
	if (nunmoved)
		memtable_add_note(m,
				  "no call within a step launched the device work%s: "
				  "steps keep their boundaries on the host",
				  in_profiles(m, nunmoved, nshown));
}

/* The first that a profile has which is shown; NULL: nothing tells the phase. */
static const char *source_of(const struct steps *s, enum step_phase phase)
{
	for (size_t i = 0; i < s->nprofiles; i++)
		if (s->profiles[i].nshown && s->profiles[i].phases.sources[phase])
			return s->profiles[i].phases.sources[phase];
	return NULL;
}

static void note_sources(const struct steps *s, const struct scope *scope,
			 struct memtable *m)
{
	static const struct {
		enum step_phase phase;
		const char *name;
	} told[] = {
		{ STEP_PHASE_DATA, "data loading" },
		{ STEP_PHASE_TO_DEVICE, "copy calls" },
		{ STEP_PHASE_FORWARD, "forward" },
		{ STEP_PHASE_BACKWARD, "backward" },
		{ STEP_PHASE_OPTIMIZER, "optimizer" },
	};
	struct buf known, unknown;
	const char *first = NULL; /* that nothing tells */

	buf_init(&known, 1024);
	buf_init(&unknown, 1024);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const char *source = source_of(s, told[i].phase);
		if (source)
			buf_addf(&known, "%s%s from %s", known.n ? ", " : "",
				 told[i].name, source);
		/* without copies there is no H2D, and no label would tell it */
		if (source || told[i].phase == STEP_PHASE_TO_DEVICE)
			continue;
		buf_addf(&unknown, "%s%s", unknown.n ? ", " : "", told[i].name);
		first = first ? first : told[i].name;
	}
	if (known.n)
		memtable_add_note(m, "phases inferred: " STR_FMT,
				  STR_ARG(buf_str(&known)));
	if (first) {
		const char *how = arena_printf(
			&m->arena,
			"; wrap the code in torch.profiler.record_function(\"%s\")",
			first);
		memtable_add_note(m, STR_FMT " not found%s", STR_ARG(buf_str(&unknown)),
				  scope_in_torch(scope, how));
	}
	if (source_of(s, STEP_PHASE_TO_DEVICE))
		memtable_add_note(m,
				  "copy calls: host time in .to() and other calls that "
				  "copy to the device, waiting included");
	buf_release(&unknown);
	buf_release(&known);
}

/* An engine's step is as long as its work on the device; its phases are the host's. */
static bool is_any_windowed(const struct steps *s)
{
	for (size_t p = 0; p < s->nprofiles; p++)
		if (s->profiles[p].bounds.was_windowed)
			return true;
	return false;
}

void steps_add_notes(const struct steps *s, const struct scope *scope,
		     const struct steps_request *request, struct memtable *m)
{
	note_marks(s, m);
	if (s->has_empty)
		memtable_add_note(m, "the last ProfilerStep is not counted: it is only "
				     "what was left after the last call of step()");
	note_lacks(s, scope, m);
	if (request->phases && s->nprofiles)
		note_sources(s, scope, m);
	if (request->phases && is_any_windowed(s))
		memtable_add_note(m, "totals are the host's part of the steps: without "
				     "--phases they last until their device work ends");
}
