/*
 * Peaks of allocated memory for a comparison: a row for each device, as ptool memory has
 * it.  Where totals were not recorded there is none: what the level began with is not known.
 */
#include <inttypes.h>

#include "query/diff/diff_load.h"
#include "query/memory/memory_peak.h"
#include "trace/op_memory.h"

struct peaks {
	const struct diff_loading *l;
	const struct scope_profile *profile;
	struct diff_place place;
	struct buf name;
};

/* "cuda:0", "cuda:0 of rank 1"; of profiles without ranks their place in the run. */
static void name_row(struct peaks *p, const struct memory_device *device)
{
	const struct scope *scope = p->l->scope;

	buf_clear(&p->name);
	buf_add_text(&p->name, device->name);
	if (scope->n > 1 && p->profile->has_rank)
		buf_addf(&p->name, " of rank %" PRId64, p->profile->rank);
	else if (scope->n > 1)
		buf_addf(&p->name, " of profile %zu",
			 (size_t)(p->profile - scope->profiles) + 1);
}

static bool is_wanted_device(const struct filter *f, const struct memory_device *device)
{
	return f->devices.n == 0 || (!op_memory_is_cpu(device->type) &&
				     filter_has_number(&f->devices, device->index));
}

static int add_peak(void *to, const struct memory_device *device,
		    const struct memory_peak *peak, struct err *err)
{
	struct peaks *p = to;

	if (!device->has_totals || !is_wanted_device(p->l->filter, device))
		return 0;
	name_row(p, device);
	int has = filter_has_name(p->l->filter, buf_str(&p->name), err);
	if (has > 0)
		diff_loading_add(p->l, buf_str(&p->name), p->place, 1,
				 peak->allocated.bytes);
	return has < 0 ? -1 : 0;
}

/* Within the profile's first step when that alone is asked for. */
static int load_profile(struct peaks *p, struct err *err)
{
	const struct diff_loading *l = p->l;
	struct filter filter = *l->filter; /* what it owns is borrowed */

	p->place = (struct diff_place){ .profile_id = p->profile->id };
	if (l->steps) {
		const struct diff_step *step =
			diff_steps_of_profile(l->steps, p->profile->id);
		if (!step)
			return 0;
		filter.has_steps = true;
		filter.first_step = filter.last_step = step->number;
		p->place.step = step->number;
		p->place.in_step = true;
	}
	return memory_peak_each(l->store, p->profile, &filter, add_peak, p, err);
}

static int check_filter(const struct filter *f, struct err *err)
{
	if (!f->categories.n && !f->threads.n && !f->streams.n && !f->has_min_dur)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--by memory takes --focus, --ignore, --device, --step and --time "
		       "alone");
}

int diff_load_memory(const struct diff_loading *l, struct err *err)
{
	struct peaks p = { .l = l };
	size_t before = l->to->n;
	int rc = check_filter(l->filter, err);

	buf_init(&p.name, SIZE_MAX);
	for (size_t i = 0; i < l->scope->n && rc == 0; i++) {
		p.profile = &l->scope->profiles[i];
		rc = load_profile(&p, err);
	}
	buf_release(&p.name);
	if (rc == 0 && l->to->n == before)
		rc = err_set(err, ERR_EMPTY,
			     "no running total of memory was recorded "
			     "(profile_memory=True), or none matches");
	return rc;
}
