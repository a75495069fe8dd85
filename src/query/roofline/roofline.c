/* Operators under the roof: see roofline.h. */
#include "query/roofline/roofline.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/kernels/tensor_core.h"
#include "query/roofline/call_kinds.h"
#include "query/roofline/op_told.h"

/* Compared as bytes. */
struct row_key {
	uint32_t name, shapes, dtypes, is_host;
};

struct gathering {
	struct store *store;
	const struct roofline_query *query;
	struct roofline *out;
	const struct scope_profile *profile;
	struct filter places; /* the query's without names */
	struct work_filter wanted;
	struct op_spent_query spent;
	/* Of the profile. */
	struct op_owners ops;
	struct call_kinds kinds;
	struct op_told told;
	struct op_spent *sums; /* by operator */
	/* Of the scope. */
	uint8_t *names; /* by text + 1: 1 not wanted, 2 wanted */
	size_t names_cap;
};

/* TEXT_NONE has the first place. */
static size_t place_of(uint32_t text)
{
	return text == TEXT_NONE ? 0 : (size_t)text + 1;
}

static int is_name_wanted(struct gathering *g, uint32_t name, struct err *err)
{
	uint8_t *known;

	if (!filter_chooses_names(g->query->filter))
		return 1;
	known = ARRAY_AT(g->names, g->names_cap, place_of(name));
	if (!*known) {
		int rc = filter_has_name(g->query->filter,
					 text_pool_str(&g->out->texts, name), err);
		if (rc < 0)
			return -1;
		*known = (uint8_t)(1 + rc);
	}
	return *known == 2;
}

static struct roof_row *row_of(struct gathering *g, const struct row_key *key)
{
	struct roofline *out = g->out;
	size_t known = out->keys.n;
	uint32_t at = intern_add(&out->keys, str_bytes(key, sizeof(*key)));

	if (out->keys.n > known)
		*ARRAY_PUSH(out->rows, out->n, out->cap) =
			(struct roof_row){ .name = key->name,
					   .shapes = key->shapes,
					   .dtypes = key->dtypes,
					   .is_host = key->is_host };
	return &out->rows[at];
}

/* Sums of numbers that may not be known: then the sum is not. */
static int64_t add(int64_t sum, int64_t number)
{
	return sum == NUMBER_NONE || number == NUMBER_NONE ? NUMBER_NONE
							   : sum_add(sum, number);
}

static double add_real(double sum, double number)
{
	return sum < 0 || number < 0 ? -1 : sum + number;
}

/* Of the work of a call at a device's peaks, in ns; negative: not known. */
static double compute_time(const struct op_work *work, const struct device_peaks *peaks,
			   enum peak peak)
{
	if (work->flops == 0)
		return 0;
	if (work->flops == NUMBER_NONE || peak == PEAK_NONE || !(peaks->tera[peak] > 0))
		return -1;
	return (double)work->flops / peaks->tera[peak] / 1e3;
}

static double memory_time(const struct op_work *work, const struct device_peaks *peaks)
{
	if (work->bytes == NUMBER_NONE || !(peaks->giga_bytes > 0))
		return -1;
	return (double)work->bytes / peaks->giga_bytes;
}

/* The work of this call, with what an annotation tells of paged attention. */
static struct op_work work_of(const struct gathering *g, const struct owned_op *op,
			      const struct call_kind *kind)
{
	struct op_work work = kind->work;

	if (work.flops_a_pair == 0)
		return work;
	if (!op->note) {
		work.bytes = NUMBER_NONE;
		return work;
	}
	const struct length_note *note = &g->ops.notes[op->note - 1];
	work.flops = op_times(work.flops_a_pair, note->pairs);
	work.bytes = op_plus(work.bytes, op_times(work.bytes_a_key, note->keys));
	return work;
}

/* What a call is, and how long it took. */
struct told_call {
	struct row_key key;
	struct op_spent times;
	struct op_work work;
	enum peak peak;
	size_t on; /* place in roofline.devices.items */
};

static void add_to_row(struct gathering *g, const struct told_call *t)
{
	struct roof_row *row = row_of(g, &t->key);
	const struct device_peaks *peaks = &g->out->devices.items[t->on].peaks;
	double compute_ns = compute_time(&t->work, peaks, t->peak);
	double memory_ns = memory_time(&t->work, peaks);

	row->calls++;
	row->time_ns = sum_add(row->time_ns, t->times.time_ns);
	row->launch_ns = sum_add(row->launch_ns, t->times.launch_ns);
	row->flops = add(row->flops, t->work.flops);
	row->torch_flops = add(row->torch_flops, t->work.torch_flops);
	row->bytes = add(row->bytes, t->work.bytes);
	row->compute_ns = add_real(row->compute_ns, compute_ns);
	row->memory_ns = add_real(row->memory_ns, memory_ns);
	/* What is not known of operations makes the roof no lower. */
	row->roof_ns = add_real(row->roof_ns, memory_ns < 0 || compute_ns < memory_ns
						      ? memory_ns
						      : compute_ns);
	if (t->peak != PEAK_NONE && t->work.flops > 0)
		row->peaks |= (uint8_t)(1U << t->peak);
}

static int tell_call(struct gathering *g, const struct told_call *t, struct err *err)
{
	struct roof_times *times = &g->out->times;
	int wanted = is_name_wanted(g, t->key.name, err);

	if (wanted <= 0)
		return wanted;
	times->all_ns = sum_add(times->all_ns, t->times.time_ns);
	if (t->work.flops != NUMBER_NONE)
		times->flops_ns = sum_add(times->flops_ns, t->times.time_ns);
	if (t->work.bytes != NUMBER_NONE)
		times->bytes_ns = sum_add(times->bytes_ns, t->times.time_ns);
	if (t->times.is_comm)
		times->comm_ns = sum_add(times->comm_ns, t->times.time_ns);
	if (g->query->each)
		return g->query->each(g->query->context,
				      &(struct roof_call){ .profile = g->profile,
							   .step_id = t->times.step_id,
							   .device = t->times.device,
							   .time_ns = t->times.time_ns,
							   .flops = t->work.flops,
							   .peak = t->peak,
							   .on = t->on,
							   .is_comm = t->times.is_comm },
				      err);
	add_to_row(g, t);
	return 0;
}

/* A composite of which something counts has no work of its own. */
static const struct op_kind *counting_kind(const struct gathering *g,
					   const struct owned_op *op)
{
	const struct op_kind *kind = op_owners_kind(&g->ops, op->name);

	return op_kind_role(kind) == OP_COMPOSITE && op->has_inner ? NULL : kind;
}

static int tell_op(struct gathering *g, uint32_t at, struct err *err)
{
	const struct owned_op *op = &g->ops.items[at];
	struct call_told told;

	if (op_told_of(&g->told, at, &g->sums[at], &told, err) < 0)
		return -1;
	const struct call_kind *kind = call_kinds_of(&g->kinds, op->name, op->detail_id,
						     counting_kind(g, op), &told);
	struct told_call t = {
		.key = { kind->name, kind->shapes, kind->dtypes, g->out->is_host },
		.times = g->sums[at],
		.work = work_of(g, op, kind),
		.peak = peak_of_dtype(kind->work.dtype, g->sums[at].tensor_cores),
	};
	if (roof_devices_place(&g->out->devices, t.times.device, &t.on, err) < 0)
		return -1;
	return tell_call(g, &t, err);
}

/* Work that no operator is known for: named as it is itself. */
static int tell_work(void *context, const struct work_item *item,
		     const struct op_spent *times, struct err *err)
{
	struct gathering *g = context;
	struct told_call t = { .key = { item->name, TEXT_NONE, TEXT_NONE, 0 },
			       .times = *times,
			       .peak = PEAK_NONE };

	op_work_of(NULL, NULL, &t.work);
	if (roof_devices_place(&g->out->devices, times->device, &t.on, err) < 0)
		return -1;
	return tell_call(g, &t, err);
}

static int add_profile(struct gathering *g, struct err *err)
{
	struct roofline *out = g->out;
	int rc = op_owners_load(g->store, &out->texts, g->profile, &g->ops, err);

	if (rc == 0)
		rc = call_kinds_open(g->store, &out->texts, g->profile, &g->kinds, err);
	if (rc == 0 && !out->is_host) /* that a device is listed does not make it work */
		rc = roof_devices_open(&out->devices, g->store, &out->texts, g->profile,
				       err);
	g->told = (struct op_told){ .store = g->store,
				    .ops = &g->ops,
				    .kinds = &g->kinds,
				    .texts = &out->texts };
	g->sums = xcalloc(g->ops.n + 1, sizeof(*g->sums));
	if (rc == 0)
		rc = out->is_host ? op_spent_on_host(&g->spent, &g->ops, g->sums, err)
				  : op_spent_on_devices(&g->spent, g->profile, &g->ops,
							g->sums, err);
	for (size_t i = 0; i < g->ops.n && rc == 0; i++)
		if (g->sums[i].ran)
			rc = tell_op(g, (uint32_t)i, err);
	free(g->sums);
	op_told_close(&g->told);
	call_kinds_close(&g->kinds);
	op_owners_release(&g->ops);
	return rc;
}

static int gather(struct gathering *g, const struct scope *scope, struct err *err)
{
	struct roofline *out = g->out;
	bool has_work = false;

	intern_init(&out->keys);
	roof_devices_init(&out->devices, g->query->peaks);
	g->places = *g->query->filter;
	g->places.focus = g->places.ignore = NULL;
	g->spent = (struct op_spent_query){ .store = g->store,
					    .texts = &out->texts,
					    .wanted = &g->wanted,
					    .alone = tell_work,
					    .context = g };
	int rc = text_pool_open(g->store, &out->texts, err);
	if (rc == 0)
		rc = work_filter_open(g->store, scope, &g->places, &out->texts,
				      &g->wanted, err);
	if (rc == 0)
		rc = tensor_core_of_scope(g->store, scope, &g->spent.capability, err);
	if (rc == 0)
		rc = device_work_is_there(g->store, scope->ids, &has_work, err);
	out->is_host = !has_work;
	for (size_t i = 0; i < scope->n && rc == 0; i++) {
		g->profile = &scope->profiles[i];
		rc = add_profile(g, err);
	}
	free(g->names);
	free(g->spent.facts);
	work_filter_close(&g->wanted);
	return rc;
}

int roofline_load(struct store *store, const struct scope *scope,
		  const struct roofline_query *query, struct roofline *out,
		  struct err *err)
{
	struct gathering g = { .store = store, .query = query, .out = out };
	bool has_shapes = false;

	*out = (struct roofline){ .n = 0 };
	for (size_t i = 0; i < scope->n; i++)
		has_shapes |= scope->profiles[i].has_shapes;
	if (!has_shapes && !query->each)
		return err_set(err, ERR_EMPTY, "no shapes were recorded%s",
			       scope_in_torch(scope, " (record_shapes=True)"));
	if (gather(&g, scope, err) < 0)
		return -1;
	return out->n || query->each ? 0 : err_set(err, ERR_EMPTY, "no operator matches");
}

void roofline_release(struct roofline *r)
{
	text_pool_close(&r->texts);
	intern_release(&r->keys);
	free(r->rows);
	roof_devices_release(&r->devices);
	*r = (struct roofline){ .n = 0 };
}
