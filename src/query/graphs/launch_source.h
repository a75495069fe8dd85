/*
 * Where the kernels of graphs were launched one by one: what ran on the devices of a
 * recording outside replays, in the order of launches, and what was captured into graphs.
 */
#ifndef PTOOL_QUERY_LAUNCH_SOURCE_H
#define PTOOL_QUERY_LAUNCH_SOURCE_H

#include "query/graphs/call_paths.h"
#include "query/scope.h"
#include "store/store.h"

/*
 * Takes from `path` and `ops` what another launch does not have: what is left of both is
 * the same for the two.
 */
struct launched;
void launched_agree(struct launched *with, const struct launched *other);
/* The path where there is one, else that of operators alone. */
uint32_t launched_path(const struct launched *l);

/* A piece of device work, and what launched it. */
struct launched {
	uint32_t name; /* text */
	uint32_t path; /* of calls around the launch, or CALL_PATH_NONE */
	uint32_t ops;  /* the same of operators alone */
};

/* From StreamBeginCapture to StreamEndCapture on one thread. */
struct launch_capture {
	size_t first, n; /* its calls */
};

struct launch_source {
	struct launched *items; /* owned */
	size_t n;
	struct launch_capture *captures; /* owned; complete ones alone */
	size_t ncaptures, captures_cap;
	/* Owned; calls that were captured: the name is an enum captured_kind. */
	struct launched *captured;
	size_t ncaptured, captured_cap;
	struct call_paths *paths; /* borrowed */
	struct intern *texts;     /* borrowed: of all names */
};

/*
 * Of a profile that has slices.  Paths and texts may be shared by several sources, and are
 * borrowed.  0 or -1 with err set; launch_source_release() in both cases.
 */
int launch_source_load(struct store *store, const struct scope_profile *profile,
		       struct call_paths *paths, struct intern *texts,
		       struct launch_source *out, struct err *err);
/* Accepts a zeroed one. */
void launch_source_release(struct launch_source *s);

/* Calls by the ids of their slices, which ascend. */
struct launch_ids {
	const int64_t *ids;
	size_t n;
	uint32_t *out; /* n; owned by the caller */
};
/*
 * The operators and labels around calls->ids[i] become a path of *paths, whose number is
 * calls->out[i].  0, or -1 with err set.
 */
int launch_paths_load(struct store *store, const struct scope_profile *profile,
		      const struct launch_ids *calls, struct call_paths *paths,
		      struct intern *texts, struct err *err);

/* What a capture tells of a node: is it a kernel, a copy or a set? */
enum captured_kind { CAPTURED_KERNEL, CAPTURED_COPY, CAPTURED_SET };
/* Of work, by enum slice_class. */
enum captured_kind captured_kind_of(int class);

#endif
