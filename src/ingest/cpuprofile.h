/*
 * A profile of V8 while it is read: nodes and samples, which wait for each other.  Inside
 * the reader only.
 */
#ifndef PTOOL_INGEST_CPUPROFILE_H
#define PTOOL_INGEST_CPUPROFILE_H

#include "ingest/stacks.h"

struct cpuprofile_node {
	int64_t id;
	uint32_t frame; /* the sink's; SAMPLE_NONE: the root, which is no call */
	uint32_t stack;
	int64_t parent;            /* id, or NUMBER_NONE */
	int64_t hits;              /* samples in it; used where they are not listed */
	bool is_resolved, is_open; /* its stack is known; is looked for */
};

struct cpuprofile_parent {
	int64_t child, parent;
};

struct cpuprofile_numbers {
	int64_t *at; /* owned */
	size_t n, cap;
};

struct cpuprofile {
	struct stacks stacks;
	struct str text;
	struct cpuprofile_node *nodes; /* owned; by id */
	size_t nnodes, nodes_cap;
	struct cpuprofile_parent
		*parents; /* owned: of children that nodes list; by child */
	size_t nparents, parents_cap;
	struct cpuprofile_numbers samples, deltas;
	int64_t start_us, end_us; /* or NUMBER_NONE */
	struct buf name, url;
	bool has_nodes, has_samples;
};

/* Tells the sink what the samples weigh, or else the hits.  0, or -1 with err set. */
int cpuprofile_add_samples(struct cpuprofile *c, struct err *err);

#endif
