/*
 * Lists of events without categories, which torch.autograd.profiler writes where
 * it has no Kineto, and all of torch up to 1.7 (EventList.export_chrome_trace,
 * torch/autograd/profiler_util.py).  Operators are "CPU functions"; device work
 * is "CUDA functions", each behind the operator that launched it:
 *
 *     operator X, arrow s [, arrow f], device work X [, arrow s ...]
 *
 * Newer ones write no device work, and arrows that lead nowhere.
 */
#include "base/decimal.h"
#include "ingest/chrome.h"
#include "ingest/kineto.h"

#define HOST_PID   "CPU functions"
#define DEVICE_PID "CUDA functions"
#define ARROW      "cpu_to_cuda"

bool kineto_list_has(const struct event *e)
{
	struct str pid = event_text(e, FIELD_PID);

	return (str_is(pid, HOST_PID) || str_is(pid, DEVICE_PID)) &&
	       str_is(event_text(e, FIELD_PH), "X");
}

enum slice_class kineto_list_class(const struct event *e)
{
	return str_is(event_text(e, FIELD_PID), HOST_PID) ? CLASS_OP : CLASS_KERNEL;
}

/* A device is called by its number. */
static void set_device(const struct event *e, struct slice_fact *slice,
		       struct kineto_facts *facts)
{
	struct device_fact *device = kineto_device(slice, facts);
	int64_t number;

	if (device->device == NUMBER_NONE &&
	    decimal_int(event_text(e, FIELD_TID), &number) == DECIMAL_OK)
		device->device = number;
}

int kineto_list_slice(struct chrome *c, struct slice_fact *slice,
		      struct kineto_facts *facts, struct err *err)
{
	struct kineto *k = &c->kineto;
	struct flow_fact end = k->open_arrow;
	bool leads_here = k->has_open_arrow && slice->class == CLASS_KERNEL;

	k->has_open_arrow = false;
	if (slice->class == CLASS_KERNEL)
		set_device(&c->event, slice, facts);
	if (!leads_here)
		return 0;
	end.end = FLOW_FINISH;
	end.ts_ns = slice->ts_ns;
	end.pid = chrome_ident(c, FIELD_PID);
	end.tid = chrome_ident(c, FIELD_TID);
	end.enclosing = false;
	end.offset = slice->offset;
	return c->sink->flow(c->sink, &end, err);
}

void kineto_list_arrow(struct chrome *c, struct flow_fact *flow)
{
	struct kineto *k = &c->kineto;

	k->has_open_arrow = false;
	if (!k->told.marks.list || !str_is(event_text(&c->event, FIELD_CAT), ARROW))
		return;
	/* The two ends are called by the operator and by the work. */
	flow->name = flow->category;
	k->has_open_arrow = flow->end == FLOW_START;
	k->open_arrow = *flow;
}
