/* Steps in numbers: see step_parts.h. */
#include "query/steps/step_parts.h"

/* When any device did work of these kinds: a set. */
static void union_of_devices(const struct device_work *work, unsigned kinds,
			     struct intervals *out)
{
	*out = (struct intervals){ .n = 0 };
	for (size_t i = 0; i < work->n; i++)
		if (WORK_BIT(work->items[i].kind) & kinds)
			intervals_add(out, work->items[i].start_ns,
				      work->items[i].end_ns);
	intervals_unite(out);
}

/* Moves what of `slots` is in the set to *part. */
static void take(struct intervals *slots, const struct intervals *set,
		 struct intervals *part)
{
	struct intervals left;

	intervals_intersect(slots, set, part);
	intervals_subtract(slots, set, &left);
	intervals_release(slots);
	*slots = left;
}

static void take_work(struct intervals *slots, const struct device_work *work,
		      enum work_kind kind, struct intervals *part)
{
	struct intervals set;

	union_of_devices(work, WORK_BIT(kind), &set);
	take(slots, &set, part);
	intervals_release(&set);
}

/* Kernels of collectives, and what the host says to be one. */
static void take_communication(struct intervals *slots, const struct device_work *work,
			       const struct step_host *host, struct intervals *part)
{
	struct intervals kernels, set;

	union_of_devices(work, WORK_BIT(WORK_COMMUNICATION), &kernels);
	intervals_join(&kernels, &host->parts[PART_COMMUNICATION], &set);
	take(slots, &set, part);
	intervals_release(&set);
	intervals_release(&kernels);
}

void step_parts_make(const struct step_bounds *bounds, const struct device_work *work,
		     const struct step_host *host, struct step_parts *out)
{
	struct intervals slots = { .n = 0 };
	struct intervals *parts = out->parts;

	for (size_t i = 0; i < bounds->n; i++)
		intervals_add(&slots, bounds->items[i].start_ns, bounds->items[i].end_ns);
	intervals_unite(&slots);
	take_work(&slots, work, WORK_COMPUTE, &parts[STEP_KERNEL]);
	take_work(&slots, work, WORK_MEMCPY, &parts[STEP_MEMCPY]);
	take_work(&slots, work, WORK_MEMSET, &parts[STEP_MEMSET]);
	take_communication(&slots, work, host, &parts[STEP_COMMUNICATION]);
	take(&slots, &host->parts[PART_RUNTIME], &parts[STEP_RUNTIME]);
	take(&slots, &host->parts[PART_DATA_LOADING], &parts[STEP_DATA_LOADING]);
	take(&slots, &host->parts[PART_OPERATORS], &parts[STEP_OPERATORS]);
	parts[STEP_OTHER] = slots;
}

void step_parts_release(struct step_parts *p)
{
	for (int i = 0; i < NSTEP_CATEGORIES; i++)
		intervals_release(&p->parts[i]);
}

void step_parts_of(const struct step_parts *p, const struct step_bound *step,
		   int64_t ns[NSTEP_CATEGORIES])
{
	for (int i = 0; i < NSTEP_CATEGORIES; i++)
		ns[i] = intervals_length_within(&p->parts[i], step->start_ns,
						step->end_ns);
}

void device_parts_make(const struct device_work *work, const struct work_device *device,
		       struct device_parts *out)
{
	struct intervals comm, memory, copies;

	device_work_union(work, device, WORK_BIT(WORK_COMPUTE),
			  &out->parts[VIEW_COMPUTE]);
	device_work_union(work, device, WORK_BIT(WORK_COMMUNICATION), &comm);
	device_work_union(work, device, WORK_MEMORY, &memory);
	intervals_subtract(&comm, &out->parts[VIEW_COMPUTE],
			   &out->parts[VIEW_EXPOSED_COMM]);
	intervals_subtract(&memory, &out->parts[VIEW_COMPUTE], &copies);
	intervals_subtract(&copies, &comm, &out->parts[VIEW_EXPOSED_COPY]);
	intervals_release(&copies);
	intervals_release(&memory);
	intervals_release(&comm);
}

void device_parts_release(struct device_parts *p)
{
	for (int i = 0; i < NDEVICE_VIEWS; i++)
		intervals_release(&p->parts[i]);
}

void device_parts_of(const struct device_parts *p, const struct step_bound *step,
		     int64_t ns[NDEVICE_VIEWS])
{
	for (int i = 0; i < NDEVICE_VIEWS; i++)
		ns[i] = intervals_length_within(&p->parts[i], step->start_ns,
						step->end_ns);
}
