/*
 * A profile of V8 while it is read: nodes and samples, which wait for each other.  Inside
 * the reader only.
 */
#ifndef PTOOL_INGEST_CPUPROFILE_H
#define PTOOL_INGEST_CPUPROFILE_H

#include "ingest/json.h"
#include "ingest/spilled.h"
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

/* What is owned lies in the spill. */
struct cpuprofile_numbers {
	int64_t *at; /* owned */
	size_t n, cap;
};

struct cpuprofile {
	struct stacks stacks;
	struct spill *spill; /* borrowed, or NULL */
	struct str text;
	struct cpuprofile_node *nodes; /* owned */
	size_t nnodes, nodes_cap;
	struct spilled_ids node_ids;
	struct cpuprofile_parent *parents; /* owned: of children that nodes list */
	size_t nparents, parents_cap;
	struct cpuprofile_parent *ids; /* owned; of a tree: of `child` by its id */
	size_t nids, ids_cap;
	struct cpuprofile_numbers samples, deltas;
	struct cpuprofile_numbers times_us; /* of a tree: of each sample */
	int64_t start_us, end_us;           /* or NUMBER_NONE */
	int64_t end_of_seconds_us;          /* what the end is if it was in seconds */
	struct buf name, url;
	unsigned lists; /* bits of those that were read */
	bool has_nodes;
	bool is_tree; /* as V8 wrote them before 2016 */
};

/* -1: err says `what` at j->p, or that the file is cut off if the text ended there. */
int cpuprofile_bad(const struct cpuprofile *c, const struct json *j, const char *what,
		   struct err *err);
/* The value at j->p; its texts are borrowed from the file's.  0, or -1 with err set. */
int cpuprofile_value(struct cpuprofile *c, struct json *j, struct json_value *value,
		     struct err *err);
/* NUMBER_NONE: it is no whole number. */
int64_t cpuprofile_integer(const struct json_value *value);
/* Adds a node with its frame; the texts are borrowed for the call. */
int cpuprofile_add_node(struct cpuprofile *c, struct cpuprofile_node *node,
			struct stacks_frame *frame, uint64_t offset, struct err *err);
/* cpuprofile_tree.c: nodes within nodes, the outermost of which is next. */
int cpuprofile_read_tree(struct cpuprofile *c, struct json *j, struct err *err);
/* Samples and times of a file with a tree, as those of the others are. */
int cpuprofile_end_tree(struct cpuprofile *c, struct err *err);
/* Tells the sink what the samples weigh, or else the hits.  0, or -1 with err set. */
int cpuprofile_add_samples(struct cpuprofile *c, struct err *err);

#endif
