/* A thread of Firefox's profiler: its samples. */
#include "base/decimal.h"
#include "base/sum.h"
#include "ingest/gecko.h"

struct thread {
	struct gecko_tables tables;
	struct gecko_samples samples;
	struct sample_thread_fact fact;
	struct str table; /* of samples; n 0: there is none */
};

/* "4242" and "4242.1", as samply tells processes of one id apart; numbers too. */
static int64_t id_of(const struct json_value *value)
{
	struct str text = value->text;
	size_t n = 0;
	int64_t id;

	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	text.n = n;
	return n && decimal_text_int(text, &id) == DECIMAL_OK ? id : NUMBER_NONE;
}

static int name_of(struct gecko *g, const struct json_value *value, uint32_t *name,
		   struct err *err)
{
	if (value->type != JSON_STRING || value->text.n == 0)
		return 0;
	buf_clear(&g->name);
	return stacks_text(&g->stacks, json_unescape(value->text, &g->name),
			   (uint64_t)(value->text.p - g->text.p), name, err);
}

/* An empty table is short, and says so whatever its spelling. */
static bool has_rows(struct str table)
{
	char text[4096];
	size_t n = 0;

	if (table.n >= sizeof(text))
		return true;
	for (size_t i = 0; i < table.n; i++)
		if (!json_is_blank(table.p[i]))
			text[n++] = table.p[i];
	struct str tight = { text, n };
	return !str_contains(tight, STR_LIT("\"length\":0")) &&
	       !str_contains(tight, STR_LIT("\"data\":[]"));
}

static int take_member(struct gecko *g, struct str key, const struct json_value *value,
		       void *to, struct err *err)
{
	struct thread *t = to;

	if (str_is(key, "pid"))
		t->fact.pid = id_of(value);
	else if (str_is(key, "tid"))
		t->fact.tid = id_of(value);
	else if (str_is(key, "name"))
		return name_of(g, value, &t->fact.thread, err);
	else if (str_is(key, "processName"))
		return name_of(g, value, &t->fact.process, err);
	else if (str_is(key, "samples") && value->type == JSON_OBJECT)
		t->table = value->text;
	else if (str_is(key, "markers") && value->type == JSON_OBJECT)
		g->has_markers |= has_rows(value->text);
	else if ((str_is(key, "nativeAllocations") || str_is(key, "jsAllocations")) &&
		 value->type == JSON_OBJECT)
		g->has_allocations |= has_rows(value->text);
	else
		return gecko_take_table(g, &t->tables, key, value, err);
	return 0;
}

static int tell_sample(struct gecko *g, struct thread *t, struct sample_fact *sample,
		       size_t i, struct err *err)
{
	const struct gecko_column *times = &t->samples.time_ns;

	if (gecko_stack(g, &t->tables, t->samples.stack.at[i], &sample->stack, err) < 0)
		return -1;
	sample->ts_ns = i < times->n ? times->at[i] : NUMBER_NONE;
	g->nsamples++;
	return g->stacks.sink->sample(g->stacks.sink, sample, err);
}

static uint32_t begin_series(struct gecko *g, const struct thread *t, const char *mode,
			     enum sample_unit unit)
{
	const struct series_fact fact = { .name = t->fact.thread,
					  .measure = TEXT_NONE,
					  .mode = mode,
					  .unit = unit,
					  .is_default = !mode,
					  .is_ordered = true,
					  .start_at = NUMBER_NONE,
					  .end_at = NUMBER_NONE };

	return g->stacks.sink->series(g->stacks.sink, SAMPLE_NONE, &fact);
}

/* A sample is one where weights do not say otherwise. */
static int tell_weights(struct gecko *g, struct thread *t, struct sample_fact *sample,
			struct err *err)
{
	const struct gecko_column *weights = &t->samples.weight;

	sample->series = begin_series(g, t, NULL, t->samples.unit);
	for (size_t i = 0; i < t->samples.stack.n; i++) {
		sample->weight = weights->n ? weights->at[i] : 1;
		if (sample->weight == NUMBER_NONE)
			sample->weight = 1;
		sample->samples =
			t->samples.unit == SAMPLE_COUNT ? sample->weight : NUMBER_NONE;
		if (sample->weight < 0) {
			if (stacks_tell(&g->stacks, FINDING_WEIGHT_RANGE, sample->offset,
					STR_LIT(""), err) < 0)
				return -1;
			continue;
		}
		if (tell_sample(g, t, sample, i, err) < 0)
			return -1;
	}
	return 0;
}

/* What a thread ran on a CPU since the sample before is of the stack that is found then. */
static int tell_cpu(struct gecko *g, struct thread *t, struct sample_fact *sample,
		    struct err *err)
{
	const struct gecko_column *cpu = &t->samples.cpu;

	sample->series = SAMPLE_NONE;
	sample->samples = 1;
	for (size_t i = 0; i < t->samples.stack.n && i < cpu->n; i++) {
		if (cpu->at[i] == NUMBER_NONE || cpu->at[i] <= 0)
			continue;
		if (sample->series == SAMPLE_NONE)
			sample->series = begin_series(
				g, t, "cpu", g->is_cpu_cycles ? SAMPLE_COUNT : SAMPLE_NS);
		sample->weight = cpu->at[i];
		if (tell_sample(g, t, sample, i, err) < 0)
			return -1;
	}
	return 0;
}

static int tell_thread(struct gecko *g, struct thread *t, int64_t offset_ns,
		       struct err *err)
{
	struct sample_fact sample = { .offset = (uint64_t)(t->table.p - g->text.p) };

	if (gecko_take_samples(g, t->table, &t->samples, err) < 0)
		return -1;
	if (t->samples.stack.n == 0)
		return 0;
	if (!t->tables.has_strings && !g->shared->has_strings)
		return gecko_bad(g, t->table.p, "a thread has samples but no strings",
				 err);
	if (gecko_check(g, &t->tables, err) < 0)
		return -1;
	if (t->samples.weight.n && t->samples.weight.n != t->samples.stack.n)
		return err_at(err, sample.offset,
			      "a thread has %zu samples and %zu weights",
			      t->samples.stack.n, t->samples.weight.n);
	for (size_t i = 0; i < t->samples.time_ns.n; i++)
		if (t->samples.time_ns.at[i] != NUMBER_NONE)
			t->samples.time_ns.at[i] =
				sum_add(t->samples.time_ns.at[i], offset_ns);
	sample.thread = g->stacks.sink->sample_thread(g->stacks.sink, &t->fact);
	if (tell_weights(g, t, &sample, err) < 0)
		return -1;
	return tell_cpu(g, t, &sample, err);
}

int gecko_read_thread(struct gecko *g, struct str thread, int64_t offset_ns,
		      struct err *err)
{
	struct thread t = { .fact = { NUMBER_NONE, NUMBER_NONE, TEXT_NONE, TEXT_NONE } };

	g->thread_at = (uint64_t)(thread.p - g->text.p);
	int rc = gecko_members(g, thread, take_member, &t, err);
	if (rc == 0 && t.table.n)
		rc = tell_thread(g, &t, offset_ns, err);
	gecko_release_tables(&t.tables);
	gecko_release_samples(&t.samples);
	return rc;
}
