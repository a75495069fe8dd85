/*
 * What the name of an operator or a label says about the part of training that it is:
 * by the names that PyTorch gives (ProfilerStep#3, enumerate(DataLoader)#..., nccl:...,
 * Optimizer.step#SGD.step), and by the words in what people call their ranges.
 */
#ifndef PTOOL_QUERY_HOST_NAMES_H
#define PTOOL_QUERY_HOST_NAMES_H

#include <stdint.h>

#include "base/str.h"

enum host_name {
	HOST_STEP = 1,          /* ProfilerStep#N, what engines write around a step */
	HOST_DATA_LOADING = 2,  /* the next batch of a DataLoader or DataPipe */
	HOST_COMMUNICATION = 4, /* nccl:..., gloo:... */
	HOST_OPTIMIZER = 8,     /* Optimizer.step#..., Optimizer.zero_grad#... */
	HOST_ENGINE = 16,       /* the autograd engine at work on the backward pass */
	HOST_TRANSFER = 32,     /* an operator that may copy between devices */
	/* Words in the names of ranges: "## forward ##", "loss.backward". */
	HOST_SAYS_DATA = 64,
	HOST_SAYS_FORWARD = 128,
	HOST_SAYS_BACKWARD = 256,
	HOST_SAYS_OPTIMIZER = 512
};

/* The bits of enum host_name; 0: an operator or a range like any other. */
unsigned host_name_bits(struct str name);

#endif
