/* Stacks from a tree of calls: see export_stacks.h. */
#include "cli/export_stacks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/filter_nothing.h"

#define OUTER_FRAMES (EXPORT_FRAMES_MAX - EXPORT_FRAMES_INNER - 1)

static int check(const struct export_request *request, const struct call_tree *tree,
		 struct err *err)
{
	if (tree->nodes[CALL_ROOT].first == CALL_NONE)
		return filter_is_given(request->filter)
			       ? err_set(err, ERR_EMPTY, "no call matches")
			       : filter_lacks(request->scope, "calls", err);
	if (request->weight == EXPORT_DEVICE && !tree->has_device)
		return err_set(err, ERR_EMPTY,
			       "--weight device: no device work was recorded");
	return 0;
}

/* How deep each node is, and which of the nodes around it is the last outer frame. */
static void measure(struct export_stacks *s)
{
	const struct call_tree *tree = &s->tree;
	bool is_deep = false;

	s->frames = xrealloc_array(NULL, EXPORT_FRAMES_MAX, sizeof(*s->frames));
	s->depths = xcalloc(tree->n, sizeof(*s->depths));
	s->outer = xcalloc(tree->n, sizeof(*s->outer));
	for (uint32_t at = CALL_ROOT + 1; at < tree->n; at++) {
		uint32_t parent = tree->nodes[at].parent;
		s->depths[at] = s->depths[parent] + 1;
		s->outer[at] = s->depths[at] > OUTER_FRAMES ? s->outer[parent] : at;
		is_deep |= s->depths[at] > EXPORT_FRAMES_MAX;
	}
	if (is_deep)
		s->left_out = intern_add(&s->tree.texts, STR_LIT("[frames left out]"));
}

int export_stacks_open(const struct export_request *request, struct export_stacks *s,
		       struct export_losses *losses, struct err *err)
{
	const struct call_tree_request all = { .filter = request->filter,
					       .kernels = true,
					       .as_stacks = true };

	*s = (struct export_stacks){ .at = CALL_ROOT, .losses = losses };
	call_tree_init(&s->tree);
	if (call_tree_load(request->store, request->scope, &all, &s->tree, err) < 0)
		return -1;
	losses->is_estimated = s->tree.is_estimated;
	losses->is_cut = s->tree.is_full;
	measure(s);
	return check(request, &s->tree, err);
}

static void set_frames(struct export_stacks *s)
{
	const struct call_node *nodes = s->tree.nodes;
	uint32_t at = s->at;
	size_t i = s->nframes = s->depths[at];

	if (i > EXPORT_FRAMES_MAX) {
		s->losses->is_shortened = true;
		i = s->nframes = EXPORT_FRAMES_MAX;
		for (; i > EXPORT_FRAMES_MAX - EXPORT_FRAMES_INNER; at = nodes[at].parent)
			s->frames[--i] = nodes[at].name;
		s->frames[--i] = s->left_out;
		at = s->outer[at];
	}
	for (; i > 0; at = nodes[at].parent)
		s->frames[--i] = nodes[at].name;
}

/* Of sampled stacks the samples of a node are also those of the nodes below. */
static int64_t own_calls(const struct call_tree *tree, const struct call_node *node)
{
	int64_t calls = node->calls;

	for (uint32_t at = node->first; tree->is_sampled && at != CALL_NONE;
	     at = tree->nodes[at].next)
		calls -= tree->nodes[at].calls;
	return calls;
}

bool export_stacks_next(struct export_stacks *s)
{
	while (++s->at < s->tree.n) {
		const struct call_node *node = &s->tree.nodes[s->at];
		bool is_device = node->kind == CALL_DEVICE;

		if (!node->is_focused || node->is_ignored ||
		    node->kind == CALL_RECURSION || node->kind == CALL_REST)
			continue;
		s->calls = own_calls(&s->tree, node);
		s->host_ns = is_device ? 0 : node->self_ns;
		s->device_ns = is_device ? node->device_ns : 0;
		if (s->calls == 0 && s->host_ns == 0 && s->device_ns == 0)
			continue;
		set_frames(s);
		return true;
	}
	return false;
}

void export_stacks_rewind(struct export_stacks *s)
{
	s->at = CALL_ROOT;
}

void export_stacks_close(struct export_stacks *s)
{
	call_tree_release(&s->tree);
	free(s->frames);
	free(s->depths);
	free(s->outer);
	*s = (struct export_stacks){ 0 };
}

int64_t export_stacks_ns(const struct export_stacks *s, enum export_weight weight)
{
	return weight == EXPORT_DEVICE ? s->device_ns : s->host_ns;
}

const char *export_stacks_amount(const struct export_stacks *s, int64_t amount,
				 char out[EXPORT_AMOUNT_MAX])
{
	int digits = (int)s->tree.decimals;
	int64_t power = 1;

	for (int i = 0; i < digits; i++)
		power *= 10;
	if (digits == 0)
		snprintf(out, EXPORT_AMOUNT_MAX, "%lld", (long long)amount);
	else
		snprintf(out, EXPORT_AMOUNT_MAX, "%lld.%0*lld",
			 (long long)(amount / power), digits,
			 (long long)(amount % power));
	return out;
}

const char *export_stacks_unit(const struct export_stacks *s, const char *count)
{
	if (!s->tree.is_sampled || s->tree.unit == UNIT_NS)
		return "nanoseconds";
	return s->tree.unit == UNIT_BYTES ? "bytes" : count;
}
