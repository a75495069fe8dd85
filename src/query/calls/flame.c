/* Trees of calls as flame graphs: see flame.h. */
#include "query/calls/flame.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/filter_nothing.h"
#include "query/steps/step_numbers.h"
#include "trace/fact.h"

/* An estimate of more paths than that follows what has this share at least. */
#define PATHS_MANY 20000
#define CUT_PCT    0.1
/* Levels of callers: in a recursion all paths together are as long as its square. */
#define CALLERS_MAX 64
/* Of so many boxes the deepest callers are those of what has CUT_PCT. */
#define BOXES_MANY 1000000

void flame_start(struct flame_builder *b, struct flame *flame,
		 const struct flame_request *request)
{
	flame_init(flame);
	flame->by = request->by;
	flame->is_inverted = request->is_inverted;
	*b = (struct flame_builder){ .flame = flame, .request = request };
	intern_init(&b->keys);
	*ARRAY_PUSH(flame->nodes, flame->n, flame->cap) =
		(struct flame_node){ .name = TEXT_NONE, .parent = CALL_NONE };
}

static enum flame_kind kind_of_work(const struct call_node *node, struct str name)
{
	switch (work_kind_of(node->class, name)) {
	case WORK_COMMUNICATION:
		return FLAME_COMMUNICATION;
	case WORK_MEMCPY:
	case WORK_MEMSET:
		return FLAME_COPY;
	case WORK_COMPUTE:
	case NWORK_KINDS:
		break;
	}
	return FLAME_KERNEL;
}

/* Of profiles of Python, which do not tell what a frame is. */
static bool is_of_python(struct str name)
{
	return str_contains(name, STR_LIT(".py")) ||
	       str_contains(name, STR_LIT("<frozen ")) ||
	       str_contains(name, STR_LIT("<string>"));
}

static enum flame_kind kind_of(const struct call_node *node, struct str name)
{
	static const uint8_t by_class[NCLASSES] = { [CLASS_OP] = FLAME_OP,
						    [CLASS_ANNOTATION] = FLAME_NOTE,
						    [CLASS_PYTHON] = FLAME_PYTHON,
						    [CLASS_RUNTIME] = FLAME_RUNTIME,
						    [CLASS_DRIVER] = FLAME_RUNTIME };

	if (node->kind == CALL_DEVICE)
		return kind_of_work(node, name);
	if (node->class == CLASS_PYTHON && str_starts_with(name, STR_LIT("nn.Module: ")))
		return FLAME_MODULE;
	if (node->class == CLASS_OTHER && is_of_python(name))
		return FLAME_PYTHON;
	return (enum flame_kind)by_class[node->class];
}

static uint32_t text_of(struct flame_builder *b, const struct call_tree *tree,
			const struct call_node *node)
{
	uint32_t *text = ARRAY_AT(b->texts, b->texts_cap, node->name);

	if (!*text) {
		struct str name = intern_str(&tree->texts, node->name);
		*text = intern_add(&b->flame->texts, flame_moved_from(&b->moved, name)) +
			1;
	}
	return *text - 1;
}

static uint32_t child_of(struct flame_builder *b, uint32_t parent, uint32_t name,
			 enum flame_kind kind)
{
	const uint32_t key[] = { parent, name, kind };
	struct flame *f = b->flame;
	uint32_t at = intern_add(&b->keys, str_bytes(key, sizeof(key))) + 1;

	if (at == f->n)
		*ARRAY_PUSH(f->nodes, f->n, f->cap) = (struct flame_node){
			.name = name, .parent = parent, .kind = (uint8_t)kind
		};
	return at;
}

/* A path of the tree that is followed from its end upwards. */
struct ending {
	struct flame_sums own; /* of what took time itself */
	uint32_t caller;       /* the next on the path */
	uint32_t at;           /* of the flame: the newest box */
};

/* A tree on its way into the flame graph. */
struct adding {
	struct flame_builder *b;
	const struct call_tree *tree;
	enum flame_side side;
	uint32_t *node_of; /* owned: of the flame, by node of the tree */
	double rests;      /* part of what an estimate did not follow that is told */
	/* Of an inverted one; owned. */
	struct ending *endings;
	size_t nendings, endings_cap;
	int64_t *through; /* by node of the flame, of this side: what is drawn of it */
	size_t through_cap;
	int64_t all; /* that is drawn of this side */
};

/* What a node has itself; threads that only wait have nothing. */
static void own_amounts(const struct adding *a, const struct call_node *node,
			struct flame_sums *out)
{
	const struct call_tree *tree = a->tree;
	int64_t host = tree->is_estimated ? node->self_ns : node->busy_ns;

	*out = (struct flame_sums){ .calls = node->calls };
	for (uint32_t at = node->first; at != CALL_NONE; at = tree->nodes[at].next)
		if (!tree->is_estimated)
			host = sum_sub(host, tree->nodes[at].busy_ns);
	if (node->kind == CALL_DEVICE)
		out->self[FLAME_DEVICE] = node->device_ns > 0 ? node->device_ns : 0;
	else
		out->self[FLAME_HOST] = host > 0 ? host : 0;
}

static void add_sums(struct flame_sums *to, const struct flame_sums *more)
{
	for (int i = 0; i < NFLAME_AMOUNTS; i++)
		to->self[i] = sum_add(to->self[i], more->self[i]);
	to->calls = sum_add(to->calls, more->calls);
}

/* What is below a node that an estimate did not follow; 0: it was followed. */
static int64_t rest_of(const struct call_node *node)
{
	int64_t rest = sum_sub(node->total_ns, node->self_ns);

	return node->is_cut && node->is_focused && rest > 0 ? rest : 0;
}

/* Recursions are in several of these: together they are what is not told otherwise. */
static void weigh_rests(struct adding *a)
{
	const struct call_tree *tree = a->tree;
	double all = (double)tree->nodes[CALL_ROOT].total_ns, rests = 0;

	for (size_t i = 1; i < tree->n; i++) {
		if (tree->nodes[i].kind != CALL_PATH)
			continue;
		all -= (double)tree->nodes[i].self_ns;
		rests += (double)rest_of(&tree->nodes[i]);
	}
	a->rests = rests <= all ? 1 : all > 0 ? all / rests : 0;
}

/* What an estimate did not follow is a box of its own, so that its caller keeps its width. */
static void add_rest(struct adding *a, const struct call_node *node, uint32_t at)
{
	int64_t rest = sum_of_double(round((double)rest_of(node) * a->rests));
	struct flame_sums sums = { .self[FLAME_HOST] = rest };

	if (rest == 0)
		return;
	uint32_t name = intern_add(&a->b->flame->texts, STR_LIT("(not followed)"));
	uint32_t child = child_of(a->b, at, name, FLAME_REST);
	add_sums(&a->b->flame->nodes[child].side[a->side], &sums);
}

static void add_callee(struct adding *a, uint32_t i)
{
	const struct call_node *node = &a->tree->nodes[i];
	struct str name = intern_str(&a->tree->texts, node->name);
	struct flame_sums own;

	uint32_t at = child_of(a->b, a->node_of[node->parent],
			       text_of(a->b, a->tree, node), kind_of(node, name));
	a->node_of[i] = at;
	own_amounts(a, node, &own);
	add_sums(&a->b->flame->nodes[at].side[a->side], &own);
	add_rest(a, node, at);
}

/* What took time itself: its path is followed from there upwards. */
static void add_ending(struct adding *a, uint32_t i)
{
	const struct call_node *node = &a->tree->nodes[i];
	struct flame_sums own;

	own_amounts(a, node, &own);
	if (own.self[FLAME_HOST] == 0 && own.self[FLAME_DEVICE] == 0)
		return;
	*ARRAY_PUSH(a->endings, a->nendings, a->endings_cap) =
		(struct ending){ .own = own, .caller = i, .at = FLAME_ROOT };
	a->all = sum_add(a->all, own.self[a->b->flame->by]);
}

/* A caller more on its path; adds what is drawn of it to what goes through that. */
static void add_caller(struct adding *a, struct ending *e)
{
	const struct call_node *caller = &a->tree->nodes[e->caller];
	struct str name = intern_str(&a->tree->texts, caller->name);
	const struct flame_sums calls = { .calls = e->own.calls };

	e->at = child_of(a->b, e->at, text_of(a->b, a->tree, caller),
			 kind_of(caller, name));
	e->caller = caller->parent;
	add_sums(&a->b->flame->nodes[e->at].side[a->side], &calls);
	int64_t *through = ARRAY_AT(a->through, a->through_cap, e->at);
	*through = sum_add(*through, e->own.self[a->b->flame->by]);
}

/* All paths go up by a level; those that end there are told, the others stay. */
static void add_level(struct adding *a, bool is_last)
{
	struct flame *f = a->b->flame;
	size_t left = 0;

	for (size_t i = 0; i < a->nendings; i++)
		add_caller(a, &a->endings[i]);
	double least = f->n > BOXES_MANY ? (double)a->all * CUT_PCT / 100 : 0;
	for (size_t i = 0; i < a->nendings; i++) {
		struct ending *e = &a->endings[i];
		bool has_more = !is_last && e->caller != CALL_ROOT;
		if (has_more && (double)a->through[e->at] >= least) {
			a->endings[left++] = *e;
			continue;
		}
		if (has_more)
			f->cut_pct = CUT_PCT;
		e->own.calls = 0; /* they are told */
		add_sums(&f->nodes[e->at].side[a->side], &e->own);
	}
	a->nendings = left;
}

/*
 * All paths level by level, as n of them can be n times as many boxes as levels: beyond
 * BOXES_MANY only what many see is followed.
 */
static void add_endings(struct adding *a)
{
	for (int level = 1; a->nendings; level++)
		add_level(a, level == CALLERS_MAX);
	free(a->endings);
	free(a->through);
}

/* The nodes of the tree that are in its lists: filters left out the others. */
static void add_tree(struct adding *a)
{
	const struct call_node *nodes = a->tree->nodes;
	uint32_t at = nodes[CALL_ROOT].first;
	struct flame_sums bare; /* of samples without a stack */

	own_amounts(a, &nodes[CALL_ROOT], &bare);
	bare.calls = 0;
	if (a->tree->is_sampled)
		add_sums(&a->b->flame->nodes[FLAME_ROOT].side[a->side], &bare);
	a->node_of = xcalloc(a->tree->n, sizeof(*a->node_of));
	while (at != CALL_NONE) {
		if (nodes[at].kind != CALL_RECURSION && a->b->flame->is_inverted)
			add_ending(a, at);
		else if (nodes[at].kind != CALL_RECURSION)
			add_callee(a, at);
		if (nodes[at].first != CALL_NONE) {
			at = nodes[at].first;
			continue;
		}
		while (at != CALL_ROOT && nodes[at].next == CALL_NONE)
			at = nodes[at].parent;
		at = at == CALL_ROOT ? CALL_NONE : nodes[at].next;
	}
	add_endings(a);
	free(a->node_of);
}

/* A call graph has far more paths than functions: those that nobody sees are left out. */
static int load(struct flame_builder *b, struct store *store, const struct scope *scope,
		struct call_tree *tree, struct err *err)
{
	struct call_tree_request request = b->request->calls;
	int rc;

	request.as_stacks = true;
	tree->unit = UNIT_NS;
	rc = call_tree_load(store, scope, &request, tree, err);
	if (rc == 0 && tree->is_estimated && tree->n > PATHS_MANY &&
	    request.min_share_pct < CUT_PCT) {
		call_tree_release(tree);
		call_tree_init(tree);
		tree->unit = UNIT_NS;
		request.min_share_pct = CUT_PCT;
		b->flame->cut_pct = CUT_PCT;
		rc = call_tree_load(store, scope, &request, tree, err);
	}
	return rc;
}

static int check(const struct flame_builder *b, const struct call_tree *tree,
		 const struct scope *scope, struct err *err)
{
	const struct call_tree_request *asked = &b->request->calls;
	bool has_other = b->flame->has_base && (tree->unit != b->flame->unit ||
						tree->decimals != b->flame->decimals);

	if (tree->nodes[CALL_ROOT].first == CALL_NONE)
		return filter_is_given(asked->filter) || asked->root_at
			       ? err_set(err, ERR_EMPTY, "no call matches")
			       : filter_lacks(scope, "calls", err);
	if (b->request->by == FLAME_DEVICE && !tree->has_device)
		return err_set(err, ERR_EMPTY,
			       "--weight device: no device work was recorded%s",
			       scope_in_torch(scope, " (ProfilerActivity.CUDA)"));
	return has_other ? err_set(err, ERR_EMPTY,
				   "the two sides cannot be compared: their amounts have "
				   "different units")
			 : 0;
}

static void describe(struct flame *f, const struct call_tree *tree, enum flame_side side)
{
	const struct call_node *root = &tree->nodes[CALL_ROOT];

	f->unit = tree->unit;
	f->decimals = tree->decimals;
	f->has_base |= side == FLAME_BASE;
	f->has_device |= tree->has_device;
	f->is_sampled |= tree->is_sampled;
	f->has_calls &= !tree->is_sampled || tree->has_counts;
	f->is_estimated |= tree->is_estimated;
	if (side == FLAME_NOW && !tree->is_estimated)
		f->idle_ns = sum_sub(root->total_ns, root->busy_ns);
}

/* Of how many steps the tree is.  Steps of which each has a box are compared as they are. */
static int count_steps(struct flame_builder *b, struct store *store,
		       const struct scope *scope, enum flame_side side, struct err *err)
{
	const struct filter *filter = b->request->calls.filter;
	struct step_numbers steps = { .n = 0 };
	int rc = 0;

	if (!b->request->calls.by_step)
		rc = step_numbers_load(store, scope, &steps, err);
	for (size_t i = 0; i < steps.n && rc == 0; i++)
		b->flame->steps[side] +=
			filter_has_step(filter, steps.items[i].profile_id,
					steps.items[i].number, true) &&
			filter_has_time(filter, steps.items[i].start_ns);
	step_numbers_release(&steps);
	return rc;
}

int flame_add(struct flame_builder *b, struct store *store, const struct scope *scope,
	      enum flame_side side, struct err *err)
{
	struct call_tree tree;
	struct adding a = { .b = b, .tree = &tree, .side = side };

	call_tree_init(&tree);
	int rc = load(b, store, scope, &tree, err);
	if (rc == 0)
		rc = check(b, &tree, scope, err);
	if (rc == 0)
		rc = count_steps(b, store, scope, side, err);
	if (rc == 0) {
		weigh_rests(&a);
		describe(b->flame, &tree, side);
		flame_moved_add(&b->moved, &tree, side);
		add_tree(&a);
		b->runs[side]++;
	}
	call_tree_release(&tree);
	free(b->texts);
	b->texts = NULL;
	b->texts_cap = 0;
	return rc;
}

/* Sides without steps are told a run. */
static void count_runs(struct flame_builder *b)
{
	struct flame *f = b->flame;

	b->is_by_runs = f->steps[FLAME_NOW] == 0 || f->steps[FLAME_BASE] == 0;
	for (int side = 0; side < NFLAME_SIDES && b->is_by_runs; side++)
		f->steps[side] = b->runs[side];
}

int flame_finish(struct flame_builder *b, int rc, struct err *err)
{
	struct flame *f = b->flame;

	flame_moved_end(&b->moved, f);
	count_runs(b);
	flame_arrange(f);
	intern_release(&b->keys);
	free(b->texts);
	if (rc == 0 && flame_total(f, &f->nodes[FLAME_ROOT]) == 0)
		return err_set(err, ERR_EMPTY, "no call took any time");
	return rc;
}
