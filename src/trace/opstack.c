/* Stacks of operators: see opstack.h. */
#include "trace/opstack.h"

#include "base/buf.h"
#include "base/spill.h"

void opstack_init(struct opstack *s, struct intern *texts, struct spill *spill)
{
	*s = (struct opstack){ .texts = texts };
	idmap_init_in(&s->forward, 16, spill);
	idmap_init_in(&s->filtered, 16, spill);
}

void opstack_release(struct opstack *s)
{
	spill_free(s->forward.spill, s->first);
	spill_free(s->forward.spill, s->backward);
	idmap_release(&s->forward);
	idmap_release(&s->filtered);
	*s = (struct opstack){ 0 };
}

/* _filter_stack_entry: frames of the machinery itself. */
static bool is_machinery(struct str frame)
{
	return (str_contains(frame, STR_LIT("autograd/__init__")) &&
		(str_contains(frame, STR_LIT("_make_grads")) ||
		 str_contains(frame, STR_LIT("backward")))) ||
	       (str_contains(frame, STR_LIT("torch/tensor")) &&
		str_contains(frame, STR_LIT("backward"))) ||
	       (str_contains(frame, STR_LIT("_internal/common_utils")) &&
		(str_contains(frame, STR_LIT("prof_callable")) ||
		 str_contains(frame, STR_LIT("prof_func_call")) ||
		 str_contains(frame, STR_LIT("prof_meth_call"))));
}

/* The recorded stack less those frames; TEXT_NONE when nothing is left. */
static uint32_t filter_frames(struct opstack *s, uint32_t stack)
{
	struct str text = intern_str(s->texts, stack);
	const char *p = text.p, *end = text.p + text.n;
	struct buf kept;

	buf_init(&kept, text.n + 1);
	while (p < end) {
		const char *semicolon = memchr(p, ';', (size_t)(end - p));
		struct str frame = { p, (size_t)((semicolon ? semicolon : end) - p) };
		p += frame.n + 1;
		if (frame.n == 0 || is_machinery(frame))
			continue;
		if (kept.n)
			buf_add_char(&kept, ';');
		buf_add_str(&kept, frame);
	}
	uint32_t result = kept.n ? intern_add(s->texts, buf_str(&kept)) : TEXT_NONE;
	buf_release(&kept);
	return result;
}

/* Many operators have one stack: it is looked at once. */
static uint32_t filter(struct opstack *s, uint32_t stack)
{
	if (stack == TEXT_NONE)
		return TEXT_NONE;
	size_t at = idmap_first(&s->filtered, stack);
	uint32_t known = idmap_next(&s->filtered, &at);
	if (known == UINT32_MAX) {
		known = filter_frames(s, stack) + 1; /* TEXT_NONE is 0 then */
		idmap_add(&s->filtered, stack, known);
	}
	return known - 1;
}

/* Parents stand before their children. */
void opstack_enter(struct opstack *s, const struct op_node *nodes, size_t n,
		   op_stack_lookup *lookup, const void *from)
{
	s->backward = spill_grow(s->forward.spill, s->backward, &s->backward_cap, n,
				 sizeof(*s->backward));
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = nodes[i].parent;
		s->backward[i] = parent == NODE_NONE ? NODE_NONE : s->backward[parent];
		if (lookup(from, nodes[i].row).is_backward)
			s->backward[i] = (uint32_t)i;
	}
}

void opstack_note(struct opstack *s, const struct op_node *nodes, size_t n,
		  op_stack_lookup *lookup, const void *from)
{
	opstack_enter(s, nodes, n, lookup, from);
	for (size_t i = 0; i < n; i++) {
		struct op_stack_info info = lookup(from, nodes[i].row);
		/* An empty stack counts too: torch takes the first forward operator's as it is. */
		if (nodes[i].folded || info.sequence == NUMBER_NONE ||
		    s->backward[i] != NODE_NONE)
			continue;
		size_t at = idmap_first(&s->forward, info.sequence);
		uint32_t known = idmap_next(&s->forward, &at);
		if (known == UINT32_MAX) {
			s->first = spill_grow(s->forward.spill, s->first, &s->first_cap,
					      s->nfirst + 1, sizeof(*s->first));
			idmap_add(&s->forward, info.sequence, (uint32_t)s->nfirst);
			s->first[s->nfirst++] =
				(struct forward_op){ nodes[i].start_ns, info.stack };
		} else if (nodes[i].start_ns < s->first[known].start_ns) {
			s->first[known] =
				(struct forward_op){ nodes[i].start_ns, info.stack };
		}
	}
}

uint32_t opstack_of(struct opstack *s, const struct op_node *nodes,
		    const struct op_node *node, op_stack_lookup *lookup, const void *from)
{
	uint32_t backward = s->backward[node - nodes];

	if (backward == NODE_NONE)
		return filter(s, lookup(from, node->row).stack);
	int64_t sequence = lookup(from, nodes[backward].row).sequence;
	if (sequence == NUMBER_NONE)
		return TEXT_NONE;
	size_t at = idmap_first(&s->forward, sequence);
	uint32_t known = idmap_next(&s->forward, &at);
	return known == UINT32_MAX ? TEXT_NONE : filter(s, s->first[known].stack);
}
