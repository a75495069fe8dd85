/* Device work, profile by profile: see work_profiles.h. */
#include "query/devices/work_profiles.h"

#include "query/devices/work_filter.h"

int work_profile_load(struct work_profile *p, struct text_pool *texts, struct err *err)
{
	p->windows = (struct step_windows){ .n = 0 };
	p->bounds = (struct step_bounds){ .n = 0 };
	if (device_work_load(p->store, texts, p->profile, true, &p->work, err) < 0 ||
	    step_windows_load(p->store, p->profile, &p->work, &p->windows, err) < 0)
		return -1;
	step_bounds_make(&p->windows, &p->work, BOUNDS_TENSORBOARD, &p->bounds);
	return 0;
}

void work_profile_release(struct work_profile *p)
{
	step_bounds_release(&p->bounds);
	step_windows_release(&p->windows);
	device_work_release(&p->work);
}

static int visit_one(struct work_profile *p, const struct work_visitor *visitor,
		     struct text_pool *texts, struct work_filter *filter, bool *has_work,
		     struct err *err)
{
	int rc = work_profile_load(p, texts, err);

	if (rc == 0 && p->work.n > 0) {
		*has_work = true;
		rc = work_filter_items(filter, &p->work, err);
		if (rc == 0)
			rc = visitor->visit(visitor->to, p, err);
	}
	work_profile_release(p);
	return rc;
}

int work_profiles_visit(struct store *store, const struct scope *scope,
			const struct filter *filter, const struct work_visitor *visitor,
			struct err *err)
{
	struct text_pool texts;
	struct work_filter choice = { .filter = NULL };
	bool has_work = false;
	int made = 0, rc = text_pool_open(store, &texts, err);

	if (rc == 0)
		rc = work_filter_open(store, scope, filter, &texts, &choice, err);
	for (size_t i = 0; i < scope->n && rc >= 0; i++) {
		struct work_profile p = { .store = store,
					  .profile = &scope->profiles[i],
					  .filter = filter,
					  .texts = &texts };
		rc = visit_one(&p, visitor, &texts, &choice, &has_work, err);
		made += rc > 0;
	}
	work_filter_close(&choice);
	text_pool_close(&texts);
	if (rc < 0)
		return -1;
	return made       ? 0
	       : has_work ? err_set(err, ERR_EMPTY, "no device work matches")
			  : device_work_lacks(store, scope, err);
}

static struct cell number_or_text(int64_t number, const char *text)
{
	return number != NUMBER_NONE ? cell_int(number) : cell_text_or_null(text);
}

struct cell work_device_cell(const struct work_device *device)
{
	return number_or_text(device->device, device->name);
}

struct cell work_stream_cell(const struct work_stream *stream)
{
	return number_or_text(stream->stream, stream->name);
}
