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

int work_profile_of_summary(struct summary_source *from, struct work_profile *out,
			    struct err *err)
{
	static const struct filter all = { .has_steps = false };
	const struct device_work *work = summary_work(from, err);

	*out = (struct work_profile){ .store = from->store,
				      .profile = from->profile,
				      .filter = &all,
				      .texts = from->texts };
	if (!work)
		return -1;
	out->work = *work;
	if (step_windows_load(out->store, out->profile, work, &out->windows, err) < 0)
		return -1;
	step_bounds_make(&out->windows, work, BOUNDS_TENSORBOARD, &out->bounds);
	return 0;
}

void work_profile_release_summary(struct work_profile *p)
{
	p->work = (struct device_work){ .n = 0 };
	work_profile_release(p);
}

/* 1 when there are rows in place of work, if only none; 0; -1.  Adds to *made. */
static int visit_rows(struct summary_reader *reader, const struct scope_profile *profile,
		      const struct work_visitor *visitor, int *made, bool *has_work,
		      struct err *err)
{
	struct part_rows rows;

	if (!summary_has(reader, profile, visitor->summary))
		return 0;
	int rc = summary_read(reader, profile, visitor->summary, &rows, err);
	if (rc == 0 && rows.n) {
		*has_work = true;
		rc = visitor->visit_rows(visitor->to, profile, &rows, err);
		*made += rc > 0;
	}
	part_rows_release(&rows);
	return rc < 0 ? -1 : 1;
}

int work_profiles_visit(struct store *store, const struct scope *scope,
			const struct filter *filter, const struct work_visitor *visitor,
			struct err *err)
{
	struct text_pool texts;
	struct work_filter choice = { .filter = NULL };
	struct summary_reader reader = { .n = 0 };
	bool has_work = false;
	int made = 0, rc = text_pool_open(store, &texts, err);

	if (rc == 0 && visitor->summary && !filter_is_given(filter))
		rc = summary_reader_open(store, &texts, &reader, err);
	if (rc == 0)
		rc = work_filter_open(store, scope, filter, &texts, &choice, err);
	for (size_t i = 0; i < scope->n && rc >= 0; i++) {
		struct work_profile p = { .store = store,
					  .profile = &scope->profiles[i],
					  .filter = filter,
					  .texts = &texts };
		rc = reader.n ? visit_rows(&reader, p.profile, visitor, &made, &has_work,
					   err)
			      : 0;
		if (rc == 0) {
			rc = visit_one(&p, visitor, &texts, &choice, &has_work, err);
			made += rc > 0;
		}
	}
	work_filter_close(&choice);
	summary_reader_close(&reader);
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
