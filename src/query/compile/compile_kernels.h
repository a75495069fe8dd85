/* Kernels of compiled code, by region: device work, or what the CPU ran for them. */
#ifndef PTOOL_QUERY_COMPILE_KERNELS_H
#define PTOOL_QUERY_COMPILE_KERNELS_H

#include "query/compile/compile_read.h"
#include "query/devices/device_work.h"

/* Lines of source that the recording has of a kernel. */
struct kernel_lines {
	int64_t slice_id;
	uint32_t text; /* in the pool */
};

struct kernel_gathering {
	struct compile *out;
	const struct compile_read *read; /* borrowed, as are the slices */
	struct slices *slices;
	struct intern keys;
	uint32_t *texts; /* owned; by text of the pool: that in `out` + 1 */
	uint32_t *ops;   /* owned; likewise of operators; COMPILE_NONE: it is none */
	size_t texts_cap, ops_cap;
	struct kernel_lines *lines; /* owned; of one profile, by slice_id */
	size_t nlines, lines_cap;
};

void compile_kernels_init(struct kernel_gathering *g, struct compile *out,
			  const struct compile_read *read, struct slices *slices);
void compile_kernels_release(struct kernel_gathering *g);
/*
 * Of a profile: its device work within regions, and Inductor's outside of them; where it
 * has no device work, what the CPU ran for Inductor's kernels.  `texts` has the names.
 */
int compile_kernels_add(struct kernel_gathering *g, struct store *store,
			struct text_pool *texts, const struct scope_profile *profile,
			const struct device_work *work, struct err *err);

#endif
