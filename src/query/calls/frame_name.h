/*
 * What a name in a tree of calls or a call graph says of a function: where it is, and
 * how it is called there.
 */
#ifndef PTOOL_QUERY_FRAME_NAME_H
#define PTOOL_QUERY_FRAME_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct frame_name {
	struct str function;
	struct str file; /* n = 0: not told */
	int64_t line;    /* 0: not told */
};

/*
 * torch's Python frames, "train.py(12): step", pstats' functions, "train.py:12(step)",
 * and those of samplers, "step (train.py:12)"; anything else is a function of no file, such as "aten::mm".
 * Borrows from the text.
 */
struct frame_name frame_name_split(struct str text);
/* Those of torch alone; false: it is none, and *out is not to be used. */
bool frame_name_torch(struct str text, struct frame_name *out);

#endif
