/*
 * One call of an operator as the store keeps it: shapes, element types and the values
 * of its inputs, and the arithmetic on them.  A number that leaves int64, or that
 * follows from one that is not known, is NUMBER_NONE.
 */
#ifndef PTOOL_TRACE_OP_CALL_H
#define PTOOL_TRACE_OP_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "trace/dtype.h"

#define OP_CALL_ARGS 256
#define OP_CALL_DIMS 8

/* An input, or a list of numbers. */
struct op_arg {
	bool is_tensor;
	size_t n; /* dimensions */
	int64_t dims[OP_CALL_DIMS];
	const struct dtype *dtype; /* NULL: not known */
	struct str value;          /* of what is no tensor; borrowed; may be empty */
};

struct op_call {
	bool is_cut; /* it has more inputs than these */
	size_t n;
	struct op_arg args[OP_CALL_ARGS];
	/* What is told by what is around it: reading a call clears them. */
	const struct dtype *list_dtype; /* of tensors in lists, or NULL */
	struct op_arg result;           /* no tensor: not told */
	int gradients;    /* of a convolution: how many it computes; 0: not told */
	bool is_in_place; /* the result is the first input: "aten::add_" */
};

/* A list of tensors. */
struct op_list {
	int64_t tensors, elements;
	int64_t matrix_elements; /* of those with two dimensions */
};

/*
 * shapes as Python prints them, "[[8, 3], []]"; types and values with ';' between
 * them, empty where not recorded; the value of a list of tensors is
 * their shapes.  False when the call cannot be told whole.
 */
bool op_call_read(struct op_call *c, struct str shapes, struct str types,
		  struct str values);

/* A tensor at this place; NULL when there is none. */
const struct op_arg *op_call_tensor(const struct op_call *c, size_t at);
/* The value at this place as numbers: "[1, 1]", "1", "True".  False when it is none. */
bool op_call_numbers(const struct op_call *c, size_t at, struct op_arg *out);
/* The same of one number; `missing` where there is no value. */
int64_t op_call_number(const struct op_call *c, size_t at, int64_t missing);

/* The list of tensors at this place.  False where it has none, or their shapes were left out. */
bool op_call_list(const struct op_call *c, size_t at, struct op_list *out);

/* Products and sums of what is not negative. */
int64_t op_times(int64_t a, int64_t b);
int64_t op_plus(int64_t a, int64_t b);
/* Elements of dimensions from..n - 1; NUMBER_NONE for NULL. */
int64_t op_elements_from(const struct op_arg *arg, size_t from);
static inline int64_t op_elements(const struct op_arg *arg)
{
	return op_elements_from(arg, 0);
}
/* NUMBER_NONE where the element type is not known; 0 for NULL, which is no input. */
int64_t op_bytes(const struct op_arg *arg);
/* So many elements of that type. */
int64_t op_bytes_of(int64_t elements, const struct dtype *dtype);

#endif
