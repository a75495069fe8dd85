/*
 * torch.compile: the regions that run compiled code ("Torch-Compiled Region: f/r", f the
 * Python frame and r how often it had been compiled before), and what compiling took.
 *
 * A call is such a range, or outside of these a "CompiledFunction", a
 * "CompiledFunctionBackward" (which belongs to the region whose forward pass has its
 * sequence number) or a "## Call CompiledFxGraph".  Where a graph breaks, the rest of the
 * frame is a frame of its own and its region runs within this one: a call that is in no
 * other broke as often as graphs ran in it, less one.
 *
 * A compilation is the outermost range of torch's dynamo_timed on its thread.  It is of
 * the frame that it names, else of the region that runs right behind it, else of that in
 * which it runs.  Nanoseconds from the profile's first event.
 */
#ifndef PTOOL_QUERY_COMPILE_H
#define PTOOL_QUERY_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/table.h"
#include "query/compile/compile_source.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"
#include "store/store.h"

#define COMPILE_NONE UINT32_MAX

enum compile_pass { COMPILE_FORWARD, COMPILE_BACKWARD };

/* What one frame, compiled once, did in one pass. */
struct compile_region {
	uint32_t id;     /* text: "4/1"; of ranges without ids their name */
	uint32_t frame;  /* text: "4"; likewise */
	uint32_t source; /* text: "model.py(29): forward", or COMPILE_NONE */
	enum compile_pass pass;
	int64_t version;                  /* r; NUMBER_NONE: none is told */
	int64_t calls, outermost, breaks; /* breaks: of its outermost calls */
	int64_t total_ns, self_ns, lookup_ns, device_ns;
	int64_t graph_launches; /* of device graphs */
	/* Of a frame compiled before: of forward passes, as torch counts; and of both. */
	int64_t compilations, recompilations, again;
	int64_t compile_ns, compile_step_ns, idle_ns; /* idle: of the device */
};

/* What happened in one step. */
struct compile_step {
	int64_t number;
	int64_t calls, outermost, breaks, compilations, compile_ns, idle_ns;
	int64_t recompilations, again; /* as of a region */
};

/* A kernel of compiled code: what its calls in one region took. */
struct compile_kernel {
	uint32_t name; /* text: as the device has it, or the CPU's without "graph_1_" */
	uint32_t
		maker; /* text: Inductor's name and handle where ranges tell; else as above */
	uint32_t op;     /* text: the operator that launched it; or COMPILE_NONE */
	uint32_t lines;  /* text: of source, as recorded; or COMPILE_NONE */
	uint32_t region; /* place in the regions; or COMPILE_NONE */
	bool is_host;    /* it ran on the CPU */
	int64_t calls, total_ns;
};

struct compile {
	struct compile_region *regions; /* owned; as first seen */
	size_t n, cap;
	struct compile_step *steps; /* owned; by number */
	size_t nsteps, steps_cap;
	struct compile_kernel
		*kernels; /* owned; as first seen; when they are asked for */
	size_t nkernels, kernels_cap;
	struct intern keys, texts;
	bool has_device, has_lookups;
	bool is_filtered; /* some calls may be left out */
};

/* What rows are. */
enum compile_by {
	COMPILE_BY_FRAME,
	COMPILE_BY_REGION,
	COMPILE_BY_STEP,
	COMPILE_BY_KERNEL
};

struct compile_query {
	const struct filter *filter; /* borrowed; what it leaves out is no call */
	struct view_request show;
	enum compile_by by;
	struct compile_sources *sources; /* borrowed: of kernels; NULL: none was given */
};

/*
 * 0 or -1: ERR_EMPTY where nothing was compiled, or where kernels are asked for and none
 * ran.  compile_release() in both cases.
 */
int compile_load(struct store *store, const struct scope *scope,
		 const struct compile_query *query, struct compile *out, struct err *err);
void compile_release(struct compile *c);

extern const struct view compile_view, compile_steps_view, compile_kernels_view;

/* The table of kernels. */
struct memtable *compile_kernels_table(const struct compile *c, const struct scope *scope,
				       const struct compile_query *query);

/* The table; *out is freed by table_free(). */
int compile_open(struct store *store, const struct scope *scope,
		 const struct compile_query *query, struct table **out, struct err *err);

#endif
