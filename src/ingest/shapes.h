/*
 * "Input Dims" of an operator: the text torch groups by, and the numbers its
 * flop formulas need.  All texts are JSON values that stand in a window (json.h:
 * JSON_PADDING), or the texts of strings that do.
 */
#ifndef PTOOL_INGEST_SHAPES_H
#define PTOOL_INGEST_SHAPES_H

#include "base/buf.h"
#include "base/str.h"

#define SHAPE_DIMS_MAX 16

struct shape {
	bool present; /* the list has this entry and it is a flat list of numbers */
	size_t n;
	int64_t dims[SHAPE_DIMS_MAX];
};

/*
 * str(input_shapes) as Python prints it: "[[8, 3], []]".  A list of tensors is
 * nested in the file and [] in torch's table (torch-profiler.md a.9).
 */
void shapes_python_text(struct str json, struct buf *out);
/*
 * Lists of texts with ';' between them, empty when they hold nothing: element types as
 * torch calls them, other types as they are, and values as they are.
 */
void shapes_types_text(struct str json, struct buf *out);
void shapes_values_text(struct str json, struct buf *out);
/* Of "[values, dims]": values, and of lists of tensors their shapes. */
void shapes_lists_text(struct str pair, struct buf *out);
/* Entry `index` of the outer list. */
void shapes_entry(struct str json, size_t index, struct shape *out);
/* A list of integers, "[1, 1]", or one integer. */
bool shape_of_text(struct str text, struct shape *out);

/*
 * Floating point operations of one call by torch's formulas
 * (torch/csrc/profiler/util.cpp, computeFlops); NUMBER_NONE when it has none.
 * dims, types and concrete are the JSON texts of "Input Dims", "Input type" and
 * "Concrete Inputs"; empty when not recorded.
 */
int64_t shapes_flops(struct str op, struct str dims, struct str types,
		     struct str concrete);

#endif
