/* Filters on device work: see work_filter.h. */
#include "query/work_filter.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"

#define STREAM_WORD   "stream "
#define STREAM_DIGITS 18 /* that many always fit into int64 */

int64_t work_stream_number(const struct work_stream *stream)
{
	struct str name = str_of(stream->name ? stream->name : "");
	int64_t number = 0;

	if (stream->stream != NUMBER_NONE)
		return stream->stream;
	if (!str_starts_with(name, str_of(STREAM_WORD)))
		return NUMBER_NONE;
	struct str digits = str_behind(name, strlen(STREAM_WORD));
	if (digits.n == 0 || digits.n > STREAM_DIGITS)
		return NUMBER_NONE;
	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return NUMBER_NONE;
		number = number * 10 + (digits.p[i] - '0');
	}
	return number;
}

int work_filter_check(const struct filter *filter, struct err *err)
{
	if (filter->threads.n)
		return err_set(
			err, ERR_USAGE,
			"--thread chooses host threads, and device work is on none: "
			"--stream and --device choose it");
	if (filter->categories.n)
		return err_set(err, ERR_USAGE,
			       "--cat does not choose device work here: --focus chooses "
			       "it by its name ('^Memcpy', 'nccl')");
	return 0;
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

/* What a regular expression says of a name is asked once for each name. */
struct name_memo {
	const struct filter *filter;
	const struct text_pool *texts;
	uint8_t *known; /* owned; by text: 0, or 1 + whether it is wanted */
	size_t cap;
};

static int has_name(struct name_memo *m, uint32_t name, struct err *err)
{
	size_t at = name == TEXT_NONE ? 0 : (size_t)name + 1;

	if (at >= m->cap) {
		size_t old = m->cap;
		m->known = xgrow(m->known, &m->cap, at + 1, 1);
		memset(m->known + old, 0, m->cap - old);
	}
	if (!m->known[at]) {
		int rc = filter_has_name(m->filter, text_pool_str(m->texts, name), err);
		if (rc < 0)
			return -1;
		m->known[at] = (uint8_t)(1 + rc);
	}
	return m->known[at] - 1;
}

/* Numbers of steps by their ids. */
static int by_id(const void *a, const void *b)
{
	const struct step_bound *x = *(const struct step_bound *const *)a;
	const struct step_bound *y = *(const struct step_bound *const *)b;

	return (x->step_id > y->step_id) - (x->step_id < y->step_id);
}

static const struct step_bound **sort_steps(const struct step_bounds *bounds)
{
	const struct step_bound **steps =
		xrealloc_array(NULL, bounds->n + 1, sizeof(const struct step_bound *));

	for (size_t i = 0; i < bounds->n; i++)
		steps[i] = &bounds->items[i];
	if (bounds->n)
		qsort(steps, bounds->n, sizeof(const struct step_bound *), by_id);
	return steps;
}

static bool has_step(const struct filter *filter, const struct step_bound **steps,
		     size_t n, int64_t step_id)
{
	const struct step_bound key = { .step_id = step_id }, *at = &key;

	if (!filter->has_steps)
		return true;
	if (!step_id || n == 0)
		return false;
	const struct step_bound **found =
		bsearch(&at, steps, n, sizeof(const struct step_bound *), by_id);
	return found && filter_has_step(filter, (*found)->number, true);
}

static bool is_on(const struct filter_numbers *wanted, int64_t number)
{
	return !wanted->n || (number != NUMBER_NONE && filter_has_number(wanted, number));
}

static bool has_place(const struct device_work *work, const struct filter *filter,
		      const struct work_item *item)
{
	const struct work_stream *stream = &work->streams[item->stream];

	return is_on(&filter->streams, work_stream_number(stream)) &&
	       is_on(&filter->devices, work->devices[stream->device].device) &&
	       filter_has_dur(filter, sum_sub(item->end_ns, item->start_ns));
}

int work_filter_items(struct device_work *work, const struct text_pool *texts,
		      const struct step_bounds *bounds, const struct filter *filter,
		      struct err *err)
{
	struct name_memo names = { .filter = filter, .texts = texts };
	const struct step_bound **steps = sort_steps(bounds);
	struct keeping k;
	int rc = 0;

	begin_keeping(work, &k);
	for (size_t d = 0; d < work->ndevices && rc >= 0; d++) {
		struct work_device *device = &work->devices[d];
		size_t first = k.n;
		for (size_t i = device->first; i < device->first + device->n; i++) {
			const struct work_item item = work->items[i];
			rc = has_name(&names, item.name, err);
			if (rc < 0)
				break;
			if (rc && has_place(work, filter, &item) &&
			    has_step(filter, steps, bounds->n, item.step_id))
				keep(&k, item);
		}
		device->first = first;
		device->n = k.n - first;
	}
	work->n = k.n;
	free(steps);
	free(names.known);
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
