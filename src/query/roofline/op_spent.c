/* What ran for operators: see op_spent.h. */
#include "query/roofline/op_spent.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/str.h"
#include "base/sum.h"
#include "query/kernels/tensor_core.h"
#include "trace/dtype.h"

/*
 * The element type in a kernel's name: "void at::native::...<BinaryFunctor<float, ...>>".
 * Of lists of tensors a recording has shapes, but no types.
 */

static bool is_part_of_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '_' || c == ':';
}

/* Types of which only the size is known: of moved elements. */
static const struct dtype *opaque(struct str digits)
{
	static const struct dtype sizes[] = {
		{ "1 byte", 1 },  { "2 bytes", 2 },   { "4 bytes", 4 },
		{ "8 bytes", 8 }, { "16 bytes", 16 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct str name = str_of(sizes[i].name);
		if (str_starts_with(name, digits) && name.p[digits.n] == ' ')
			return &sizes[i];
	}
	return NULL;
}

/* A word of floating point: integers are also what counts elements. */
static const struct dtype *type_of(struct str word)
{
	static const struct {
		const char *word, *dtype;
	} types[] = {
		{ "float", "float32" },           { "double", "float64" },
		{ "c10::Half", "float16" },       { "__half", "float16" },
		{ "c10::BFloat16", "bfloat16" },  { "__nv_bfloat16", "bfloat16" },
		{ "__hip_bfloat16", "bfloat16" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (str_is(word, types[i].word))
			return dtype_find(str_of(types[i].dtype));
	return NULL;
}

/* What is between the brackets behind "Functor", or all of it. */
static struct str functor_of(struct str name)
{
	const char *at = name.n ? memmem(name.p, name.n, "Functor<", 8) : NULL;
	const char *end = name.p + name.n, *p;
	int open = 1;

	if (!at)
		return name;
	for (p = at + 8; p < end && open; p++)
		open += (*p == '<') - (*p == '>');
	return (struct str){ at + 8, (size_t)(p - at - 8) };
}

static const struct dtype *kernel_dtype(struct str name, bool *several)
{
	struct str text = functor_of(name);
	const struct dtype *first = NULL;

	*several = false;
	for (size_t i = 0; i < text.n;) {
		size_t from = i;
		while (i < text.n && is_part_of_word(text.p[i]))
			i++;
		struct str word = { text.p + from, i - from };
		const struct dtype *type = type_of(word);
		if (str_ends_with(word, STR_LIT("OpaqueType")) && i < text.n) {
			for (from = ++i;
			     i < text.n && text.p[i] >= '0' && text.p[i] <= '9';)
				i++;
			type = opaque((struct str){ text.p + from, i - from });
		}
		*several |= type && first && type != first;
		first = first ? first : type;
		i += i < text.n;
	}
	return first;
}

/* What the name of device work says. */
struct work_fact {
	bool is_known, is_transfer, tensor_cores, has_dtypes;
	const struct dtype *dtype;
};

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

/* Found once for each name; borrowed until the next call. */
static const struct work_fact *fact_of(struct op_spent_query *q,
				       const struct work_item *item)
{
	size_t place = item->name == TEXT_NONE ? 0 : (size_t)item->name + 1;
	struct work_fact *fact = ARRAY_AT(q->facts, q->facts_cap, place);
	struct str name = text_pool_str(q->texts, item->name);

	if (fact->is_known)
		return fact;
	fact->is_known = true;
	fact->is_transfer = is_transfer(name);
	fact->tensor_cores = tensor_core_kernel(name, q->capability) == TENSOR_CORE_YES;
	fact->dtype = kernel_dtype(name, &fact->has_dtypes);
	return fact;
}

static void add_dtype(struct op_spent *t, const struct work_fact *fact)
{
	t->has_dtypes |=
		fact->has_dtypes || (t->dtype && fact->dtype && t->dtype != fact->dtype);
	if (fact->dtype)
		t->dtype = fact->dtype;
}

static void add_piece(struct op_spent *t, const struct op_spent *piece,
		      const struct work_fact *fact)
{
	if (!t->ran) {
		t->step_id = piece->step_id;
		t->device = piece->device;
	}
	t->ran = true;
	t->is_comm |= piece->is_comm;
	t->time_ns = sum_add(t->time_ns, piece->time_ns);
	t->launch_ns = sum_add(t->launch_ns, piece->launch_ns);
	t->tensor_cores |= fact->tensor_cores;
	add_dtype(t, fact);
}

/*
 * How many pieces of work each call launched, and how many of them were added: a replay of
 * a graph is one call, of which each of its kernels has a part.
 */
struct launches {
	struct launch_parts {
		uint32_t all, added;
	} * of; /* owned; by slice of the profile */
	int64_t first_id;
	size_t n;
};

static struct launch_parts *parts_of(const struct launches *l, int64_t launch_id)
{
	size_t at = (size_t)(launch_id - l->first_id);

	return launch_id >= l->first_id && at < l->n ? &l->of[at] : NULL;
}

static void launches_open(struct launches *l, const struct scope_profile *profile,
			  const struct device_work *work)
{
	l->first_id = profile->first_slice_id;
	l->n = (size_t)profile->slices;
	l->of = xcalloc(l->n + 1, sizeof(*l->of));
	for (size_t i = 0; i < work->n; i++) {
		struct launch_parts *parts = parts_of(l, work->items[i].launch_id);
		if (parts)
			parts->all++;
	}
}

/* Of the call's time; all parts add up to it. */
static int64_t launch_part(const struct launches *l, const struct work_item *item)
{
	struct launch_parts *parts =
		item->launch_id ? parts_of(l, item->launch_id) : NULL;
	int64_t ns =
		item->launch_id ? sum_sub(item->launch_end_ns, item->launch_start_ns) : 0;

	if (!parts || parts->all < 2)
		return ns;
	int64_t each = ns / parts->all, more = ns % parts->all;
	return each + (parts->added++ < more);
}

struct adding {
	struct op_spent_query *q;
	const struct device_work *work;
	const struct op_owners *ops;
	struct op_spent *times;
	struct launches launches;
};

static int add_item(const struct adding *a, const struct work_item *item, struct err *err)
{
	struct op_spent_query *q = a->q;
	const struct device_work *work = a->work;
	const struct op_owners *ops = a->ops;
	const struct work_stream *stream = &work->streams[item->stream];
	struct op_spent piece = {
		.time_ns = sum_sub(item->end_ns, item->start_ns),
		.step_id = item->step_id,
		.device = work->devices[stream->device].device,
		.is_comm = item->kind == WORK_COMMUNICATION,
	};
	int wanted = work_filter_wants(
		q->wanted,
		&(struct work_piece){ .name = item->name,
				      .device = piece.device,
				      .stream = stream->stream,
				      .step = work_filter_step(q->wanted, item->step_id),
				      .start_ns = item->start_ns,
				      .dur_ns = piece.time_ns },
		err);

	if (wanted <= 0)
		return wanted;
	piece.launch_ns = launch_part(&a->launches, item);
	uint32_t at = item->op_id ? op_owners_find(ops, item->op_id) : OWNER_NONE;
	const struct work_fact *fact = fact_of(q, item);
	if (at == OWNER_NONE || (item->class == CLASS_MEMCPY && fact->is_transfer))
		return q->alone(q->context, item, &piece, err);
	add_piece(&a->times[ops->items[at].owner], &piece, fact);
	return 0;
}

int op_spent_on_devices(struct op_spent_query *q, const struct scope_profile *profile,
			const struct op_owners *ops, struct op_spent *times,
			struct err *err)
{
	struct device_work work;
	struct adding a = { .q = q, .work = &work, .ops = ops, .times = times };
	int rc = device_work_load(q->store, q->texts, profile, WORK_WITH_LAUNCHES, &work,
				  err);

	if (rc == 0)
		launches_open(&a.launches, profile, &work);
	for (size_t i = 0; i < work.n && rc == 0; i++)
		rc = add_item(&a, &work.items[i], err);
	free(a.launches.of);
	device_work_release(&work);
	return rc;
}

/* An operator takes the host's time, with what it calls. */
int op_spent_on_host(struct op_spent_query *q, const struct op_owners *ops,
		     struct op_spent *times, struct err *err)
{
	for (size_t i = 0; i < ops->n; i++) {
		const struct owned_op *op = &ops->items[i];
		struct op_spent *t = &times[op->owner];
		int64_t step = work_filter_step(q->wanted, op->step_id);
		int wanted = work_filter_wants(
			q->wanted,
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
			*t = (struct op_spent){ .ran = true,
						.step_id = op->step_id,
						.device = NUMBER_NONE };
		if (t->ran)
			t->time_ns = sum_add(t->time_ns, op->self_ns);
	}
	return 0;
}
