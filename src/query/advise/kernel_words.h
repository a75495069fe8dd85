/*
 * What the name of a kernel says of its work: dense (products of matrices, convolutions,
 * attention), or simple (each element of its tensors is read and written once or twice,
 * so that memory limits it).  Names in no list are neither.
 */
#ifndef PTOOL_QUERY_KERNEL_WORDS_H
#define PTOOL_QUERY_KERNEL_WORDS_H

#include <stdbool.h>

#include "base/str.h"

enum {
	KERNEL_DENSE = 1,
	KERNEL_SIMPLE = 2,
	KERNEL_SOFTMAX = 4,
	KERNEL_OF_LISTS =
		8,         /* of many tensors; of more than it takes there are several */
	KERNEL_TOP_K = 16, /* picks the largest: behind the softmax of a router */
};

/* Is any of these words, with '|' between them, a part of the name, or all of it? */
bool name_has_any(struct str name, const char *parts);
bool name_is_any(struct str name, const char *names);

/* KERNEL_* bits of what a name says, mangled or not; the functions below ask for one. */
unsigned kernel_words(struct str name);

/* A product of matrices, a convolution or attention. */
bool kernel_is_dense(struct str name);
/* Elementwise, a normalisation, a reduction or a copy; no fused kernel. */
bool kernel_is_simple(struct str name);
/* A product or a convolution of float32 that uses no Tensor Cores. */
bool kernel_is_single(struct str name);
/* Nothing to gain from half precision: it has it, or is a product with one vector. */
bool kernel_is_past_half(struct str name);
/* A softmax by itself, forward or backward; none of a loss by its name. */
bool kernel_is_softmax(struct str name);

#endif
