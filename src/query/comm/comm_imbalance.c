/* ptool comm --imbalance: see comm_imbalance.h. */
#include "query/comm/comm_imbalance.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_experts.h"
#include "query/comm/comm_match.h"
#include "query/query.h"

/* Which columns a table has. */
enum { GROUPS = 1, RANKS = 2, SINGLES = 4 };

struct imbalance_row {
	const char *group;
	int64_t recording, profile, rank, call, ranks, calls;
	int64_t moe_ns, mean_ns, max_ns, cost_ns, then_ns;
	int64_t slowest_rank, slowest_calls;
	int64_t tokens, max_tokens, token_calls; /* of calls where all ranks tell them */
	double ratio, token_ratio;               /* negative: not known */
	bool is_followed; /* of one call: the slowest rank had most tokens */
};

struct imbalance {
	struct experts experts;     /* by (group, span, rank, device) */
	struct imbalance_row *rows; /* owned */
	size_t nrows, rows_cap;
	enum comm_by by;
	bool has_spans;  /* a rank recorded several times */
	size_t unpaired; /* groups whose totals are compared */
	/* of all groups; where the rank with most tokens took longest */
	int64_t calls, token_calls, followed;
};

static struct cell get_ratio(const void *from, const void *row, int arg)
{
	double ratio = ((const struct imbalance_row *)row)->ratio;

	(void)from, (void)arg;
	return ratio > 0 ? cell_real(ratio) : cell_null();
}

static struct cell get_token_ratio(const void *from, const void *row, int arg)
{
	double ratio = ((const struct imbalance_row *)row)->token_ratio;

	(void)from, (void)arg;
	return ratio >= 0 ? cell_real(ratio) : cell_null();
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
	{ "group", "Group", "place of the ranks in other axes, where they have one", NULL, UNIT_TEXT, .get = get_group, .flags = FIELD_KEY, .least = 8 },
	{ "recording", "Recording", "which of its ranks' recordings, from 1, where ranks have several", NULL, UNIT_COUNT, NUMBER(recording), .flags = FIELD_KEY },
	{ "profile", "Profile", "number of the profile, with --by rank", NULL, UNIT_ID, NUMBER(profile), .needs = RANKS },
	{ "rank", "Rank", "rank, with --by rank", NULL, UNIT_ID, NUMBER(rank), .needs = RANKS, .flags = FIELD_KEY },
	{ "call", "Call", "number of the call, from 0, with --list", NULL, UNIT_COUNT, NUMBER(call), .needs = SINGLES, .flags = FIELD_KEY },
	{ "ranks", "Ranks", "number of ranks", NULL, UNIT_COUNT, NUMBER(ranks), .needs = GROUPS | SINGLES },
	{ "calls", "Calls", "calls of experts: kernels between two communications", "count", UNIT_COUNT, NUMBER(calls), .needs = GROUPS | RANKS },
	{ "expert_ns", "Experts", "time of the experts' kernels, on all ranks or one", "experts", UNIT_NS, NUMBER(moe_ns) },
	{ "mean_ns", "Mean", "mean over ranks, of all calls", "mean", UNIT_NS, NUMBER(mean_ns), .leaves = 4 },
	{ "max_ns", "Largest", "the largest of a rank in each call, added up", "max", UNIT_NS, NUMBER(max_ns), .needs = GROUPS | SINGLES, .leaves = 3 },
	{ "imbalance", "Imbalance", "the largest divided by the mean; of a rank, its own divided by the mean", "ratio", UNIT_RATIO, .get = get_ratio },
	{ "cost_ns", "Cost", "what perfect balance would save: the largest less the mean; of a rank, its own less the mean, which may be below 0", "cost", UNIT_NS, NUMBER(cost_ns) },
	{ "slowest_rank", "Slowest", "rank that most often took longest", NULL, UNIT_ID, NUMBER(slowest_rank), .needs = GROUPS | SINGLES },
	{ "slowest_calls", "Often", "how often it took longest", NULL, UNIT_COUNT, NUMBER(slowest_calls), .needs = GROUPS | RANKS, .leaves = 6 },
	{ "then_ns", "Then", "time of the communication after each call: it takes less, the longer the experts of a rank take", NULL, UNIT_NS, NUMBER(then_ns), .needs = GROUPS | RANKS, .leaves = 7 },
	{ "tokens", "Tokens", "tokens of the experts by the exchanges (all_to_allv) around their calls; only calls where all ranks recorded them count", NULL, UNIT_COUNT, NUMBER(tokens), .leaves = 5 },
	{ "max_tokens", NULL, "the most of a rank in each call, added up", NULL, UNIT_COUNT, NUMBER(max_tokens), .needs = GROUPS | SINGLES },
	{ "token_imbalance", "Of tokens", "imbalance of tokens: the most divided by the mean; of a rank, its own divided by the mean", NULL, UNIT_RATIO, .get = get_token_ratio, .leaves = 1 },
	{ "token_calls", NULL, "calls for which all ranks recorded tokens", NULL, UNIT_COUNT, NUMBER(token_calls), .needs = GROUPS },
	{ .name = NULL },
};
/* clang-format on */

static const struct view_part people[] = {
	{ NULL,
	  "group recording rank! call! ranks calls! expert_ns! mean_ns max_ns! imbalance! "
	  "token_imbalance tokens cost_ns! slowest_rank slowest_calls then_ns" },
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

/* Of a group the k-th recordings of its ranks belong together. */
static int compare_groups(const struct expert_rank *x, const struct expert_rank *y)
{
	const char *a = x->profile->exchange_group, *b = y->profile->exchange_group;
	int order = strcmp(a ? a : "", b ? b : "");

	return order ? order : sort_order(x->span, y->span);
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

/* Of what is not known the sum is not, either. */
static void add_tokens(int64_t *sum, int64_t tokens)
{
	*sum = *sum == NUMBER_NONE || tokens == NUMBER_NONE ? NUMBER_NONE
							    : sum_add(*sum, tokens);
}

/* All that a rank's experts did, as one call. */
static void join_calls(struct expert_rank *rank)
{
	for (size_t i = 1; i < rank->ncalls; i++) {
		rank->calls[0].moe_ns =
			sum_add(rank->calls[0].moe_ns, rank->calls[i].moe_ns);
		rank->calls[0].then_ns =
			sum_add(rank->calls[0].then_ns, rank->calls[i].then_ns);
		add_tokens(&rank->calls[0].tokens, rank->calls[i].tokens);
	}
	rank->ncalls = 1;
}

/* Of one call: the place of the rank that took longest, and sums. */
static size_t slowest_of(const struct expert_rank *ranks, size_t n, size_t call,
			 struct imbalance_row *row)
{
	size_t slowest = 0, most = 0;

	row->moe_ns = row->then_ns = row->tokens = 0;
	for (size_t i = 0; i < n; i++) {
		const struct expert_call *c = &ranks[i].calls[call];
		row->moe_ns = sum_add(row->moe_ns, c->moe_ns);
		row->then_ns = sum_add(row->then_ns, c->then_ns);
		add_tokens(&row->tokens, c->tokens);
		if (c->moe_ns > ranks[slowest].calls[call].moe_ns)
			slowest = i;
		if (c->tokens > ranks[most].calls[call].tokens)
			most = i;
	}
	row->token_calls = row->tokens != NUMBER_NONE;
	row->max_tokens = row->token_calls ? ranks[most].calls[call].tokens : NUMBER_NONE;
	/* equal tokens explain nothing */
	row->is_followed = row->token_calls &&
			   row->tokens / (int64_t)n < row->max_tokens &&
			   ranks[slowest].calls[call].tokens == row->max_tokens;
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
	row->token_ratio = row->tokens > 0 ? (double)row->max_tokens * (double)n /
						     (double)row->tokens
					   : -1;
}

/* To all calls of a group one of them. */
static void add_call(struct imbalance_row *all, const struct imbalance_row *call)
{
	all->moe_ns = sum_add(all->moe_ns, call->moe_ns);
	all->then_ns = sum_add(all->then_ns, call->then_ns);
	all->max_ns = sum_add(all->max_ns, call->max_ns);
	if (!call->token_calls)
		return;
	all->tokens =
		all->token_calls ? sum_add(all->tokens, call->tokens) : call->tokens;
	all->max_tokens = all->token_calls ? sum_add(all->max_tokens, call->max_tokens)
					   : call->max_tokens;
	all->token_calls++;
}

static void add_row(struct imbalance *m, struct imbalance_row row)
{
	*ARRAY_PUSH(m->rows, m->nrows, m->rows_cap) = row;
}

/* Each has one device or more; they are by rank. */
static int64_t count_ranks(const struct expert_rank *ranks, size_t n)
{
	int64_t count = 1;

	for (size_t i = 1; i < n; i++)
		count += ranks[i].profile->rank != ranks[i - 1].profile->rank;
	return count;
}

static struct imbalance_row row_of(const struct imbalance *m,
				   const struct expert_rank *ranks, size_t n)
{
	return (struct imbalance_row){ .group = ranks->profile->exchange_group,
				       .recording = m->has_spans ? ranks->span + 1
								 : NUMBER_NONE,
				       .profile = NUMBER_NONE,
				       .rank = NUMBER_NONE,
				       .call = NUMBER_NONE,
				       .tokens = NUMBER_NONE,
				       .max_tokens = NUMBER_NONE,
				       .token_ratio = -1,
				       .ranks = count_ranks(ranks, n),
				       .calls = (int64_t)ranks->ncalls };
}

/* Of the calls of a group: where the rank was slowest, and what is known of tokens. */
struct of_rank {
	int64_t slowest, tokens;
};

static void add_ranks(struct imbalance *m, const struct expert_rank *ranks, size_t n,
		      const struct imbalance_row *all, const struct of_rank *own)
{
	for (size_t i = 0; i < n; i++) {
		struct imbalance_row row = row_of(m, &ranks[i], 1);
		row.profile = ranks[i].profile->id;
		row.rank = ranks[i].profile->rank;
		for (size_t k = 0; k < ranks[i].ncalls; k++) {
			row.moe_ns = sum_add(row.moe_ns, ranks[i].calls[k].moe_ns);
			row.then_ns = sum_add(row.then_ns, ranks[i].calls[k].then_ns);
		}
		row.mean_ns = all->mean_ns;
		row.cost_ns = row.moe_ns - row.mean_ns;
		row.ratio = (double)row.moe_ns * (double)n / (double)all->moe_ns;
		row.slowest_calls = own[i].slowest;
		if (all->tokens > 0) {
			row.tokens = own[i].tokens;
			row.token_ratio =
				(double)row.tokens * (double)n / (double)all->tokens;
		}
		add_row(m, row);
	}
}

/* Ranks that share calls. */
static void add_group(struct imbalance *m, struct expert_rank *ranks, size_t n)
{
	struct of_rank *own = xcalloc(n, sizeof(*own));
	struct imbalance_row all;
	bool is_paired = true;
	size_t most = 0;

	for (size_t i = 1; i < n; i++)
		is_paired &= ranks[i].ncalls == ranks[0].ncalls;
	m->unpaired += !is_paired;
	for (size_t i = 0; i < n && !is_paired; i++)
		join_calls(&ranks[i]);
	all = row_of(m, ranks, n);
	for (size_t k = 0; k < ranks->ncalls; k++) {
		struct imbalance_row row = row_of(m, ranks, n);
		size_t at = slowest_of(ranks, n, k, &row);
		own[at].slowest++;
		add_call(&all, &row);
		for (size_t i = 0; i < n && row.token_calls; i++)
			own[i].tokens = sum_add(own[i].tokens, ranks[i].calls[k].tokens);
		m->followed += row.is_followed;
		row.call = (int64_t)k;
		row.slowest_rank = ranks[at].profile->rank;
		judge(&row, n);
		if (m->by == COMM_SINGLE)
			add_row(m, row);
	}
	for (size_t i = 1; i < n; i++)
		most = own[i].slowest > own[most].slowest ? i : most;
	all.slowest_rank = ranks[most].profile->rank;
	all.slowest_calls = own[most].slowest;
	m->calls += all.calls;
	m->token_calls += all.token_calls;
	judge(&all, n);
	if (m->by == COMM_BY_RANK)
		add_ranks(m, ranks, n, &all, own);
	else if (m->by != COMM_SINGLE)
		add_row(m, all);
	free(own);
}

static void add_groups(struct imbalance *m)
{
	struct expert_rank *ranks = m->experts.ranks;
	size_t n = m->experts.nranks;

	if (n)
		qsort(ranks, n, sizeof(*ranks), by_group);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !compare_groups(&ranks[i], &ranks[end]);
		     end++)
			;
		if (end - i > 1)
			add_group(m, ranks + i, end - i);
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
	if (m->token_calls)
		memtable_add_note(table,
				  "tokens are known of %" PRId64 " of %" PRId64
				  " calls; in %" PRId64 " of these the rank with most "
				  "tokens took longest",
				  m->token_calls, m->calls, m->followed);
	memtable_add_note(table,
			  "experts are the kernels of the family moe: 'ptool kernels "
			  "--by family,name' lists them");
	return &table->table;
}

static void find_spans(struct imbalance *m, const struct scope *scope)
{
	struct comm_matches spans;

	comm_matches_init(scope, &spans);
	for (size_t i = 0; i < m->experts.nranks; i++) {
		struct expert_rank *rank = &m->experts.ranks[i];
		rank->span = comm_matches_who(&spans, rank->profile)->span;
		m->has_spans |= rank->span > 0;
	}
	comm_matches_release(&spans);
}

int comm_imbalance_open(struct store *store, const struct scope *scope,
			const struct comm_request *request, struct table **out,
			struct err *err)
{
	struct imbalance m = { .by = request->by };
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	if (rc == 0)
		rc = experts_load(store, &texts, scope, &m.experts, err);
	if (rc == 0) {
		find_spans(&m, scope);
		add_groups(&m);
	}
	if (rc == 0 && !m.nrows)
		rc = err_set(
			err, ERR_EMPTY,
			"no kernels of experts were recorded on two ranks (the family "
			"moe of 'ptool kernels --by family')");
	if (rc == 0)
		*out = make_table(&m, scope, &request->show);
	experts_release(&m.experts);
	free(m.rows);
	text_pool_close(&texts);
	return rc;
}
