/* A stretch of a gap: see gap_stretch.h. */
#include "query/gaps/gap_stretch.h"

#include <stdlib.h>

int gap_stretch_blame(const struct gap_profile *p, struct gap_reader *reader,
		      const struct gap_stretch *s, struct gap_row *out, struct err *err)
{
	struct gap_sums sums = { .n = 0 }, totals = { .n = 0 };
	struct gap_amount amount;
	struct gap_row *rows;
	int rc = 0;

	gap_reader_seek(reader, &p->blame.gaps.items[s->gap], s->start_ns, s->end_ns);
	while (rc >= 0 && gap_reader_next(reader, &amount)) {
		rc = gap_profile_wants_blamed(p, amount.blamed, err);
		if (rc <= 0)
			continue;
		struct gap_sum of = { .blamed = amount.blamed, .cause = amount.cause };
		gap_sums_add(&sums, &of, s->gap, amount.ns, false);
		of = (struct gap_sum){ .blamed = TEXT_NONE };
		gap_sums_add(&totals, &of, s->gap, amount.ns, false);
	}
	size_t n = gap_rows_make(&sums, &totals, p->texts, GAP_LARGEST, &rows);
	if (n)
		*out = rows[0];
	free(rows);
	gap_sums_release(&sums);
	gap_sums_release(&totals);
	return rc < 0 ? -1 : n > 0;
}

bool gap_stretch_longest(const struct gap_profile *p, struct gap_reader *reader,
			 const struct gap_stretch *s, const struct gap_sum *of,
			 struct gap_amount *out)
{
	struct gap_amount amount;

	out->longest_ns = 0;
	gap_reader_seek(reader, &p->blame.gaps.items[s->gap], s->start_ns, s->end_ns);
	while (gap_reader_next(reader, &amount)) {
		if (amount.cause != of->cause || amount.blamed != of->blamed ||
		    amount.longest_ns < out->longest_ns)
			continue;
		if (amount.longest_ns > out->longest_ns ||
		    amount.of->start_ns < out->of->start_ns)
			*out = amount;
	}
	return out->longest_ns > 0;
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
