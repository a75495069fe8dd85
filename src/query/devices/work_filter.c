/* Filters on device work: see work_filter.h. */
#include "query/devices/work_filter.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"

int work_filter_check(const struct filter *filter, struct err *err)
{
	if (filter->categories.n || filter->threads.n)
		return err_set(err, ERR_USAGE,
			       "--cat and --thread choose slices of the host: 'ptool "
			       "list' and 'ptool top' show them");
	return 0;
}

int work_filter_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, const struct text_pool *texts,
		     struct work_filter *out, struct err *err)
{
	*out = (struct work_filter){ .filter = filter, .texts = texts };
	return step_numbers_load(store, scope, &out->steps, err);
}

void work_filter_close(struct work_filter *f)
{
	step_numbers_release(&f->steps);
	free(f->names);
	*f = (struct work_filter){ .filter = NULL };
}

/* What a regular expression says of a name is asked once for each name. */
static int has_name(struct work_filter *f, uint32_t name, struct err *err)
{
	size_t at = name == TEXT_NONE ? 0 : (size_t)name + 1;
	uint8_t *has = ARRAY_AT(f->names, f->names_cap, at);

	if (!*has) {
		int rc = filter_has_name(f->filter, text_pool_str(f->texts, name), err);
		if (rc < 0)
			return -1;
		*has = (uint8_t)(1 + rc);
	}
	return *has - 1;
}

static bool has_number(const struct filter_numbers *wanted, int64_t number)
{
	return !wanted->n || (number != NUMBER_NONE && filter_has_number(wanted, number));
}

static int wants_at_any_time(struct work_filter *f, const struct work_piece *piece,
			     struct err *err)
{
	const struct filter *filter = f->filter;

	if (!has_number(&filter->devices, piece->device) ||
	    !has_number(&filter->streams, piece->stream) ||
	    (filter->has_steps && piece->step == NUMBER_NONE) ||
	    !filter_has_dur(filter, piece->dur_ns))
		return 0;
	return has_name(f, piece->name, err);
}

int64_t work_filter_step(const struct work_filter *f, int64_t step_id)
{
	const struct step_number *step = step_numbers_at(&f->steps, step_id);

	return step && filter_has_step(f->filter, step->profile_id, step->number, true)
		       ? step->number
		       : NUMBER_NONE;
}

int work_filter_wants(struct work_filter *f, const struct work_piece *piece,
		      struct err *err)
{
	return filter_has_time(f->filter, piece->start_ns)
		       ? wants_at_any_time(f, piece, err)
		       : 0;
}

/* What is kept so far, while the items are moved together. */
struct keeping {
	struct device_work *work;
	size_t n;
};

static void begin_keeping(struct device_work *work, struct keeping *k)
{
	*k = (struct keeping){ .work = work };
	for (size_t i = 0; i < work->nstreams; i++)
		work->streams[i].nitems = 0;
}

static void keep(struct keeping *k, struct work_item item)
{
	k->work->items[k->n++] = item;
	k->work->streams[item.stream].nitems++;
}

static int wants_item(struct work_filter *f, const struct device_work *work,
		      const struct work_item *item, struct err *err)
{
	const struct work_stream *stream = &work->streams[item->stream];

	return wants_at_any_time(
		f,
		&(struct work_piece){ .name = item->name,
				      .device = work->devices[stream->device].device,
				      .stream = stream->stream,
				      .step = work_filter_step(f, item->step_id),
				      .dur_ns = sum_sub(item->end_ns, item->start_ns) },
		err);
}

int work_filter_items(struct work_filter *f, struct device_work *work, struct err *err)
{
	struct keeping k;
	int rc = 0;

	begin_keeping(work, &k);
	for (size_t d = 0; d < work->ndevices && rc >= 0; d++) {
		struct work_device *device = &work->devices[d];
		size_t first = k.n;
		for (size_t i = device->first; i < device->first + device->n; i++) {
			const struct work_item item = work->items[i];
			rc = wants_item(f, work, &item, err);
			if (rc < 0)
				break;
			if (rc)
				keep(&k, item);
		}
		device->first = first;
		device->n = k.n - first;
	}
	work->n = k.n;
	return rc < 0 ? -1 : 0;
}

/* Of the item in [from, to); false when it is not there at all. */
static bool clip(const struct filter *f, struct work_item *item)
{
	if (item->start_ns >= f->to_ns || item->end_ns < f->from_ns ||
	    (item->end_ns == f->from_ns && item->start_ns < f->from_ns))
		return false;
	if (item->start_ns < f->from_ns)
		item->start_ns = f->from_ns;
	if (item->end_ns > f->to_ns)
		item->end_ns = f->to_ns;
	return true;
}

void work_filter_times(struct device_work *work, const struct filter *filter)
{
	struct keeping k;

	if (!filter->has_times)
		return;
	begin_keeping(work, &k);
	for (size_t d = 0; d < work->ndevices; d++) {
		struct work_device *device = &work->devices[d];
		size_t first = k.n;
		for (size_t i = device->first; i < device->first + device->n; i++) {
			struct work_item item = work->items[i];
			if (clip(filter, &item))
				keep(&k, item);
		}
		device->first = first;
		device->n = k.n - first;
	}
	work->n = k.n;
}
