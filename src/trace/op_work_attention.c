/*
 * Attention: see op_work.h.  Each pair of a query and a key costs a product of vectors
 * in Q K and one in P V; the backward pass has three of the first and two of the second,
 * as it computes the scores again.
 */
#include "trace/fact.h"
#include "trace/op_kind.h"

struct attention {
	const struct op_arg *q, *k, *v;
	size_t heads, length; /* places of these dimensions */
	int64_t batch;
};

/* As torch counts them: [batch, heads, length, width]. */
static bool fits(const struct attention *a)
{
	if (!a->q || !a->k || !a->v || a->q->n != a->k->n || a->q->n != a->v->n)
		return false;
	size_t last = a->q->n - 1;
	int64_t heads = a->q->dims[a->heads], groups = a->k->dims[a->heads];
	return a->k->dims[a->heads] == a->v->dims[a->heads] && groups > 0 &&
	       heads % groups == 0 && a->q->dims[last] == a->k->dims[last] &&
	       a->k->dims[a->length] == a->v->dims[a->length] &&
	       (a->q->n == 3 ||
		(a->q->dims[0] == a->k->dims[0] && a->q->dims[0] == a->v->dims[0]));
}

/*
 * Inputs from `at` on.  kind->d is not 0: lengths before heads; with three dimensions all
 * sequences are in one, and their lengths are known only where there is one: the
 * cumulated lengths have two elements.
 */
static bool read_attention(const struct op_kind *kind, const struct op_call *c, size_t at,
			   int cumulated, struct attention *a)
{
	*a = (struct attention){ .q = op_call_tensor(c, at),
				 .k = op_call_tensor(c, at + 1),
				 .v = op_call_tensor(c, at + 2) };
	if (!a->q || a->q->n < 3 || a->q->n > 4)
		return false;
	const struct op_arg *lengths =
		cumulated < 0 ? NULL : op_call_tensor(c, (size_t)cumulated);
	if (lengths && lengths->n == 0) /* there are none */
		lengths = NULL;
	if (lengths && (lengths->n != 1 || lengths->dims[0] != 2))
		return false;
	bool flat = a->q->n == 3;
	if (flat && !lengths)
		return false;
	a->length = flat ? 0 : kind->d ? 1 : 2;
	a->heads = flat ? 1 : kind->d ? 2 : 1;
	a->batch = flat ? 1 : a->q->dims[0];
	return fits(a);
}

/* Pairs that a causal mask leaves; `last`: the last query sees the last key. */
static int64_t causal_pairs(int64_t queries, int64_t keys, bool last)
{
	int64_t seen = queries < keys ? queries : keys;
	int64_t triangle = op_times(seen, seen + 1);

	if (triangle == NUMBER_NONE)
		return NUMBER_NONE;
	triangle /= 2;
	/* Below the triangle all keys are seen, or, from the end, before it. */
	if (last)
		return op_plus(triangle,
			       queries < keys ? op_times(queries, keys - queries) : 0);
	return op_plus(triangle, queries > keys ? op_times(queries - keys, keys) : 0);
}

/* 0: no mask; 1: from the first query on; 2: to the last. */
static int64_t pairs_of(const struct attention *a, int64_t mask)
{
	int64_t queries = a->q->dims[a->length], keys = a->k->dims[a->length];

	return mask ? causal_pairs(queries, keys, mask == 2) : op_times(queries, keys);
}

/* 2 * (qk times the width of q and k + pv times that of v), for every head. */
static int64_t ops_a_pair(const struct attention *a, int64_t qk, int64_t pv)
{
	size_t last = a->q->n - 1;
	int64_t widths =
		op_plus(op_times(qk, a->q->dims[last]), op_times(pv, a->v->dims[last]));

	return op_times(op_times(a->q->dims[a->heads], a->batch), op_times(2, widths));
}

/*
 * Does a query see the keys near it alone?  kind->d is how far behind the mask's place
 * the window is, of FlashAttention to the left, and then to the right.
 */
static bool has_window(const struct op_kind *kind, const struct op_call *c, int64_t mask)
{
	size_t at = (size_t)(kind->b + kind->d);

	if (!kind->d)
		return false;
	return op_call_number(c, at, -1) >= 0 ||
	       (!kind->c && !mask && op_call_number(c, at + 1, -1) >= 0);
}

static void set_work(const struct op_kind *kind, const struct op_call *c,
		     const struct attention *a, int64_t each, struct op_work *out)
{
	int64_t mask = op_call_number(c, (size_t)kind->b, 0);

	/* FlashAttention's own mask ends with the last key. */
	if (mask == 1 && kind->d && !kind->c)
		mask = 2;
	out->dtype = a->q->dtype;
	if (!has_window(kind, c, mask))
		out->flops = op_times(each, pairs_of(a, mask));
	out->torch_flops = kind->flags & OP_KIND_TORCH ? op_times(each, pairs_of(a, 0))
						       : NUMBER_NONE;
}

/* The result is [..., queries, width of v]. */
static int64_t result_bytes(const struct attention *a)
{
	struct op_arg y = *a->q;

	y.dims[y.n - 1] = a->v->dims[a->v->n - 1];
	return op_bytes(&y);
}

/* kind->a: place of the cumulated lengths, or -1; kind->b: of the mask. */
void op_rule_attention(const struct op_kind *kind, const struct op_call *c,
		       struct op_work *out)
{
	struct attention a;

	if (!read_attention(kind, c, 0, kind->a, &a))
		return;
	set_work(kind, c, &a, ops_a_pair(&a, 1, 1), out);
	out->bytes = op_plus(op_plus(op_bytes(a.q), op_bytes(a.k)),
			     op_plus(op_bytes(a.v), result_bytes(&a)));
	/* torch takes the lengths of _efficient_attention_forward for its heads. */
	if (kind->c && out->torch_flops != NUMBER_NONE && a.q->n == 4) {
		struct attention swapped = a;
		swapped.heads = 1;
		swapped.length = 2;
		out->torch_flops = fits(&swapped) ? op_times(ops_a_pair(&swapped, 1, 1),
							     pairs_of(&swapped, 0))
						  : NUMBER_NONE;
	}
}

/* The gradient of the result comes first; q, k, v and it are read, and the result. */
void op_rule_attention_backward(const struct op_kind *kind, const struct op_call *c,
				struct op_work *out)
{
	struct attention a;

	if (!read_attention(kind, c, 1, kind->a, &a))
		return;
	set_work(kind, c, &a, ops_a_pair(&a, 3, 2), out);
	int64_t inputs = op_plus(op_plus(op_bytes(a.q), op_bytes(a.k)), op_bytes(a.v));
	out->bytes = op_plus(op_times(inputs, 2), op_times(result_bytes(&a), 2));
	if (kind->c && out->torch_flops != NUMBER_NONE && a.q->n == 4) {
		struct attention swapped = a;
		swapped.heads = 1;
		swapped.length = 2;
		out->torch_flops = fits(&swapped) ? op_times(ops_a_pair(&swapped, 3, 2),
							     pairs_of(&swapped, 0))
						  : NUMBER_NONE;
	}
}

/*
 * Over a cache of pages: q is [tokens, heads, width] at kind->a, and the keys at
 * kind->b say their heads, and the width of keys and values, in the last two
 * dimensions.  How many keys a token sees only an annotation tells.
 */
void op_rule_paged(const struct op_kind *kind, const struct op_call *c,
		   struct op_work *out)
{
	const struct op_arg *q = op_call_tensor(c, (size_t)kind->a);
	const struct op_arg *k = op_call_tensor(c, (size_t)kind->b);

	if (!q || !k || q->n != 3 || k->n < 3 || q->dims[2] != k->dims[k->n - 1])
		return;
	int64_t heads = k->dims[k->n - 2], width = q->dims[2];
	if (heads < 1 || q->dims[1] % heads != 0)
		return;
	out->dtype = q->dtype;
	out->flops_a_pair = op_times(op_times(q->dims[1], 4), width);
	out->bytes_a_key = op_bytes_of(op_times(op_times(heads, 2), width), k->dtype);
	out->bytes = op_times(op_bytes(q), 2); /* what is asked and answered */
}
