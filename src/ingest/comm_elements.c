/* The elements of collectives: see comm_elements.h. */
#include "ingest/comm_elements.h"

#include "ingest/json.h"
#include "ingest/shapes.h"
#include "trace/dtype.h"
#include "trace/fact.h"

static int64_t product_of(const struct shape *shape)
{
	int64_t product = 1;

	for (size_t i = 0; i < shape->n; i++)
		if (shape->dims[i] < 0 ||
		    __builtin_mul_overflow(product, shape->dims[i], &product))
			return NUMBER_NONE;
	return product;
}

/* The tensor at `index` adds to *sum; false when nothing can be said any more. */
static bool add_tensor(struct str dims, size_t index, struct str spelled,
		       struct str *type, int64_t *sum)
{
	struct shape shape;

	if (str_is(spelled, "TensorList"))
		return false;
	/* Tensors have C++'s types; "Int" and "Double" are numbers of Python. */
	if (!spelled.n || (spelled.p[0] >= 'A' && spelled.p[0] <= 'Z') ||
	    !dtype_find(spelled))
		return true;
	shapes_entry(dims, index, &shape);
	int64_t elements = shape.present ? product_of(&shape) : NUMBER_NONE;
	if (elements == NUMBER_NONE || (type->n && !str_equal(*type, spelled)))
		return false;
	*type = spelled;
	*sum = *sum == NUMBER_NONE ? 0 : *sum;
	return !__builtin_add_overflow(*sum, elements, sum);
}

int64_t comm_elements(struct str dims, struct str types, struct str *type)
{
	struct json_value value;
	int64_t sum = NUMBER_NONE;
	int more;

	*type = (struct str){ "", 0 };
	if (!dims.n || !types.n || types.p[0] != '[')
		return NUMBER_NONE;
	struct json_items items = json_items_of(types);
	for (size_t i = 0; (more = json_next_element(&items, &value)) > 0; i++)
		if (!add_tensor(dims, i, value.text, type, &sum))
			return NUMBER_NONE;
	return more == 0 ? sum : NUMBER_NONE;
}
