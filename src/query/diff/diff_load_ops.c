/*
 * Operators and kernels for a comparison: the rows of ptool top by profile and step, from
 * the summaries, or from the slices where filters choose among single calls.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/diff/diff_load.h"
#include "query/query.h"
#include "query/slices/slice_ops.h"

ASSET(asset_query_views_diff_ops_sql);

/* op_stat.grain */
enum { GRAIN_NAME = 0, GRAIN_STEP = 2 };

/* Columns of views/diff_ops.sql. */
enum {
	COLUMN_PROFILE,
	COLUMN_STEP,
	COLUMN_NAME,
	COLUMN_CALLS,
	COLUMN_KIND,
	COLUMN_SELF,
	COLUMN_TOTAL,
	COLUMN_SELF_DEVICE,
	COLUMN_TOTAL_DEVICE,
	COLUMN_CPU_MEM,
	COLUMN_DEVICE_MEM
};

struct op_reading {
	const struct diff_loading *l;
	struct text_pool texts;
	uint8_t *verdicts; /* owned: by text of a name */
	size_t verdicts_cap;
	bool is_device;  /* device work, else the host's rows */
	bool has_device; /* some row has device time */
	const struct scope_profile *profile;
};

enum verdict { UNKNOWN, UNWANTED, WANTED };

static bool is_kind(const struct op_reading *r, int64_t kind)
{
	if (r->is_device)
		return kind == OP_DEVICE;
	return kind == OP_HOST || (kind == OP_MEMORY && r->l->metric == DIFF_MEMORY);
}

static int64_t amount_of(const struct op_reading *r, const struct opstat_sums *s)
{
	switch (r->l->metric) {
	case DIFF_SELF:
		return r->is_device ? s->self_device_ns : s->self_ns;
	case DIFF_TOTAL:
		return r->is_device ? s->total_device_ns : s->total_ns;
	case DIFF_DEVICE:
		return s->self_device_ns;
	case DIFF_MEMORY:
		return sum_add(s->self_cpu_bytes, s->self_device_bytes);
	case DIFF_CALLS:
	case NDIFF_METRICS:
		break;
	}
	return s->calls;
}

/* Each name is judged once: 1, 0, or -1. */
static int is_wanted_name(struct op_reading *r, uint32_t name, struct err *err)
{
	if (name == TEXT_NONE)
		return filter_has_name(r->l->filter, (struct str){ "", 0 }, err);
	uint8_t *verdict = ARRAY_AT(r->verdicts, r->verdicts_cap, name);
	if (*verdict == UNKNOWN) {
		int has = filter_has_name(r->l->filter, text_pool_str(&r->texts, name),
					  err);
		if (has < 0)
			return -1;
		*verdict = has ? WANTED : UNWANTED;
	}
	return *verdict == WANTED;
}

static int add_sums(struct op_reading *r, uint32_t name, struct diff_place place,
		    const struct opstat_sums *sums, struct err *err)
{
	int wanted = is_wanted_name(r, name, err);

	r->has_device |= sums->total_device_ns != 0;
	if (wanted > 0)
		diff_loading_add(r->l, text_pool_str(&r->texts, name), place, sums->calls,
				 amount_of(r, sums));
	return wanted < 0 ? -1 : 0;
}

static int add_row(struct op_reading *r, struct sqlite3_stmt *stmt, struct err *err)
{
	const struct opstat_sums sums = {
		.calls = sqlite3_column_int64(stmt, COLUMN_CALLS),
		.self_ns = sqlite3_column_int64(stmt, COLUMN_SELF),
		.total_ns = sqlite3_column_int64(stmt, COLUMN_TOTAL),
		.self_device_ns = sqlite3_column_int64(stmt, COLUMN_SELF_DEVICE),
		.total_device_ns = sqlite3_column_int64(stmt, COLUMN_TOTAL_DEVICE),
		.self_cpu_bytes = sqlite3_column_int64(stmt, COLUMN_CPU_MEM),
		.self_device_bytes = sqlite3_column_int64(stmt, COLUMN_DEVICE_MEM),
	};
	const struct diff_place place = {
		.profile_id = sqlite3_column_int64(stmt, COLUMN_PROFILE),
		.step = sqlite3_column_int64(stmt, COLUMN_STEP),
		.in_step = sqlite3_column_type(stmt, COLUMN_STEP) != SQLITE_NULL,
	};
	uint32_t name;

	if (!filter_has_step(r->l->filter, place.profile_id, place.step, place.in_step))
		return 0;
	if (text_pool_number(&r->texts, sqlite3_column_int64(stmt, COLUMN_NAME), &name,
			     err) < 0)
		return -1;
	return add_sums(r, name, place, &sums, err);
}

static int read_summaries(struct op_reading *r, struct err *err)
{
	const struct diff_loading *l = r->l;
	bool by_step = l->steps || l->filter->has_steps;
	char kinds[32] = "[1]"; /* enum op_kind */

	if (!r->is_device)
		snprintf(kinds, sizeof(kinds),
			 l->metric == DIFF_MEMORY ? "[0,4]" : "[0]");
	struct query q = query_of_scope(l->store, asset_query_views_diff_ops_sql,
					l->scope->ids, err);

	query_bind_text(q.stmt, ":kinds", kinds);
	query_bind_int(q.stmt, ":grain", by_step ? GRAIN_STEP : GRAIN_NAME);
	while (query_next(&q, err))
		q.rc = add_row(r, q.stmt, err);
	return query_end(&q);
}

/* --thread lets host slices through, --stream and --device device work. */
static bool is_on_wanted_track(const struct op_reading *r, const struct slice_call *call)
{
	const struct filter *f = r->l->filter;
	const struct call_track *t = call->track;

	if (!r->is_device)
		return f->threads.n
			       ? filter_has_thread(f, text_pool_str(&r->texts, t->thread),
						   text_pool_str(&r->texts, t->name))
			       : !f->streams.n && !f->devices.n;
	return !f->threads.n && filter_has_number(&f->streams, t->stream) &&
	       filter_has_number(&f->devices, t->device);
}

static int add_call(void *to, const struct slice_call *call, struct err *err)
{
	struct op_reading *r = to;
	const struct filter *f = r->l->filter;
	const struct diff_place place = { .profile_id = r->profile->id,
					  .step = call->step,
					  .in_step = call->step != NUMBER_NONE };

	if (!is_kind(r, call->stat.key.kind) || !is_on_wanted_track(r, call) ||
	    !filter_has_step(f, place.profile_id, place.step, place.in_step) ||
	    !filter_has_time(f, call->ts_ns) || !filter_has_dur(f, call->dur_ns) ||
	    !filter_has_category(f, text_pool_str(&r->texts, call->category),
				 call->class))
		return 0;
	return add_sums(r, call->stat.key.name, place, &call->stat.sums, err);
}

static int read_slices(struct op_reading *r, struct err *err)
{
	for (size_t i = 0; i < r->l->scope->n; i++) {
		r->profile = &r->l->scope->profiles[i];
		const struct slice_ops_request request = { .profile = r->profile,
							   .categories = true,
							   .call = add_call,
							   .to = r };
		if (slice_ops_each(r->l->store, &r->texts, &request, err) < 0)
			return -1;
	}
	return 0;
}

static int load(const struct diff_loading *l, bool is_device, struct err *err)
{
	struct op_reading r = { .l = l, .is_device = is_device };
	int rc = text_pool_open(l->store, &r.texts, err);

	if (rc == 0)
		rc = filter_needs_slices(l->filter) ? read_slices(&r, err)
						    : read_summaries(&r, err);
	text_pool_close(&r.texts);
	free(r.verdicts);
	if (rc == 0 && l->to->n > l->before && l->metric == DIFF_DEVICE && !r.has_device)
		rc = err_set(
			err, ERR_EMPTY,
			"no operator here launched device work, or none was recorded "
			"(ProfilerActivity.CUDA)");
	return rc;
}

int diff_load_operators(const struct diff_loading *l, struct err *err)
{
	if (l->metric == DIFF_MEMORY && !scope_has_memory(l->scope))
		return err_set(err, ERR_EMPTY,
			       "no memory was recorded (profile_memory=True)");
	return load(l, false, err);
}

int diff_load_kernels(const struct diff_loading *l, struct err *err)
{
	return load(l, true, err);
}
