/* Calls that are given any number of tensors: see op_work.h. */

#include "trace/fact.h"
#include "trace/op_kind.h"

/* What is moved with inputs of which nothing is recorded: that it is no arithmetic is known. */
void op_rule_move(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	(void)kind, (void)c;
	out->flops = 0;
}

/*
 * Reads the lists of tensors of the bits kind->a, writes those of kind->c, and does
 * kind->b operations for each element of the first list.
 */
void op_rule_lists(const struct op_kind *kind, const struct op_call *c,
		   struct op_work *out)
{
	struct op_list first, list;
	int64_t moved = 0;

	if (kind->b == 0)
		out->flops = 0;
	if (!op_call_list(c, 0, &first))
		return;
	for (size_t i = 0; i < 7; i++) {
		int times = !!(kind->a & (1 << i)) + !!(kind->c & (1 << i));
		if (times && op_call_list(c, i, &list))
			moved = op_plus(moved, op_times(list.elements, times));
	}
	out->flops = op_times(first.elements, kind->b);
	out->dtype = c->list_dtype;
	out->bytes = op_bytes_of(moved, c->list_dtype);
}

/*
 * How many places a kernel goes over: the numbers behind its tensors are the extents of
 * its grid, of reductions also that within.  NUMBER_NONE where they are not known.
 */
static int64_t generated_places(const struct op_call *c)
{
	int64_t n = 1;
	size_t extents = 0;

	for (size_t i = 0; i < c->n; i++) {
		int64_t extent = op_call_number(c, i, NUMBER_NONE);
		if (op_call_tensor(c, i) || extent == NUMBER_NONE)
			continue;
		extents++;
		n = op_times(n, extent);
	}
	return extents ? n : NUMBER_NONE;
}

/*
 * A kernel that Inductor made: all its tensors once, of a tensor that has more elements
 * than the kernel has places as many as those.  What it computes its name hides.
 */
void op_rule_generated(const struct op_kind *kind, const struct op_call *c,
		       struct op_work *out)
{
	(void)kind;
	if (c->is_cut)
		return;
	int64_t places = generated_places(c);
	out->bytes = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct op_arg *arg = op_call_tensor(c, i);
		int64_t n = arg ? op_elements(arg) : 0;
		if (places != NUMBER_NONE && n > places)
			n = places;
		out->bytes = op_plus(out->bytes, arg ? op_bytes_of(n, arg->dtype) : 0);
		if (arg && arg->dtype &&
		    (!out->dtype || dtype_is_over(arg->dtype, out->dtype)))
			out->dtype = arg->dtype;
	}
	if (!out->dtype)
		out->bytes = NUMBER_NONE;
}
