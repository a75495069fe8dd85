/* Slices for a comparison, one by one: by their exact names, or labels alone. */
#include "query/diff/diff_load.h"
#include "query/slices/slices.h"
#include "trace/fact.h"

#define BLOCK 4096

bool diff_is_label(struct str name)
{
	return !str_starts_with(name, STR_LIT("ProfilerStep#")) &&
	       !str_is(name, "ProfilerStep*"); /* all of them, in summaries */
}

struct naming {
	const struct diff_loading *l;
	struct slices *slices;
	bool labels; /* those of record_function alone */
};

/* Instants, and what counts memory, take no time; a step is no label. */
static bool is_meant(const struct naming *n, const struct slice_row *row, struct str name)
{
	if (row->is_instant || row->class == CLASS_MEMORY)
		return false;
	return !n->labels || (row->class == CLASS_ANNOTATION && diff_is_label(name));
}

static int64_t amount_of(const struct slice_row *row, enum diff_metric metric)
{
	bool is_work = row->class >= 0 && row->class < NCLASSES &&
		       class_is_device_work((enum slice_class)row->class);

	if (metric == DIFF_CALLS)
		return 1;
	return metric == DIFF_SELF && !is_work ? row->self_ns : row->dur_ns;
}

static int add_slice(const struct naming *n, const struct slices_track *track,
		     const struct slice_row *row, struct err *err)
{
	struct diff_place place = { .profile_id = track->profile->id };
	struct str name;
	int wanted = slices_is_wanted(n->slices, row, err);

	if (wanted <= 0)
		return wanted;
	if (slices_text(n->slices, row->name_id, &name, err) < 0)
		return -1;
	if (!is_meant(n, row, name))
		return 0;
	place.in_step = slices_step(n->slices, row, &place.step);
	diff_loading_add(n->l, name, place, 1, amount_of(row, n->l->metric));
	return 0;
}

static int add_track(const struct naming *n, const struct slices_track *track,
		     struct err *err)
{
	struct slice_row rows[BLOCK];
	int64_t id = track->first_id, end = track->first_id + track->slices;

	while (id < end) {
		int got = slices_read(n->slices, track, id, rows, BLOCK, err);
		if (got <= 0)
			return got;
		for (int i = 0; i < got; i++)
			if (add_slice(n, track, &rows[i], err) < 0)
				return -1;
		id = rows[got - 1].id + 1;
	}
	return 0;
}

static int load(const struct diff_loading *l, bool labels, const char *nothing,
		struct err *err)
{
	struct naming n = { .l = l, .labels = labels };
	size_t before = l->to->n;
	int rc = 0;

	if (slices_open(l->store, l->scope, l->filter, &n.slices, err) < 0)
		return -1;
	for (size_t i = 0; i < n.slices->ntracks && rc == 0; i++)
		if (n.slices->tracks[i].is_wanted && !n.slices->tracks[i].is_apart)
			rc = add_track(&n, &n.slices->tracks[i], err);
	slices_close(n.slices);
	if (rc == 0 && l->to->n == before)
		rc = err_set(err, ERR_EMPTY, "%s", nothing);
	return rc;
}

int diff_load_names(const struct diff_loading *l, struct err *err)
{
	return load(l, false, "no slice was recorded, or none matches", err);
}

int diff_load_label_slices(const struct diff_loading *l, struct err *err)
{
	return load(l, true, "no label (record_function) was recorded, or none matches",
		    err);
}
