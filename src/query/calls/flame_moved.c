/* Functions that moved: see flame_moved.h. */
#include "query/calls/flame_moved.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/calls/frame_name.h"
#include "query/diff/diff_match.h"
#include "trace/fact.h"

struct flame_named {
	int64_t self_ns[NFLAME_SIDES];
	uint32_t partner; /* its name on the other side, and 1; 0: none */
	bool has_file, is_function;
	bool is_of[NFLAME_SIDES];
};

static struct flame_named *named_of(struct flame_moved *m, struct str name,
				    uint32_t *number)
{
	*number = intern_add(&m->names, name);
	return ARRAY_AT(m->of, m->cap, *number);
}

/* Each text is looked up once: nodes of one long name may be many. */
static void add_tree(struct flame_moved *m, const struct call_tree *tree,
		     enum flame_side side)
{
	bool are_functions = tree->is_sampled || tree->is_estimated;
	uint32_t *number = xcalloc(tree->texts.n + 1, sizeof(*number));

	for (uint32_t i = 0; i < tree->texts.n; i++) {
		struct str name = intern_str(&tree->texts, i);
		struct flame_named *named = named_of(m, name, &number[i]);
		named->is_of[side] = true;
		named->has_file = frame_name_split(name).file.n > 0;
		named->is_function |= are_functions;
	}
	for (size_t i = CALL_ROOT + 1; i < tree->n; i++) {
		const struct call_node *node = &tree->nodes[i];
		if (node->kind == CALL_REST || node->kind == CALL_DEVICE)
			continue;
		struct flame_named *named = &m->of[number[node->name]];
		named->is_function |= node->class == CLASS_PYTHON ||
				      (node->class == CLASS_OTHER && named->has_file);
		named->self_ns[side] = sum_add(named->self_ns[side], node->self_ns);
	}
	free(number);
}

/* Functions without a partner that one side alone has: how many. */
static size_t find_singles(const struct flame_moved *m, struct diff_single *singles)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->names.n; i++) {
		const struct flame_named *named = &m->of[i];
		enum flame_side side = i < m->nbase ? FLAME_BASE : FLAME_NOW;
		if (!named->is_function || named->partner ||
		    (named->is_of[FLAME_BASE] && named->is_of[FLAME_NOW]))
			continue;
		singles[n++] = (struct diff_single){ .amount = named->self_ns[side],
						     .row = i,
						     .is_new = side == FLAME_NOW };
	}
	return n;
}

static void find_moved(struct flame_moved *m)
{
	struct diff_single *singles = xcalloc(m->names.n + 1, sizeof(*singles));
	size_t n = find_singles(m, singles);
	uint32_t *partner = xrealloc_array(NULL, n + 1, sizeof(*partner));

	for (size_t i = 0; i < n; i++)
		partner[i] = DIFF_NO_PARTNER;
	diff_match_renamed(&m->names, diff_function_relaxings, singles, n, partner);
	for (size_t i = 0; i < n; i++)
		if (partner[i] != DIFF_NO_PARTNER)
			m->of[singles[i].row].partner = singles[partner[i]].row + 1;
	free(partner);
	free(singles);
}

void flame_moved_add(struct flame_moved *m, const struct call_tree *tree,
		     enum flame_side side)
{
	if (side == FLAME_BASE && !m->has_base) {
		intern_init(&m->names);
		m->has_base = true;
	}
	if (!m->has_base)
		return;
	add_tree(m, tree, side);
	if (side == FLAME_BASE)
		m->nbase = m->names.n;
	else
		find_moved(m);
}

struct str flame_moved_from(struct flame_moved *m, struct str name)
{
	uint32_t number;

	if (!m->has_base)
		return name;
	const struct flame_named *named = named_of(m, name, &number);
	return number >= m->nbase && named->partner
		       ? intern_str(&m->names, named->partner - 1)
		       : name;
}

/* By text of the flame what the new side calls it, and 1; 0: the same.  The caller frees. */
static uint32_t *find_new_names(struct flame_moved *m, struct flame *flame)
{
	size_t n = flame->texts.n;
	uint32_t *now = xcalloc(n + 1, sizeof(*now)), number;

	for (uint32_t i = 0; i < n; i++) {
		const struct flame_named *named =
			named_of(m, intern_str(&flame->texts, i), &number);
		if (number < m->nbase && named->partner)
			now[i] = intern_add(&flame->texts,
					    intern_str(&m->names, named->partner - 1)) +
				 1;
	}
	return now;
}

void flame_moved_end(struct flame_moved *m, struct flame *flame)
{
	if (m->has_base) {
		uint32_t *now = find_new_names(m, flame);
		for (size_t i = 0; i < flame->n; i++) {
			struct flame_node *node = &flame->nodes[i];
			if (node->name != TEXT_NONE && now[node->name])
				node->name = now[node->name] - 1;
		}
		free(now);
		free(m->of);
		intern_release(&m->names);
	}
	*m = (struct flame_moved){ .of = NULL };
}
