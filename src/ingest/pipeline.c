/* Operations of pipelines among the events of a Chrome trace: see pipeline.h. */
#include "ingest/pipeline.h"

#include "ingest/chrome.h"
#include "trace/pipeline_op.h"

/* More operations of one kind in a step are no recording. */
#define SEQUENCE_BITS 20

enum { ARG_STEP, ARG_CHUNK, ARG_MICROBATCH, ARG_SEQUENCE, NARGS };

static const char *const arg_names[NARGS] = {
	[ARG_STEP] = "step",
	[ARG_CHUNK] = "model_chunk",
	[ARG_MICROBATCH] = "mb_id",
	[ARG_SEQUENCE] = "seq_id",
};

/* An integer that is not negative; null is NUMBER_NONE, but of no step. */
static bool read_arg(const struct event_arg *arg, size_t which, int64_t *to)
{
	*to = NUMBER_NONE;
	if (arg->value.type == JSON_NULL)
		return which != ARG_STEP;
	return arg->value.type == JSON_NUMBER &&
	       json_int(&arg->value, to) == DECIMAL_OK && *to >= 0;
}

/* True when these are all of its args, each once. */
static bool read_args(const struct event *e, int64_t args[NARGS])
{
	unsigned seen = 0;

	if (e->nargs != NARGS || e->lost_args)
		return false;
	for (size_t i = 0; i < NARGS; i++) {
		size_t k = 0;
		while (k < NARGS && !str_is(e->args[i].key, arg_names[k]))
			k++;
		if (k == NARGS || !read_arg(&e->args[i], k, &args[k]))
			return false;
		seen |= 1U << k;
	}
	return seen == (1U << NARGS) - 1;
}

/* The details of a send, a receive or a collective. */
static void tell_collective(struct slice_fact *slice, struct collective_fact *to,
			    const int64_t args[NARGS])
{
	*to = kineto_no_collective;
	to->name = slice->name;
	if (args[ARG_SEQUENCE] < (INT64_C(1) << SEQUENCE_BITS) &&
	    args[ARG_SEQUENCE] != NUMBER_NONE &&
	    args[ARG_STEP] < (INT64_C(1) << (62 - SEQUENCE_BITS)))
		to->sequence = (args[ARG_STEP] << SEQUENCE_BITS) + args[ARG_SEQUENCE];
	slice->collective = to;
}

bool pipeline_slice(struct chrome *c, struct slice_fact *slice,
		    struct kineto_facts *facts)
{
	const struct event *e = &c->event;
	struct str name = event_text(e, FIELD_NAME);
	int64_t args[NARGS];

	if (!name.n || !str_equal(name, event_text(e, FIELD_CAT)) || !read_args(e, args))
		return false;
	const struct pipeline_op *op = pipeline_op_find(name);
	slice->class = CLASS_KERNEL;
	slice->is_step = true;
	slice->step_number = args[ARG_STEP];
	struct device_fact *device = kineto_device(slice, facts);
	device->device = 0;
	device->stream = op->thread;
	if (op->group != PIPELINE_ALONE)
		tell_collective(slice, &facts->collective, args);
	c->kineto.told.pipeline = true;
	return true;
}
