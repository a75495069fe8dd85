/* ptool ranks as a table: see ranks.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/ranks/pipeline_ops.h"
#include "query/ranks/pipeline_whatif.h"
#include "query/ranks/ranks.h"

/* Which columns a table has, by how rows are grouped. */
enum { RANK = 1, STEP = 2, AXIS = 4, OF_TP = 8 /* and the bits above it */ };

struct ranks_row {
	const struct rank_sums *sums;
	const struct rank_model *model;
	const char *unlike; /* in the table's arena; NULL: not unlike */
	int64_t profile, rank, step, nsteps, nranks;
	struct axes axes;
};

static const struct {
	unsigned bit;
	const char *code, *title;
} unlikes[] = {
	{ RANK_SLOW_COMPUTE, "slow_compute", "slow compute" },
	{ RANK_MORE_COMPUTE, "more_compute", "more compute" },
	{ RANK_SLOW_LINK, "slow_link", "slow link" },
	{ RANK_LATE_HOST, "late_host", "late host" },
	{ RANK_SLOW_STEP, "slow_step", "slow step" },
};

/* "slow_compute,slow_link", or NULL. */
static const char *unlike_text(unsigned unlike, bool for_people, struct arena *arena)
{
	struct buf text;

	if (!unlike)
		return NULL;
	buf_init(&text, SIZE_MAX);
	for (size_t i = 0; i < sizeof(unlikes) / sizeof(*unlikes); i++)
		if (unlike & unlikes[i].bit)
			buf_addf(&text, "%s%s", text.n ? for_people ? ", " : "," : "",
				 for_people ? unlikes[i].title : unlikes[i].code);
	const char *out = arena_copy(arena, buf_str(&text)).p;
	buf_release(&text);
	return out;
}

static const struct rank_sums *sums_of(const void *row)
{
	return ((const struct ranks_row *)row)->sums;
}

static struct cell get_sum(const void *from, const void *row, int offset)
{
	return view_number(from, sums_of(row), offset);
}

static struct cell get_ratio(const void *from, const void *row, int of_links)
{
	const struct rank_model *model = ((const struct ranks_row *)row)->model;
	double ratio = !model ? 0 : of_links ? model->link_ratio : model->compute_ratio;

	(void)from;
	return ratio > 0 ? cell_real(ratio) : cell_null();
}

static struct cell get_unlike(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(((const struct ranks_row *)row)->unlike);
}

/* The place of the largest number; -1: all are 0. */
static int largest(const int64_t *ns, int n)
{
	int at = -1;

	for (int i = 0; i < n; i++)
		if (ns[i] > 0 && (at < 0 || ns[i] > ns[at]))
			at = i;
	return at;
}

static struct cell why_cell(int why, int as_title)
{
	if (why < 0)
		return cell_null();
	return cell_text(str_of(as_title ? rank_why_title(why) : rank_why_code(why)));
}

static struct cell get_cause(const void *from, const void *row, int as_title)
{
	(void)from;
	return why_cell(largest(sums_of(row)->cause_ns, NGAP_CAUSES), as_title);
}

static struct cell get_cause_ns(const void *from, const void *row, int arg)
{
	const int64_t *ns = sums_of(row)->cause_ns;
	int at = largest(ns, NGAP_CAUSES);

	(void)from, (void)arg;
	return at < 0 ? cell_null() : cell_int(ns[at]);
}

static struct cell get_why(const void *from, const void *row, int as_title)
{
	(void)from;
	return why_cell(largest(sums_of(row)->why_ns, NRANK_WHYS), as_title);
}

static struct cell get_why_ns(const void *from, const void *row, int arg)
{
	const int64_t *ns = sums_of(row)->why_ns;
	int at = largest(ns, NRANK_WHYS);

	(void)from, (void)arg;
	return at < 0 ? cell_null() : cell_int(ns[at]);
}

#define ROW(member) .get = view_number, .arg = (int)offsetof(struct ranks_row, member)
#define SUM(member) .get = get_sum, .arg = (int)offsetof(struct rank_sums, member)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, ROW(profile), .needs = RANK | STEP, .flags = FIELD_KEY },
	{ "rank", "Rank", "rank", NULL, UNIT_ID, ROW(rank), .needs = RANK | STEP, .flags = FIELD_KEY },
	{ "ranks", "Ranks", "number of ranks, with --by tp and so on", NULL, UNIT_COUNT, ROW(nranks), .needs = AXIS },
	{ "step", "Step", "step; null outside of steps, with --by step", NULL, UNIT_ID, ROW(step), .needs = STEP, .flags = FIELD_KEY },
	{ "steps", "Steps", "number of steps", NULL, UNIT_COUNT, ROW(nsteps), .needs = RANK, .leaves = 8 },
	{ "wall_ns", "Time", "time of its steps: the sum of the next five columns", "wall", UNIT_NS, SUM(wall_ns), .leaves = 7 },
	{ "compute_ns", "Compute", "kernels computed; without devices, operators ran", "compute", UNIT_NS, SUM(compute_ns), .leaves = 1 },
	{ "copy_ns", "Copies", "memory was copied or set, and nothing computed", "copy", UNIT_NS, SUM(copy_ns), .leaves = 6 },
	{ "transfer_ns", "Transfer", "only collectives ran, and all ranks had arrived", "transfer", UNIT_NS, SUM(transfer_ns), .leaves = 3 },
	{ "wait_ns", "Wait", "only collectives ran, and another rank had not arrived", "wait", UNIT_NS, SUM(wait_ns) },
	{ "idle_ns", "Idle", "nothing ran, for causes on this rank", "idle", UNIT_NS, SUM(idle_ns) },
	{ "late_rank", "For rank", "rank that it waited for most; null if none", NULL, UNIT_ID, SUM(late_rank) },
	{ "late_rank_ns", "For it", "how long it waited for that rank", NULL, UNIT_NS, SUM(late_rank_ns), .leaves = 9 },
	{ "idle_cause", "Cause", "cause of most of idle_ns, as ptool gaps calls it", NULL, UNIT_TEXT, .get = get_cause },
	{ "idle_cause_title", "Mostly", NULL, NULL, UNIT_TEXT, .get = get_cause, .arg = 1, .flags = FIELD_PEOPLE, .leaves = 5, .least = 12 },
	{ "idle_cause_ns", "Cause", "idle time of that cause", NULL, UNIT_NS, .get = get_cause_ns },
	{ "late_ns", "Caused", "waiting time of all other ranks together that this rank caused", "late", UNIT_NS, SUM(late_ns) },
	{ "late_why", "Because", "what it did longer than others, for most of late_ns: compute, copy, transfer, outside of steps, none, or a cause of ptool gaps", NULL, UNIT_TEXT, .get = get_why },
	{ "late_why_title", "Because of", NULL, NULL, UNIT_TEXT, .get = get_why, .arg = 1, .flags = FIELD_PEOPLE, .leaves = 2, .least = 14 },
	{ "late_why_ns", "Because", "part of late_ns with that cause", NULL, UNIT_NS, .get = get_why_ns },
	{ "compute_ratio", "Kernels", "time of its kernels, divided by the median of the same kernels on all ranks", "kernels", UNIT_RATIO, .get = get_ratio, .needs = RANK, .leaves = 6 },
	{ "link_ratio", "Links", "time of its collectives after the last rank arrived, likewise", "links", UNIT_RATIO, .get = get_ratio, .arg = 1, .needs = RANK, .leaves = 6 },
	{ "unlike", "Unlike others", "how it differs from the other ranks: slow_compute, more_compute, slow_link, late_host; by step: slow_step", NULL, UNIT_TEXT, .get = get_unlike, .least = 12 },
	{ "tp", "TP", "place in the tensor parallel group; with --by tp all ranks that have it", NULL, UNIT_ID, ROW(axes.at[AXIS_TP]), .needs = OF_TP, .flags = FIELD_KEY },
	{ "dp", "DP", "place in the data parallel group, likewise", NULL, UNIT_ID, ROW(axes.at[AXIS_DP]), .needs = OF_TP << AXIS_DP, .flags = FIELD_KEY },
	{ "pp", "PP", "pipeline stage, likewise", NULL, UNIT_ID, ROW(axes.at[AXIS_PP]), .needs = OF_TP << AXIS_PP, .flags = FIELD_KEY },
	{ "ep", "EP", "place in the expert parallel group, likewise", NULL, UNIT_ID, ROW(axes.at[AXIS_EP]), .needs = OF_TP << AXIS_EP, .flags = FIELD_KEY },
	{ "cp", "CP", "place in the context parallel group, likewise", NULL, UNIT_ID, ROW(axes.at[AXIS_CP]), .needs = OF_TP << AXIS_CP, .flags = FIELD_KEY },
	{ .name = NULL },
};

/* clang-format on */

static const struct view_part people[] = {
	{ NULL,
	  "rank! tp dp pp ep cp compute_ns! copy_ns transfer_ns wait_ns! late_rank idle_ns! "
	  "idle_cause_title late_ns! late_why_title compute_ratio link_ratio "
	  "unlike" },
	{ .fields = NULL },
};
static const struct view_part people_by_step[] = {
	{ NULL, "step! rank! wall_ns! compute_ns! copy_ns transfer_ns wait_ns! late_rank "
		"idle_ns! idle_cause_title late_ns! late_why_title unlike" },
	{ .fields = NULL },
};

static const struct view_part people_by_axis[] = {
	{ NULL, "tp! dp! pp! ep! cp! ranks wall_ns compute_ns! copy_ns transfer_ns "
		"wait_ns! idle_ns! idle_cause_title late_ns! late_why_title" },
	{ .fields = NULL },
};

static const struct view_word by_words[] = {
	{ "rank", RANK },
	{ "step", STEP },
	{ "tp", AXIS | OF_TP << AXIS_TP },
	{ "dp", AXIS | OF_TP << AXIS_DP },
	{ "pp", AXIS | OF_TP << AXIS_PP },
	{ "ep", AXIS | OF_TP << AXIS_EP },
	{ "cp", AXIS | OF_TP << AXIS_CP },
	{ .name = NULL },
};

const struct view ranks_view = {
	.name = "ranks",
	.fields = fields,
	.people = people,
	.by = by_words,
};

unsigned ranks_columns(enum rank_by by)
{
	if (by >= RANKS_BY_AXES)
		return AXIS | (unsigned)OF_TP << (by - RANKS_BY_AXES);
	return (by == RANKS_BY_STEP ? STEP : RANK) | ((1u << NAXES) - 1) * OF_TP;
}

struct making {
	const struct ranks_request *request;
	const struct scope *scope; /* the ranks that are shown */
	struct ranks_row *items;   /* owned */
	size_t n, cap;
	struct arena arena; /* of their texts */
};

static int64_t count_steps(const struct rank_facts *f)
{
	int64_t n = 0;

	for (size_t i = 0; f->steps && i < f->nsteps; i++)
		n += f->steps[i].number != NUMBER_NONE;
	return n;
}

/* step: NULL: all of them. */
static void add_row(struct making *m, const struct ranks *r, size_t p,
		    const struct rank_step *step, const struct rank_sums *sums)
{
	const struct scope_profile *profile = r->matches.participants[p].profile;
	unsigned unlike = sums->unlike;

	if (step && r->steps[ranks_step_place(r, step->number)].is_slow)
		unlike |= RANK_SLOW_STEP;
	*ARRAY_PUSH(m->items, m->n, m->cap) = (struct ranks_row){
		.sums = sums,
		.model = &r->models[p],
		.unlike = unlike_text(unlike, m->request->show.for_people, &m->arena),
		.profile = profile->id,
		.rank = profile->rank,
		.axes = profile->axes,
		.nranks = NUMBER_NONE,
		.step = step ? step->number : NUMBER_NONE,
		.nsteps = step ? NUMBER_NONE : count_steps(&r->facts[p]),
	};
}

static int by_step(const void *a, const void *b)
{
	const struct ranks_row *x = a, *y = b;

	if (x->step != y->step) /* what is in none comes last */
		return (uint64_t)x->step < (uint64_t)y->step ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->profile > y->profile) - (x->profile < y->profile);
}

static void add_sums(struct rank_sums *to, const struct rank_sums *from)
{
	const struct {
		int64_t *to, from;
	} sums[] = {
		{ &to->wall_ns, from->wall_ns }, { &to->compute_ns, from->compute_ns },
		{ &to->copy_ns, from->copy_ns }, { &to->transfer_ns, from->transfer_ns },
		{ &to->wait_ns, from->wait_ns }, { &to->idle_ns, from->idle_ns },
		{ &to->late_ns, from->late_ns },
	};

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		*sums[i].to = sum_add(*sums[i].to, sums[i].from);
	for (size_t i = 0; i < NGAP_CAUSES; i++)
		to->cause_ns[i] = sum_add(to->cause_ns[i], from->cause_ns[i]);
	for (size_t i = 0; i < NRANK_WHYS; i++)
		to->why_ns[i] = sum_add(to->why_ns[i], from->why_ns[i]);
}

struct placed {
	int64_t place;
	size_t participant;
};

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->place != y->place) /* what has none comes last */
		return (uint64_t)x->place < (uint64_t)y->place ? -1 : 1;
	return (x->participant > y->participant) - (x->participant < y->participant);
}

/* Those of one place of the axis. */
static void add_place(struct making *m, const struct ranks *r, const struct placed *of,
		      size_t n)
{
	struct rank_sums *sums = arena_alloc(&m->arena, sizeof(*sums));
	struct ranks_row row = { .sums = sums,
				 .profile = NUMBER_NONE,
				 .rank = NUMBER_NONE,
				 .step = NUMBER_NONE,
				 .nsteps = NUMBER_NONE,
				 .axes = AXES_NONE };

	*sums = (struct rank_sums){ .late_rank = NUMBER_NONE,
				    .late_rank_ns = NUMBER_NONE };
	for (size_t i = 0; i < n; i++) {
		size_t p = of[i].participant;
		const struct rank_facts *facts = r->facts;
		add_sums(sums, &r->models[p].sums);
		row.nranks +=
			i == 0 || facts[p].profile->rank !=
					  facts[of[i - 1].participant].profile->rank;
	}
	row.axes.at[m->request->by - RANKS_BY_AXES] = of->place;
	*ARRAY_PUSH(m->items, m->n, m->cap) = row;
}

/* Participants come by rank, so that those of a place do. */
static void add_places(struct making *m, const struct ranks *r)
{
	struct placed *all = xcalloc(r->matches.nparticipants + 1, sizeof(*all));
	size_t n = 0;

	for (size_t p = 0; p < r->matches.nparticipants; p++)
		if (scope_find(m->scope, r->facts[p].profile->id))
			all[n++] = (struct placed){
				r->facts[p]
					.profile->axes.at[m->request->by - RANKS_BY_AXES],
				p
			};
	qsort(all, n, sizeof(*all), by_place);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && all[end].place == all[i].place; end++)
			;
		add_place(m, r, all + i, end - i);
	}
	free(all);
}

static void add_rows(struct making *m, const struct ranks *r)
{
	if (m->request->by >= RANKS_BY_AXES) {
		add_places(m, r);
		return;
	}
	for (size_t p = 0; p < r->matches.nparticipants; p++) {
		const struct rank_facts *f = &r->facts[p];
		if (!scope_find(m->scope, f->profile->id))
			continue;
		if (m->request->by == RANKS_BY_RANK)
			add_row(m, r, p, NULL, &r->models[p].sums);
		for (size_t i = 0; m->request->by == RANKS_BY_STEP && i < f->nsteps; i++)
			if (r->models[p].steps[i].wall_ns)
				add_row(m, r, p, &f->steps[i], &r->models[p].steps[i]);
	}
	if (m->n && m->request->by == RANKS_BY_STEP)
		qsort(m->items, m->n, sizeof(*m->items), by_step);
}

static int open_pipeline(struct store *store, const struct scope *run,
			 const struct view_request *show, struct table **out,
			 struct err *err)
{
	struct memtable *m = NULL;
	int rc = pipeline_whatif(store, run, show, &m, err);

	if (rc == 0)
		*out = &m->table;
	return rc;
}

int ranks_open(struct store *store, const struct scope *scope,
	       const struct ranks_request *request, struct table **out, struct err *err)
{
	const struct scope_request all = { .run = scope->profiles[0].run };
	struct making m = { .request = request, .scope = scope };
	struct view_request show = request->show;
	struct ranks r = { .nsteps = 0 };
	struct scope run;

	if (request->by >= RANKS_BY_AXES &&
	    scope_needs_axis(scope, (enum axis)(request->by - RANKS_BY_AXES), err) < 0)
		return -1;
	int rc = scope_load(store, &all, &run, err);
	if (rc < 0)
		return -1;
	if (request->what_if && pipeline_ops_is(&run)) {
		rc = open_pipeline(store, &run, &show, out, err);
		scope_release(&run);
		return rc;
	}
	rc = ranks_load(store, &run, &r, err);
	if (rc == 0 && request->what_if) {
		struct memtable *whatif = ranks_whatif(&r, &run, &show);
		*out = &whatif->table;
	} else if (rc == 0) {
		add_rows(&m, &r);
		const struct view_rows rows = { NULL, m.items, m.n, sizeof(*m.items) };
		show.people = request->by == RANKS_BY_STEP   ? people_by_step
			      : request->by >= RANKS_BY_AXES ? people_by_axis
							     : people;
		struct memtable *table = view_table(&ranks_view, &rows, scope, &show);
		struct memtable *heat = show.for_people && request->by == RANKS_BY_STEP
						? ranks_heat(&r)
						: NULL;
		ranks_add_notes(&r, heat ? heat : table);
		if (heat)
			table->table.more = &heat->table;
		*out = &table->table;
	}
	ranks_release(&r);
	scope_release(&run);
	free(m.items);
	arena_release(&m.arena);
	return rc;
}
