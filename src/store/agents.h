/*
 * ROCm's tracer numbers agents, processors among them: kernels of the first GPU say device
 * 2 on a machine with two sockets, while torch, the properties of devices and the events
 * of memory count GPUs from 0 (hip:0).  Which is which, where the recording leaves no
 * doubt.
 */
#ifndef PTOOL_STORE_AGENTS_H
#define PTOOL_STORE_AGENTS_H

#include <stdint.h>

#include "store/model.h"

/*
 * The number by which device work calls the GPU m->device_infos[place]; NUMBER_NONE where
 * the GPU did nothing, nothing says which it is, or work does not count otherwise than
 * its properties.  Certain are: the one agent of a recording whose memory events are of
 * one GPU, or that describes one GPU; and as many agents as GPUs, in order.
 */
int64_t agents_of(const struct model *m, size_t place);

#endif
