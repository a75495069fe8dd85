/*
 * How device work calls the GPUs of a profile.
 *
 * ROCm's tracer numbers agents, processors among them: kernels of the first GPU say device
 * 2 on a machine with two sockets, while torch, the properties of devices and the events
 * of memory count GPUs from 0 (hip:0).  Which is which, where the recording leaves no
 * doubt: the one agent of a recording whose memory events are of one GPU, or that describes
 * one GPU; and as many agents as GPUs, in order.
 */
#ifndef PTOOL_STORE_AGENTS_H
#define PTOOL_STORE_AGENTS_H

#include <stddef.h>
#include <stdint.h>

#define AGENTS_MAX 64 /* more are never certain */

struct model;

/* The agent of each GPU; n is 0 where nothing says, or where work counts GPUs itself. */
struct agents {
	int64_t gpus[AGENTS_MAX], agents[AGENTS_MAX];
	size_t n;
};

/* Goes over the model's devices once. */
void agents_find(const struct model *m, struct agents *out);
/* NUMBER_NONE: none that is known. */
int64_t agents_of(const struct agents *a, int64_t gpu);

#endif
