/* A stretch of a gap: see gap_stretch.h. */
#include "query/gaps/gap_stretch.h"

#include <stdlib.h>

/* What of the piece lies in the stretch; 0 or less: nothing. */
static int64_t common_ns(const struct gap_piece *piece, const struct gap_stretch *s)
{
	int64_t from_ns = piece->start_ns > s->start_ns ? piece->start_ns : s->start_ns;
	int64_t to_ns = piece->end_ns < s->end_ns ? piece->end_ns : s->end_ns;

	return to_ns - from_ns;
}

int gap_stretch_blame(const struct gap_profile *p, const struct gap_stretch *s,
		      struct gap_row *out, struct err *err)
{
	const struct gap *g = &p->blame.gaps.items[s->gap];
	struct gap_sums sums = { .n = 0 }, totals = { .n = 0 };
	struct gap_row *rows;
	int rc = 0;

	for (uint32_t i = 0; rc >= 0 && i < g->npieces; i++) {
		struct gap_piece piece = gap_profile_piece(p, g->first_piece + i);
		int64_t ns = common_ns(&piece, s);
		rc = gap_profile_wants_piece(p, &piece, err);
		if (rc <= 0 || ns <= 0)
			continue;
		struct gap_sum of = { .blamed = piece.blamed, .cause = piece.cause };
		gap_sums_add(&sums, &of, s->gap, ns, false);
		of = (struct gap_sum){ .blamed = TEXT_NONE };
		gap_sums_add(&totals, &of, s->gap, ns, false);
	}
	size_t n = gap_rows_make(&sums, &totals, p->texts, GAP_LARGEST, &rows);
	if (n)
		*out = rows[0];
	free(rows);
	gap_sums_release(&sums);
	gap_sums_release(&totals);
	return rc < 0 ? -1 : n > 0;
}

uint32_t gap_stretch_piece(const struct gap_profile *p, const struct gap_stretch *s,
			   const struct gap_sum *of)
{
	const struct gap *g = &p->blame.gaps.items[s->gap];
	uint32_t longest = UINT32_MAX;
	int64_t longest_ns = 0;

	for (uint32_t i = 0; i < g->npieces; i++) {
		uint32_t at = g->first_piece + i;
		struct gap_piece piece = gap_profile_piece(p, at);
		int64_t ns = common_ns(&piece, s);
		if (piece.cause != of->cause || piece.blamed != of->blamed ||
		    ns <= longest_ns)
			continue;
		longest = at;
		longest_ns = ns;
	}
	return longest;
}

size_t gap_stretch_step(const struct gap_profile *p, const struct gap_stretch *s)
{
	int64_t from_ns = s->start_ns, most_ns = 0;
	size_t step = GAP_NO_STEP;
	struct gap_part part;

	while (gap_range_next(&p->range, &from_ns, s->end_ns, &part)) {
		if (part.end_ns - part.start_ns <= most_ns)
			continue;
		most_ns = part.end_ns - part.start_ns;
		step = part.step;
	}
	return step;
}
