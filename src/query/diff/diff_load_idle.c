/* Idle time of devices for a comparison: a row for each cause, by the rules of ptool gaps. */
#include "query/diff/diff_load.h"
#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_ranks.h"

/* Where the newest piece of a cause was counted: a gap is one call, however it is cut. */
struct counted {
	uint32_t gap; /* and 1 */
	size_t step;
};

struct idling {
	const struct diff_loading *l;
	struct gap_profile gaps;
	struct counted counted[NGAP_CAUSES];
};

static void add_part(struct idling *i, const struct gap_piece *piece,
		     const struct gap_part *part)
{
	struct counted *last = &i->counted[piece->cause];
	bool is_new =
		last->gap != piece->gap + 1 || (i->l->steps && last->step != part->step);
	struct diff_place place = { .profile_id = i->gaps.profile->id,
				    .in_step = part->step != GAP_NO_STEP };

	if (place.in_step)
		place.step = i->gaps.range.steps[part->step].number;
	diff_loading_add(i->l, str_of(gap_causes[piece->cause].code), place, is_new,
			 i->l->metric == DIFF_CALLS ? is_new
						    : part->end_ns - part->start_ns);
	*last = (struct counted){ piece->gap + 1, part->step };
}

static int add_gap(struct idling *i, const struct gap *gap, struct err *err)
{
	for (uint32_t p = 0; p < gap->npieces; p++) {
		struct gap_piece piece =
			gap_profile_piece(&i->gaps, gap->first_piece + p);
		int64_t from_ns = piece.start_ns;
		struct gap_part part;
		int rc = gap_profile_wants_piece(&i->gaps, &piece, err);
		if (rc < 0)
			return -1;
		while (rc &&
		       gap_range_next(&i->gaps.range, &from_ns, piece.end_ns, &part))
			add_part(i, &piece, &part);
	}
	return 0;
}

static int load_profile(const struct diff_loading *l, struct gap_ranks *ranks,
			const struct scope_profile *profile, struct err *err)
{
	const struct gap_table_request request = { .filter = l->filter };
	struct idling i = { .l = l };
	int rc = gap_profile_load(l->store, profile, &request, ranks, &i.gaps, err);
	const struct gaps *gaps = &i.gaps.blame.gaps;

	for (size_t g = 0; rc == 0 && g < gaps->n; g++)
		if (gap_profile_wants(&i.gaps, &gaps->items[g]))
			rc = add_gap(&i, &gaps->items[g], err);
	gap_profile_release(&i.gaps);
	return rc;
}

int diff_load_idle(const struct diff_loading *l, struct err *err)
{
	struct text_pool texts;
	struct gap_ranks ranks = { .n = 0 };
	size_t before = l->to->n;
	int rc = text_pool_open(l->store, &texts, err);

	if (rc == 0)
		rc = gap_ranks_open(l->store, &texts, l->scope->profiles[0].run, &ranks,
				    err);

	for (size_t i = 0; i < l->scope->n && rc == 0; i++)
		rc = load_profile(l, &ranks, &l->scope->profiles[i], err);
	gap_ranks_close(&ranks);
	text_pool_close(&texts);
	if (rc == 0 && l->to->n == before)
		rc = err_set(err, ERR_EMPTY,
			     "no device was idle, or no device work was recorded "
			     "(ProfilerActivity.CUDA)");
	return rc;
}
