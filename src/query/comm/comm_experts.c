/* Calls of experts: see comm_experts.h. */
#include "query/comm/comm_experts.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/decimal.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/kernels/kernel_family.h"
#include "query/query.h"

ASSET(asset_query_views_exchange_splits_sql);

/*
 * Tokens that exchanges between experts carry: the lengths of the parts that all_to_allv
 * sends to each rank and gets from it.  NUMBER_NONE: not recorded, or not of all ranks.
 */
struct exchange {
	int64_t slice_id;
	int64_t sent, received;
};

struct exchanges {
	struct exchange *items; /* owned; by slice_id */
	size_t n, cap;
};

/* "[3, 0, 5]" as 8; NUMBER_NONE for an empty list, of equal parts, and one that is cut. */
static int64_t sum_of(struct cell list)
{
	struct str text = list.type == CELL_TEXT ? list.as.text : STR_LIT("");
	int64_t sum = NUMBER_NONE, number;

	for (size_t at = 0, end; at < text.n; at = end + (end == at)) {
		for (end = at; end < text.n && text.p[end] >= '0' && text.p[end] <= '9';)
			end++;
		if (end == at && strchr("[], ", text.p[at]))
			continue;
		struct str digits = { text.p + at, end - at };
		if (end == at || decimal_text_int(digits, &number) != DECIMAL_OK)
			return NUMBER_NONE;
		sum = sum_add(sum == NUMBER_NONE ? 0 : sum, number);
	}
	return sum;
}

static int exchanges_load(struct store *store, const struct scope_profile *profile,
			  struct exchanges *out, struct err *err)
{
	*out = (struct exchanges){ .n = 0 };
	struct query q = query_of_profile(store, asset_query_views_exchange_splits_sql,
					  profile, err);

	while (query_next(&q, err))
		*ARRAY_PUSH(out->items, out->n, out->cap) =
			(struct exchange){ sqlite3_column_int64(q.stmt, 0),
					   sum_of(query_cell(q.stmt, 1)),
					   sum_of(query_cell(q.stmt, 2)) };
	return query_end(&q);
}

static void exchanges_release(struct exchanges *e)
{
	free(e->items);
	*e = (struct exchanges){ .n = 0 };
}

static const struct exchange *exchanges_find(const struct exchanges *e, int64_t slice_id)
{
	size_t at;

	SEARCH(at, 0, e->n, e->items[at].slice_id < slice_id);
	return at < e->n && e->items[at].slice_id == slice_id ? &e->items[at] : NULL;
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

/* What is before a call says what it gets, what is behind it what it gives back. */
static int64_t tokens_of(int64_t received, const struct exchange *then)
{
	int64_t sent = then ? then->sent : NUMBER_NONE;

	if (received != NUMBER_NONE && sent != NUMBER_NONE && received != sent)
		return NUMBER_NONE;
	return sent != NUMBER_NONE ? sent : received;
}

/* Where the work of a rank is read from. */
struct source {
	const struct scope_profile *profile;
	struct device_work work;
	struct exchanges exchanges;
	struct known_names names;
	const struct text_pool *texts;
};

static void add_device(struct experts *m, struct source *from,
		       const struct work_device *device)
{
	static const struct expert_call none = { 0, 0, NUMBER_NONE };
	struct expert_rank rank = { .profile = from->profile, .device = device->device };
	struct expert_call call = none;
	int64_t received = NUMBER_NONE;

	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct work_item *item = &from->work.items[i];
		int64_t dur_ns = sum_sub(item->end_ns, item->start_ns);
		if (item->kind != WORK_COMMUNICATION) {
			if (are_experts(&from->names, item, from->texts))
				call.moe_ns = sum_add(call.moe_ns, dur_ns);
			continue;
		}
		const struct exchange *exchange =
			exchanges_find(&from->exchanges, item->slice_id);
		if (!call.moe_ns) {
			received = exchange ? exchange->received : received;
			continue;
		}
		call.then_ns = dur_ns;
		call.tokens = tokens_of(received, exchange);
		*ARRAY_PUSH(rank.calls, rank.ncalls, rank.calls_cap) = call;
		call = none;
		received = NUMBER_NONE;
	}
	call.tokens = received;
	if (call.moe_ns)
		*ARRAY_PUSH(rank.calls, rank.ncalls, rank.calls_cap) = call;
	if (rank.ncalls)
		*ARRAY_PUSH(m->ranks, m->nranks, m->ranks_cap) = rank;
}

int experts_load(struct store *store, struct text_pool *texts, const struct scope *scope,
		 struct experts *m, struct err *err)
{
	struct source from = { .texts = texts };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		const struct scope_profile *profile = &scope->profiles[i];
		if (!profile->has_rank)
			continue;
		from.profile = profile;
		rc = exchanges_load(store, profile, &from.exchanges, err);
		if (rc == 0)
			rc = device_work_load(store, texts, profile, WORK_ALONE,
					      &from.work, err);
		for (size_t k = 0; rc == 0 && k < from.work.ndevices; k++)
			add_device(m, &from, &from.work.devices[k]);
		device_work_release(&from.work);
		exchanges_release(&from.exchanges);
	}
	free(from.names.known);
	return rc;
}

void experts_release(struct experts *m)
{
	for (size_t i = 0; i < m->nranks; i++)
		free(m->ranks[i].calls);
	free(m->ranks);
	*m = (struct experts){ .nranks = 0 };
}
