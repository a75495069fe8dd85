/* The list of checks, and how they tell: see health.h. */
#include "store/health.h"

#include "base/sum.h"
#include "store/health_sweep.h"

struct check {
	health_check *run;
	bool any_trace; /* else recordings of torch.profiler alone */
};

static const struct check checks[] = {
	{ health_device_work, false }, { health_launches, false },
	{ health_skew, false },        { health_graphs, false },
	{ health_unlaunched, false },  { health_device_rows, false },
	{ health_repeats, true },      { health_flags, false },
	{ health_rank, false },        { health_overhead, false },
	{ health_cover, false },
};

bool health_is_torch(const struct health *h)
{
	return h->m->profile.format && strcmp(h->m->profile.format, "pytorch") == 0;
}

int64_t health_device_slices(const struct health *h)
{
	int64_t n = 0;

	for (size_t c = CLASS_KERNEL; c <= CLASS_ACCELERATOR; c++)
		n += h->classes[c].n;
	return n;
}

int64_t health_device_ns(const struct health *h)
{
	int64_t time_ns = 0;

	for (size_t c = CLASS_KERNEL; c <= CLASS_ACCELERATOR; c++)
		time_ns = sum_add(time_ns, h->classes[c].time_ns);
	return time_ns;
}

double health_share(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : SHARE_NONE;
}

void health_tell_detail(struct health *h, enum finding finding, struct str detail,
			const struct tally *t, double share_pct)
{
	if (t->n == 0)
		return;
	struct finding_rec *f = model_finding(h->m, finding, t->offset, detail,
					      intern_str(h->m->texts, t->name));
	f->count = t->n;
	f->time_ns = t->time_ns;
	f->share_pct = share_pct;
}

void health_tell(struct health *h, enum finding finding, const struct tally *t,
		 double share_pct)
{
	health_tell_detail(h, finding, STR_LIT(""), t, share_pct);
}

void health_rows(struct model *m)
{
	struct health h;

	health_sweep(&h, m);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (checks[i].any_trace || health_is_torch(&h))
			checks[i].run(&h);
	health_release(&h);
}
