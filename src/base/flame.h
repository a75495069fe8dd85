/*
 * A merged tree of calls, ready to be drawn as a flame graph: what query fills and report
 * draws.  Nodes stand in preorder, the largest child first, so that a box is its total
 * wide and begins where the boxes before it end.  The sums close: the total of a node is
 * its own and those of its children, on each side and of each amount.
 */
#ifndef PTOOL_BASE_FLAME_H
#define PTOOL_BASE_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/table.h"

#define FLAME_ROOT 0U

/* Time of the host, or of the device work launched below; of samples the first is weights. */
enum flame_amount { FLAME_HOST, FLAME_DEVICE, NFLAME_AMOUNTS };
/* Of a comparison: what is drawn, and what it is compared with. */
enum flame_side { FLAME_NOW, FLAME_BASE, NFLAME_SIDES };

/* What boxes are coloured by. */
enum flame_kind {
	FLAME_OTHER,
	FLAME_OP,
	FLAME_NOTE,
	FLAME_PYTHON,
	FLAME_MODULE,
	FLAME_RUNTIME,
	FLAME_KERNEL,
	FLAME_COMMUNICATION,
	FLAME_COPY,
	FLAME_REST, /* what was not followed */
	NFLAME_KINDS
};
/* "operator", "Python", ...: for people, by enum flame_kind. */
extern const char *const flame_kind_names[NFLAME_KINDS];

/* The amounts of a node. */
struct flame_sums {
	int64_t self[NFLAME_AMOUNTS], total[NFLAME_AMOUNTS], calls;
};

struct flame_node {
	struct flame_sums side[NFLAME_SIDES];
	uint32_t name;   /* text */
	uint32_t parent; /* the root's is itself */
	uint32_t depth;  /* 0: the root */
	uint32_t span;   /* nodes from this to the last below it: the sibling follows */
	uint8_t kind;    /* enum flame_kind */
};

struct flame {
	struct flame_node *nodes; /* owned; the first, FLAME_ROOT, is nameless: all */
	size_t n, cap;
	struct intern texts;  /* owned: names */
	enum flame_amount by; /* what is drawn and sorted by */
	enum unit unit;       /* of the amounts */
	int64_t decimals;     /* of counts: in units of 10^-decimals */
	uint32_t depth;       /* of the deepest node */
	bool has_device, has_base;
	bool has_calls;    /* else it is not known how many samples */
	bool is_sampled;   /* calls are samples */
	bool is_estimated; /* from a call graph, which does not record paths */
	bool is_inverted;  /* callers below what they called */
	double cut_pct;    /* of an estimate: paths below this share were not followed */
	int64_t idle_ns;   /* of threads that only wait; in no node */
	int64_t steps[NFLAME_SIDES];
	bool is_scaled; /* the base's amounts are for as many steps as the drawn side has */
};

void flame_init(struct flame *flame);
/* Also of a zeroed one. */
void flame_release(struct flame *flame);

/* A node's total of what is drawn. */
static inline int64_t flame_total(const struct flame *flame,
				  const struct flame_node *node)
{
	return node->side[FLAME_NOW].total[flame->by];
}

static inline int64_t flame_base(const struct flame *flame, const struct flame_node *node)
{
	return node->side[FLAME_BASE].total[flame->by];
}

/*
 * The change of a total as a share of the larger of both: -1 what is gone, 1 what is new;
 * 0 without a base.
 */
double flame_change(const struct flame *flame, const struct flame_node *node);
/* An amount as a cell of the tree's unit. */
struct cell flame_cell(const struct flame *flame, int64_t amount);

#endif
