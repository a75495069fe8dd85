/* Operators under the roof: see roofline.h. */
#include "query/roofline/roofline.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/devices/work_filter.h"
#include "query/kernels/tensor_core.h"
#include "query/query.h"
#include "query/roofline/call_kinds.h"
#include "query/roofline/op_owners.h"

ASSET(asset_query_views_device_properties_sql);

/* What ran for one call of an operator. */
struct ran_sums {
	int64_t time_ns, launch_ns, step_id;
	int64_t device; /* number, or NUMBER_NONE */
	bool ran, tensor_cores, is_comm;
};

/* Compared as bytes. */
struct row_key {
	uint32_t name, shapes, dtypes, is_host;
};

/* A device of the profile. */
struct device_name {
	int64_t device; /* number, or NUMBER_NONE */
	size_t at;      /* place in roofline.devices */
};

struct gathering {
	struct store *store;
	const struct roofline_query *query;
	struct roofline *out;
	const struct scope_profile *profile;
	struct filter places; /* the query's without names */
	struct work_filter wanted;
	int capability;
	/* Of the profile. */
	struct op_owners ops;
	struct call_kinds kinds;
	struct ran_sums *sums;       /* by operator */
	struct device_name *devices; /* owned; by number */
	size_t ndevices, devices_cap;
	bool is_one_device; /* those of the profile are alike */
	/* Of the scope. */
	uint8_t *names; /* by text + 1: 1 not wanted, 2 wanted */
	size_t names_cap;
	uint8_t *works; /* by text + 1, of device work: enum work_fact */
	size_t works_cap;
	uint32_t *named; /* by text + 1: place + 1 in roofline.devices */
	size_t named_cap;
};

enum work_fact { WORK_IS_KNOWN = 1, WORK_IS_TRANSFER = 2, WORK_ON_TENSOR_CORES = 4 };

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

/* The place of the device of this name. */
static int add_device(struct gathering *g, uint32_t name, size_t *at, struct err *err)
{
	struct roofline *out = g->out;
	uint32_t *known = ARRAY_AT(g->named, g->named_cap, place_of(name));

	if (*known) {
		*at = *known - 1;
		return 0;
	}
	*at = out->ndevices;
	*known = (uint32_t)out->ndevices + 1;
	struct roof_device *device =
		ARRAY_PUSH(out->devices, out->ndevices, out->devices_cap);
	*device = (struct roof_device){ .name = name };
	if (name != TEXT_NONE)
		device_peaks_find(text_pool_str(&out->texts, name), &device->peaks);
	return g->query->peaks ? device_peaks_set(g->query->peaks, &device->peaks, err)
			       : 0;
}

static int load_devices(struct gathering *g, struct err *err)
{
	struct query q = query_of_profile(
		g->store, asset_query_views_device_properties_sql, g->profile, err);

	g->ndevices = 0;
	g->is_one_device = true;
	while (query_next(&q, err)) {
		struct device_name *d =
			ARRAY_PUSH(g->devices, g->ndevices, g->devices_cap);
		const char *name = (const char *)sqlite3_column_text(q.stmt, 1);
		*d = (struct device_name){ .device = query_number(q.stmt, 0) };
		q.rc = add_device(
			g,
			name && *name ? intern_add(&g->out->texts.intern, str_of(name))
				      : TEXT_NONE,
			&d->at, err);
		g->is_one_device &= d->at == g->devices[0].at;
	}
	g->is_one_device &= g->ndevices > 0;
	return query_end(&q);
}

/*
 * The device that work ran on; where the recording does not say which, they are all alike,
 * or none is known.
 */
static int device_of(struct gathering *g, int64_t number,
		     const struct roof_device **device, struct err *err)
{
	size_t at;

	SEARCH(at, 0, g->ndevices, g->devices[at].device < number);
	if (at < g->ndevices && g->devices[at].device == number)
		at = g->devices[at].at;
	else if (g->is_one_device)
		at = g->devices[0].at;
	else if (add_device(g, TEXT_NONE, &at, err) < 0)
		return -1;
	*device = &g->out->devices[at];
	return 0;
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
	struct ran_sums sums;
	struct op_work work;
	enum peak peak;
	const struct roof_device *device;
};

static void add_to_row(struct gathering *g, const struct told_call *t)
{
	struct roof_row *row = row_of(g, &t->key);
	double compute_ns = compute_time(&t->work, &t->device->peaks, t->peak);
	double memory_ns = memory_time(&t->work, &t->device->peaks);

	row->calls++;
	row->time_ns = sum_add(row->time_ns, t->sums.time_ns);
	row->launch_ns = sum_add(row->launch_ns, t->sums.launch_ns);
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
	times->all_ns = sum_add(times->all_ns, t->sums.time_ns);
	if (t->work.flops != NUMBER_NONE)
		times->flops_ns = sum_add(times->flops_ns, t->sums.time_ns);
	if (t->work.bytes != NUMBER_NONE)
		times->bytes_ns = sum_add(times->bytes_ns, t->sums.time_ns);
	if (t->sums.is_comm)
		times->comm_ns = sum_add(times->comm_ns, t->sums.time_ns);
	if (g->query->each)
		return g->query->each(
			g->query->context,
			&(struct roof_call){ .profile = g->profile,
					     .step_id = t->sums.step_id,
					     .device = t->sums.device,
					     .time_ns = t->sums.time_ns,
					     .flops = t->work.flops,
					     .peak = t->peak,
					     .on = (size_t)(t->device - g->out->devices),
					     .is_comm = t->sums.is_comm },
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
	const struct call_kind *kind =
		call_kinds_of(&g->kinds, op->name, op->detail_id, counting_kind(g, op));
	struct told_call t = {
		.key = { kind->name, kind->shapes, kind->dtypes, g->out->is_host },
		.sums = g->sums[at],
		.work = work_of(g, op, kind),
		.peak = peak_of_dtype(kind->work.dtype, g->sums[at].tensor_cores),
	};

	if (device_of(g, t.sums.device, &t.device, err) < 0)
		return -1;
	return tell_call(g, &t, err);
}

/* Work that no operator is known for: named as it is itself. */
static int tell_work(struct gathering *g, const struct work_item *item,
		     const struct ran_sums *sums, struct err *err)
{
	struct told_call t = { .key = { item->name, TEXT_NONE, TEXT_NONE, 0 },
			       .sums = *sums,
			       .peak = PEAK_NONE };

	op_work_of(NULL, NULL, &t.work);
	if (device_of(g, sums->device, &t.device, err) < 0)
		return -1;
	return tell_call(g, &t, err);
}

/* A copy between host and device: the memory of neither limits it. */
static bool is_transfer(struct str name)
{
	static const char *const ways[] = { "HtoD", "DtoH", "HostToDevice",
					    "DeviceToHost" };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (name.n && memmem(name.p, name.n, ways[i], strlen(ways[i])))
			return true;
	return false;
}

/* The bits of enum work_fact, found once for each name. */
static unsigned work_facts(struct gathering *g, const struct work_item *item)
{
	uint8_t *known = ARRAY_AT(g->works, g->works_cap, place_of(item->name));
	struct str name = text_pool_str(&g->out->texts, item->name);

	if (!*known) {
		*known = WORK_IS_KNOWN;
		if (is_transfer(name))
			*known |= WORK_IS_TRANSFER;
		if (tensor_core_kernel(name, g->capability) == TENSOR_CORE_YES)
			*known |= WORK_ON_TENSOR_CORES;
	}
	return item->class == CLASS_MEMCPY ? *known
					   : *known & ~(unsigned)WORK_IS_TRANSFER;
}

static int add_item(struct gathering *g, const struct device_work *work,
		    const struct work_item *item, struct err *err)
{
	const struct work_stream *stream = &work->streams[item->stream];
	struct ran_sums piece = {
		.time_ns = sum_sub(item->end_ns, item->start_ns),
		.step_id = item->step_id,
		.device = work->devices[stream->device].device,
		.is_comm = item->kind == WORK_COMMUNICATION,
	};
	int wanted = work_filter_wants(
		&g->wanted,
		&(struct work_piece){ .name = item->name,
				      .device = piece.device,
				      .stream = stream->stream,
				      .step = work_filter_step(&g->wanted, item->step_id),
				      .start_ns = item->start_ns,
				      .dur_ns = piece.time_ns },
		err);

	if (wanted <= 0)
		return wanted;
	if (item->launch_id)
		piece.launch_ns = sum_sub(item->launch_end_ns, item->launch_start_ns);
	uint32_t at = item->op_id ? op_owners_find(&g->ops, item->op_id) : OWNER_NONE;
	unsigned facts = work_facts(g, item);
	if (at == OWNER_NONE || facts & WORK_IS_TRANSFER)
		return tell_work(g, item, &piece, err);
	struct ran_sums *sums = &g->sums[g->ops.items[at].owner];
	if (!sums->ran) {
		sums->step_id = piece.step_id;
		sums->device = piece.device;
	}
	sums->ran = true;
	sums->is_comm |= piece.is_comm;
	sums->time_ns = sum_add(sums->time_ns, piece.time_ns);
	sums->launch_ns = sum_add(sums->launch_ns, piece.launch_ns);
	sums->tensor_cores |= (facts & WORK_ON_TENSOR_CORES) != 0;
	return 0;
}

static int add_device_work(struct gathering *g, struct err *err)
{
	struct device_work work;
	int rc = device_work_load(g->store, &g->out->texts, g->profile,
				  WORK_WITH_LAUNCHES, &work, err);

	for (size_t i = 0; i < work.n && rc == 0; i++)
		rc = add_item(g, &work, &work.items[i], err);
	device_work_release(&work);
	return rc;
}

/* Without devices an operator takes the host's time, with what it calls. */
static int add_host_time(struct gathering *g, struct err *err)
{
	for (size_t i = 0; i < g->ops.n; i++) {
		const struct owned_op *op = &g->ops.items[i];
		struct ran_sums *sums = &g->sums[op->owner];
		int64_t step = work_filter_step(&g->wanted, op->step_id);
		int wanted = work_filter_wants(
			&g->wanted,
			&(struct work_piece){ .name = op->name,
					      .device = NUMBER_NONE,
					      .stream = NUMBER_NONE,
					      .step = step,
					      .start_ns = op->start_ns,
					      .dur_ns =
						      sum_sub(op->end_ns, op->start_ns) },
			err);
		if (wanted < 0)
			return -1;
		if (op->owner == i && wanted)
			*sums = (struct ran_sums){ .ran = true,
						   .step_id = op->step_id,
						   .device = NUMBER_NONE };
		if (sums->ran)
			sums->time_ns = sum_add(sums->time_ns, op->self_ns);
	}
	return 0;
}

static int add_profile(struct gathering *g, struct err *err)
{
	struct roofline *out = g->out;
	int rc = op_owners_load(g->store, &out->texts, g->profile, &g->ops, err);

	if (rc == 0)
		rc = call_kinds_open(g->store, &out->texts, g->profile, &g->kinds, err);
	if (rc == 0)
		rc = load_devices(g, err);
	if (rc == 0) {
		g->sums = xcalloc(g->ops.n + 1, sizeof(*g->sums));
		rc = out->is_host ? add_host_time(g, err) : add_device_work(g, err);
	}
	for (size_t i = 0; i < g->ops.n && rc == 0; i++)
		if (g->sums[i].ran)
			rc = tell_op(g, (uint32_t)i, err);
	free(g->sums);
	g->sums = NULL;
	call_kinds_close(&g->kinds);
	op_owners_release(&g->ops);
	return rc;
}

static int gather(struct gathering *g, const struct scope *scope, struct err *err)
{
	struct roofline *out = g->out;
	bool has_work = false;

	*out = (struct roofline){ .n = 0 };
	intern_init(&out->keys);
	g->places = *g->query->filter;
	g->places.focus = g->places.ignore = NULL;
	int rc = text_pool_open(g->store, &out->texts, err);
	if (rc == 0)
		rc = work_filter_open(g->store, scope, &g->places, &out->texts,
				      &g->wanted, err);
	if (rc == 0)
		rc = tensor_core_of_scope(g->store, scope, &g->capability, err);
	if (rc == 0)
		rc = device_work_is_there(g->store, scope->ids, &has_work, err);
	out->is_host = !has_work;
	for (size_t i = 0; i < scope->n && rc == 0; i++) {
		g->profile = &scope->profiles[i];
		rc = add_profile(g, err);
	}
	free(g->devices);
	free(g->names);
	free(g->works);
	free(g->named);
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
	free(r->devices);
	*r = (struct roofline){ .n = 0 };
}
