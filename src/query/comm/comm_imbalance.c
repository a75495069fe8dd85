/* ptool comm --imbalance: see comm_imbalance.h. */
#include "query/comm/comm_imbalance.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/kernels/kernel_family.h"
#include "query/query.h"

/* Which columns a table has. */
enum { GROUPS = 1, RANKS = 2, SINGLES = 4 };

/* What a rank's experts did between two communications. */
struct expert_call {
	int64_t moe_ns;
	int64_t then_ns; /* the communication after it; 0: there was none */
};

struct expert_rank {
	const struct scope_profile *profile;
	int64_t device;
	struct expert_call *calls; /* owned */
	size_t ncalls, calls_cap;
};

struct imbalance_row {
	const char *group;
	int64_t profile, rank, call, ranks, calls;
	int64_t moe_ns, mean_ns, max_ns, cost_ns, then_ns;
	int64_t slowest_rank, slowest_calls;
	double ratio;
};

struct imbalance {
	struct expert_rank *ranks; /* owned; by (group, rank, device) */
	size_t nranks, ranks_cap;
	struct imbalance_row *rows; /* owned */
	size_t nrows, rows_cap;
	enum comm_by by;
	size_t unpaired; /* groups whose totals are compared */
};

static struct cell get_ratio(const void *from, const void *row, int arg)
{
	double ratio = ((const struct imbalance_row *)row)->ratio;

	(void)from, (void)arg;
	return ratio > 0 ? cell_real(ratio) : cell_null();
}

static struct cell get_group(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(((const struct imbalance_row *)row)->group);
}

#define NUMBER(member) \
	.get = view_number, .arg = (int)offsetof(struct imbalance_row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "group", "Group", "place of the ranks in other axes, where they have one", NULL, UNIT_TEXT, .get = get_group, .least = 8 },
	{ "profile", "Profile", "number of the profile, with --by rank", NULL, UNIT_ID, NUMBER(profile), .needs = RANKS },
	{ "rank", "Rank", "rank, with --by rank", NULL, UNIT_ID, NUMBER(rank), .needs = RANKS },
	{ "call", "Call", "number of the call, from 0, with --list", NULL, UNIT_COUNT, NUMBER(call), .needs = SINGLES },
	{ "ranks", "Ranks", "number of ranks", NULL, UNIT_COUNT, NUMBER(ranks), .needs = GROUPS | SINGLES },
	{ "calls", "Calls", "calls of experts, which communications part", "count", UNIT_COUNT, NUMBER(calls), .needs = GROUPS | RANKS },
	{ "expert_ns", "Experts", "time of the experts' kernels, on all ranks or one", "experts", UNIT_NS, NUMBER(moe_ns) },
	{ "mean_ns", "Mean", "mean over ranks, of all calls", "mean", UNIT_NS, NUMBER(mean_ns) },
	{ "max_ns", "Largest", "the largest of a rank in each call, added up", "max", UNIT_NS, NUMBER(max_ns), .needs = GROUPS | SINGLES },
	{ "imbalance", "Imbalance", "the largest by the mean; of a rank, its own by the mean", "ratio", UNIT_RATIO, .get = get_ratio },
	{ "cost_ns", "Cost", "what perfect balance would save: the largest less the mean; of a rank, its own less the mean, which may be below 0", "cost", UNIT_NS, NUMBER(cost_ns) },
	{ "slowest_rank", "Slowest", "rank with the largest most often", NULL, UNIT_ID, NUMBER(slowest_rank), .needs = GROUPS | SINGLES },
	{ "slowest_calls", "Often", "how often it was that one", NULL, UNIT_COUNT, NUMBER(slowest_calls), .needs = GROUPS | RANKS },
	{ "then_ns", "Then", "time of the communication after each call: it takes less, the longer the experts of a rank take", NULL, UNIT_NS, NUMBER(then_ns), .needs = GROUPS | RANKS },
	{ .name = NULL },
};
/* clang-format on */

static const struct view_part people[] = {
	{ NULL, "group rank! call! ranks calls! expert_ns! mean_ns max_ns! imbalance! "
		"cost_ns! slowest_rank slowest_calls then_ns" },
	{ .fields = NULL },
};

const struct view comm_imbalance_view = {
	.name = "comm --imbalance",
	.fields = fields,
	.people = people,
};

unsigned comm_imbalance_columns(enum comm_by by)
{
	return by == COMM_BY_RANK ? RANKS : by == COMM_SINGLE ? SINGLES : GROUPS;
}

static bool is_of_experts(const struct work_item *item, const struct text_pool *texts)
{
	enum work_kind kind = (enum work_kind)item->kind;

	return kind == WORK_COMPUTE && item->name != TEXT_NONE &&
	       kernel_family_of(kind, text_pool_str(texts, item->name)) == FAMILY_MOE;
}

/* Names are few: which are of experts, by text. */
struct known_names {
	uint8_t *known; /* owned; 0: not looked at, 1: no, 2: yes */
	size_t cap;
};

static bool are_experts(struct known_names *names, const struct work_item *item,
			const struct text_pool *texts)
{
	if (item->name == TEXT_NONE)
		return false;
	size_t before = names->cap;
	names->known = xgrow(names->known, &names->cap, item->name + (size_t)1,
			     sizeof(*names->known));
	if (names->cap > before)
		memset(names->known + before, 0, names->cap - before);
	uint8_t *known = &names->known[item->name];
	if (!*known)
		*known = is_of_experts(item, texts) ? 2 : 1;
	return *known == 2;
}

static void add_device(struct imbalance *m, const struct scope_profile *profile,
		       const struct device_work *work, const struct work_device *device,
		       struct known_names *names, const struct text_pool *texts)
{
	struct expert_rank rank = { .profile = profile, .device = device->device };
	struct expert_call call = { 0, 0 };

	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct work_item *item = &work->items[i];
		int64_t dur_ns = sum_sub(item->end_ns, item->start_ns);
		if (item->kind != WORK_COMMUNICATION) {
			if (are_experts(names, item, texts))
				call.moe_ns = sum_add(call.moe_ns, dur_ns);
			continue;
		}
		if (!call.moe_ns)
			continue;
		call.then_ns = dur_ns;
		*ARRAY_PUSH(rank.calls, rank.ncalls, rank.calls_cap) = call;
		call = (struct expert_call){ 0, 0 };
	}
	if (call.moe_ns)
		*ARRAY_PUSH(rank.calls, rank.ncalls, rank.calls_cap) = call;
	if (rank.ncalls)
		*ARRAY_PUSH(m->ranks, m->nranks, m->ranks_cap) = rank;
}

static int load(struct imbalance *m, struct store *store, struct text_pool *texts,
		const struct scope *scope, struct err *err)
{
	struct known_names names = { .cap = 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		const struct scope_profile *profile = &scope->profiles[i];
		struct device_work work = { .n = 0 };
		if (!profile->has_rank)
			continue;
		rc = device_work_load(store, texts, profile, WORK_ALONE, &work, err);
		for (size_t k = 0; rc == 0 && k < work.ndevices; k++)
			add_device(m, profile, &work, &work.devices[k], &names, texts);
		device_work_release(&work);
	}
	free(names.known);
	return rc;
}

static int compare_groups(const struct expert_rank *x, const struct expert_rank *y)
{
	const char *a = x->profile->exchange_group, *b = y->profile->exchange_group;

	return strcmp(a ? a : "", b ? b : "");
}

static int by_group(const void *a, const void *b)
{
	const struct expert_rank *x = a, *y = b;
	int order = compare_groups(x, y);

	if (!order)
		order = sort_order(x->profile->rank, y->profile->rank);
	if (!order)
		order = sort_order(x->profile->id, y->profile->id);
	return order ? order : sort_order(x->device, y->device);
}

/* All that a rank's experts did, as one call. */
static void join_calls(struct expert_rank *rank)
{
	for (size_t i = 1; i < rank->ncalls; i++) {
		rank->calls[0].moe_ns =
			sum_add(rank->calls[0].moe_ns, rank->calls[i].moe_ns);
		rank->calls[0].then_ns =
			sum_add(rank->calls[0].then_ns, rank->calls[i].then_ns);
	}
	rank->ncalls = 1;
}

/* Of one call: the place of the rank that took longest, and sums. */
static size_t slowest_of(const struct expert_rank *ranks, size_t n, size_t call,
			 struct imbalance_row *row)
{
	size_t slowest = 0;

	row->moe_ns = row->then_ns = 0;
	for (size_t i = 0; i < n; i++) {
		const struct expert_call *c = &ranks[i].calls[call];
		row->moe_ns = sum_add(row->moe_ns, c->moe_ns);
		row->then_ns = sum_add(row->then_ns, c->then_ns);
		if (c->moe_ns > ranks[slowest].calls[call].moe_ns)
			slowest = i;
	}
	row->max_ns = ranks[slowest].calls[call].moe_ns;
	return slowest;
}

/* From the sums of a row: what its ranks share, and what that costs. */
static void judge(struct imbalance_row *row, size_t n)
{
	assert(n > 0);
	row->mean_ns = row->moe_ns / (int64_t)n;
	row->cost_ns = row->max_ns - row->mean_ns;
	row->ratio = (double)row->max_ns * (double)n / (double)row->moe_ns;
}

static void add_row(struct imbalance *m, struct imbalance_row row)
{
	*ARRAY_PUSH(m->rows, m->nrows, m->rows_cap) = row;
}

static struct imbalance_row row_of(const struct expert_rank *ranks, size_t n)
{
	return (struct imbalance_row){ .group = ranks->profile->exchange_group,
				       .profile = NUMBER_NONE,
				       .rank = NUMBER_NONE,
				       .call = NUMBER_NONE,
				       .ranks = (int64_t)n,
				       .calls = (int64_t)ranks->ncalls };
}

static void add_ranks(struct imbalance *m, const struct expert_rank *ranks, size_t n,
		      const struct imbalance_row *all, const int64_t *slowest)
{
	for (size_t i = 0; i < n; i++) {
		struct imbalance_row row = row_of(&ranks[i], n);
		row.profile = ranks[i].profile->id;
		row.rank = ranks[i].profile->rank;
		for (size_t k = 0; k < ranks[i].ncalls; k++) {
			row.moe_ns = sum_add(row.moe_ns, ranks[i].calls[k].moe_ns);
			row.then_ns = sum_add(row.then_ns, ranks[i].calls[k].then_ns);
		}
		row.mean_ns = all->mean_ns;
		row.cost_ns = row.moe_ns - row.mean_ns;
		row.ratio = (double)row.moe_ns * (double)n / (double)all->moe_ns;
		row.slowest_calls = slowest[i];
		add_row(m, row);
	}
}

/* Ranks that share calls. */
static void add_group(struct imbalance *m, struct expert_rank *ranks, size_t n)
{
	int64_t *slowest = xcalloc(n, sizeof(*slowest));
	struct imbalance_row all;
	bool is_paired = true;
	size_t most = 0;

	for (size_t i = 1; i < n; i++)
		is_paired &= ranks[i].ncalls == ranks[0].ncalls;
	m->unpaired += !is_paired;
	for (size_t i = 0; i < n && !is_paired; i++)
		join_calls(&ranks[i]);
	all = row_of(ranks, n);
	for (size_t k = 0; k < ranks->ncalls; k++) {
		struct imbalance_row row = row_of(ranks, n);
		size_t at = slowest_of(ranks, n, k, &row);
		slowest[at]++;
		all.moe_ns = sum_add(all.moe_ns, row.moe_ns);
		all.then_ns = sum_add(all.then_ns, row.then_ns);
		all.max_ns = sum_add(all.max_ns, row.max_ns);
		row.call = (int64_t)k;
		row.slowest_rank = ranks[at].profile->rank;
		judge(&row, n);
		if (m->by == COMM_SINGLE)
			add_row(m, row);
	}
	for (size_t i = 1; i < n; i++)
		most = slowest[i] > slowest[most] ? i : most;
	all.slowest_rank = ranks[most].profile->rank;
	all.slowest_calls = slowest[most];
	judge(&all, n);
	if (m->by == COMM_BY_RANK)
		add_ranks(m, ranks, n, &all, slowest);
	else if (m->by != COMM_SINGLE)
		add_row(m, all);
	free(slowest);
}

static void add_groups(struct imbalance *m)
{
	if (m->nranks)
		qsort(m->ranks, m->nranks, sizeof(*m->ranks), by_group);
	for (size_t i = 0, end; i < m->nranks; i = end) {
		for (end = i + 1;
		     end < m->nranks && !compare_groups(&m->ranks[i], &m->ranks[end]);
		     end++)
			;
		if (end - i > 1)
			add_group(m, m->ranks + i, end - i);
	}
}

static struct table *make_table(const struct imbalance *m, const struct scope *scope,
				const struct view_request *show)
{
	const struct view_rows rows = { NULL, m->rows, m->nrows, sizeof(*m->rows) };
	struct memtable *table = view_table(&comm_imbalance_view, &rows, scope, show);

	if (m->unpaired)
		memtable_add_note(table, "ranks have unequal numbers of calls: their "
					 "totals are compared, as one call");
	memtable_add_note(table,
			  "experts are the kernels of the family moe: 'ptool kernels "
			  "--by family,name' lists them");
	return &table->table;
}

int comm_imbalance_open(struct store *store, const struct scope *scope,
			const struct comm_request *request, struct table **out,
			struct err *err)
{
	struct imbalance m = { .by = request->by };
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	if (rc == 0)
		rc = load(&m, store, &texts, scope, err);
	if (rc == 0)
		add_groups(&m);
	if (rc == 0 && !m.nrows)
		rc = err_set(
			err, ERR_EMPTY,
			"no kernels of experts were recorded on two ranks (the family "
			"moe of 'ptool kernels --by family')");
	if (rc == 0)
		*out = make_table(&m, scope, &request->show);
	for (size_t i = 0; i < m.nranks; i++)
		free(m.ranks[i].calls);
	free(m.ranks);
	free(m.rows);
	text_pool_close(&texts);
	return rc;
}
