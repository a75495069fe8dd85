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
 * those with the first place, then the heaviest, then by name; the next way is for those
 * that the ones before it left over.  `ways` ends with relax NULL.  partner[i] is the
 * place of the partner of singles[i], or DIFF_NO_PARTNER.  The pairs are the same
 * when the sides are swapped.
 */
void diff_match_renamed(const struct intern *names, const struct diff_relaxing *ways,
			const struct diff_single *singles, size_t n, uint32_t *partner);

#endif
