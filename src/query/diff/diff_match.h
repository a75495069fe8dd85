/*
 * Rows that one side alone has, and that mean the same under two names: a kernel chosen
 * for other tiles, a function that moved to another line.
 */
#ifndef PTOOL_QUERY_DIFF_MATCH_H
#define PTOOL_QUERY_DIFF_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/intern.h"

#define DIFF_NO_PARTNER UINT32_MAX

struct diff_single {
	int64_t amount; /* its weight among those of the same side */
	uint32_t row;   /* its name in the intern */
	bool is_new;    /* the side that has it */
};

/*
 * A way in which two names may mean the same: what is left of a name, and its place among
 * others of which the same is left.
 */
struct diff_relaxing {
	int64_t (*relax)(struct str name, struct buf *out);
	bool is_unique; /* pairs only what is alone of its kind on either side */
};

/*
 * Pairs singles of the two sides of whose names the same is left, each at most once:
 * those with the first place, then the heaviest, then by name; where one side has more
 * of them, those that are the commonest distance apart.  The next way is for those that
 * the ones before it left over.  `ways` ends with relax NULL.  partner[i] is the
 * place of the partner of singles[i], or DIFF_NO_PARTNER.  The pairs are the same
 * when the sides are swapped.
 */
void diff_match_renamed(const struct intern *names, const struct diff_relaxing *ways,
			const struct diff_single *singles, size_t n, uint32_t *partner);

/*
 * How rows are renamed from one recording to the next.  A kernel: chosen for another
 * architecture or other tile sizes, which are digits in its name; or the only one of its
 * base name, which is what is left without template arguments and parameters.  A
 * function: on another line, or with another address in its name.  An operator: the
 * iterator of a DataLoader, which is another class for another number of workers; and
 * between CUDA and HIP a call of the runtime or the driver.
 */
extern const struct diff_relaxing diff_loader_relaxings[];
/* The same, and calls of CUDA and HIP: for sides of which each has called one of these. */
extern const struct diff_relaxing diff_call_relaxings[];
extern const struct diff_relaxing diff_kernel_relaxings[];
extern const struct diff_relaxing diff_function_relaxings[];

#endif
