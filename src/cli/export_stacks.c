/* Stacks from a tree of calls: see export_stacks.h. */
#include "cli/export_stacks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "query/filter_nothing.h"

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

int export_stacks_open(const struct export_request *request, struct export_stacks *s,
		       struct export_losses *losses, struct err *err)
{
	const struct call_tree_request all = { .filter = request->filter,
					       .kernels = true };

	*s = (struct export_stacks){ .at = CALL_ROOT };
	call_tree_init(&s->tree);
	if (call_tree_load(request->store, request->scope, &all, &s->tree, err) < 0)
		return -1;
	losses->is_estimated = s->tree.is_estimated;
	losses->is_cut = s->tree.is_full;
	return check(request, &s->tree, err);
}

static void set_frames(struct export_stacks *s)
{
	const struct call_node *nodes = s->tree.nodes;
	uint32_t at;

	s->nframes = 0;
	for (at = s->at; at != CALL_ROOT; at = nodes[at].parent)
		s->nframes++;
	s->frames = xgrow(s->frames, &s->cap, s->nframes, sizeof(*s->frames));
	at = s->at;
	for (size_t i = s->nframes; i-- > 0; at = nodes[at].parent)
		s->frames[i] = nodes[at].name;
}

bool export_stacks_next(struct export_stacks *s)
{
	while (++s->at < s->tree.n) {
		const struct call_node *node = &s->tree.nodes[s->at];
		bool is_device = node->kind == CALL_DEVICE;

		if (!node->is_focused || node->is_ignored ||
		    node->kind == CALL_RECURSION || node->kind == CALL_REST)
			continue;
		s->calls = node->calls;
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
	*s = (struct export_stacks){ 0 };
}

int64_t export_stacks_ns(const struct export_stacks *s, enum export_weight weight)
{
	return weight == EXPORT_DEVICE ? s->device_ns : s->host_ns;
}
