/* What rules judge by, from summaries: see advise_stored.h. */
#include "query/advise/advise_stored.h"

#include "base/alloc.h"
#include "base/array.h"
#include "query/devices/device_rows.h"
#include "query/query.h"

static const struct filter no_filter = { .focus = NULL };

int advise_stored_open(struct store *store, const struct scope *scope,
		       struct text_pool *texts, struct advise_stored *out,
		       struct err *err)
{
	*out = (struct advise_stored){ .devices = memtable_new(NULL, NDEVICE_COLUMNS) };
	if (summary_reader_open(store, texts, &out->reader, err) < 0)
		return -1;
	if (device_rows(store, scope, &no_filter, out->devices, err) == 0)
		return 0;
	if (err->kind != ERR_EMPTY) /* the CPU's recordings have none */
		return -1;
	*err = (struct err)ERR_INIT;
	return 0;
}

void advise_stored_close(struct advise_stored *s)
{
	summary_reader_close(&s->reader);
	if (s->devices)
		table_free(&s->devices->table);
	s->devices = NULL;
}

/* At most so many of its pieces ran in steps: these tell the pieces of all devices. */
static size_t pieces_of(const struct advise_facts *f, const struct cell *row)
{
	size_t all = (size_t)part_int(row[DEVICE_EVENTS], 0), in_steps = 0;

	if (!f->steps.nprofiles)
		return all;
	const struct step_bounds *bounds = &f->steps.profiles[0].bounds;
	for (size_t i = 0; i < bounds->n; i++)
		in_steps += bounds->items[i].nwork;
	return in_steps < all ? in_steps : all;
}

static void add_device(struct advise_facts *f, const struct cell *row, size_t *cap)
{
	struct device_work *work = &f->work.work;
	struct cell number = row[DEVICE_NUMBER];
	size_t n = work->ndevices + 1;

	if (n > *cap) {
		*cap = n * 2;
		work->devices =
			xrealloc_array(work->devices, *cap, sizeof(*work->devices));
		f->uses = xrealloc_array(f->uses, *cap, sizeof(*f->uses));
	}
	work->devices[n - 1] = (struct work_device){
		.device = number.type == CELL_INT ? number.as.integer : NUMBER_NONE,
		.name = number.type == CELL_TEXT ? arena_copy(&f->arena, number.as.text).p
						 : NULL,
	};
	f->uses[n - 1] = (struct fact_use){
		.busy_ns = part_int(row[DEVICE_BUSY_IN_STEPS], 0),
		.pieces = pieces_of(f, row),
	};
	f->has_collectives |= part_int(row[DEVICE_COMMUNICATION], 0) > 0;
	work->ndevices = n;
}

static void load_devices(struct advise_facts *f)
{
	const struct memtable *rows = f->stored->devices;
	size_t cap = 0;

	for (size_t i = 0; i < rows->nrows; i++)
		if (part_int(memtable_row(rows, i)[DEVICE_PROFILE], -1) == f->profile->id)
			add_device(f, memtable_row(rows, i), &cap);
	for (size_t i = 0; i < f->work.work.ndevices; i++)
		f->uses[i].is_at_most = f->steps.nprofiles && f->work.work.ndevices > 1;
	if (!f->uses)
		f->uses = xcalloc(1, sizeof(*f->uses));
	f->has_work = true;
}

/* The steps of the store; without any what the summary calls the whole recording. */
static int load_window(struct advise_facts *f, struct err *err)
{
	struct step_windows *w = &f->window.steps;

	if (step_windows_recorded(f->store, f->profile, w, err) < 0)
		return -1;
	if (w->n || !f->steps.nprofiles || !f->steps.profiles[0].bounds.n)
		return 0;
	const struct step_bound *all = &f->steps.profiles[0].bounds.items[0];
	*ARRAY_PUSH(w->items, w->n, w->cap) = (struct step_window){
		.start_ns = all->start_ns,
		.end_ns = all->end_ns,
		.host = { all->start_ns, all->end_ns },
		.told = step_told_nothing(),
	};
	w->is_single = true;
	return 0;
}

static int load_steps(struct advise_facts *f, struct err *err)
{
	static const struct steps_request request = { .filter = &no_filter };
	const struct step_source from = { f->store, f->texts, f->profile };
	int rc = steps_add_stored(&f->stored->reader, &from, &request, 0, &f->steps, err);

	if (rc > 0)
		steps_sum_up(&f->steps);
	f->has_steps = true;
	return rc < 0 ? -1 : 0;
}

int advise_stored_load(struct advise_facts *f, struct err *err)
{
	struct summary_reader *reader = &f->stored->reader;

	f->has_rows = summary_has(reader, f->profile, &summary_steps) &&
		      summary_has(reader, f->profile, &summary_devices);
	if (facts_read_profile(f, err) < 0 || load_steps(f, err) < 0 ||
	    load_window(f, err) < 0)
		return -1;
	load_devices(f);
	facts_set_window(f);
	f->work.windows.is_single = f->window.is_single;
	return 0;
}
