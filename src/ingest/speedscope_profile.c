/*
 * A profile of a speedscope file: its members, in any order.  Lists may come before the
 * unit that their numbers are in, or the name and start that the first sample needs: their
 * text is then kept until these are known.  Stacks and
 * weights are speedscope_sampled.c, events speedscope_evented.c.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/decimal.h"
#include "base/spill.h"
#include "ingest/speedscope_profile.h"

#define TID_TEXT 32
#define NTEXTS   5  /* buffers of a profile */
#define FIRST    7U /* bits of the three members that the first sample needs */

static const char *const modes[] = { "wall", "cpu", "gil", "allocation" };
#define NMODES (sizeof(modes) / sizeof(*modes))

/*
 * What was measured: all of the text, or as ptool export puts it before that of a thread.
 * Other programs say so of what is not: "CPU profile", and "Allocation" of another unit.
 */
static const char *mode_of(struct str name)
{
	for (size_t i = 0; i < NMODES - 1; i++) {
		size_t n = strlen(modes[i]), k = 0;
		struct str rest = str_behind(name, n < name.n ? n : name.n);
		if (name.n < n ||
		    (rest.n && !str_starts_with(rest, STR_LIT(" Thread ")) &&
		     !str_starts_with(rest, STR_LIT(" Process "))))
			continue;
		while (k < n && (name.p[k] | 0x20) == modes[i][k])
			k++;
		if (k == n)
			return modes[i];
	}
	return NULL;
}

/* The member that ptool export writes. */
static const char *written_mode(struct str text)
{
	size_t i = 0;

	while (i < NMODES && !str_is(text, modes[i]))
		i++;
	return i < NMODES ? modes[i] : NULL;
}

/* "Thread 7 "MainThread"" and "Process 4 Thread 7 "name"" of py-spy. */
static int find_thread(struct speedscope_profile *p, struct err *err)
{
	struct stacks *stacks = &p->s->stacks;
	struct sample_thread_fact thread = { NUMBER_NONE, NUMBER_NONE, TEXT_NONE,
					     TEXT_NONE };
	struct str text = buf_str(&p->name), name = { .n = 0 };
	const struct {
		struct str word;
		int64_t *number;
	} parts[] = { { STR_LIT("Process "), &thread.pid },
		      { STR_LIT("Thread "), &thread.tid } };

	const char *mode = mode_of(text);

	p->thread = SAMPLE_NONE;
	if (mode && text.n > strlen(mode)) /* as ptool export puts it before */
		text = str_behind(text, strlen(mode) + 1);
	for (int i = 0; i < 2; i++) {
		size_t n = parts[i].word.n, end = n;
		if (!str_starts_with(text, parts[i].word))
			continue;
		while (end < text.n && text.p[end] != ' ')
			end++;
		char digits[TID_TEXT] = { 0 };
		if (end == n || end - n > TID_TEXT)
			return 0;
		memcpy(digits, text.p + n, end - n);
		if (!decimal_id((struct str){ digits, end - n }, parts[i].number))
			return 0;
		text = str_behind(text, end + (end < text.n));
	}
	if (thread.tid == NUMBER_NONE)
		return 0;
	if (text.n > 2 && text.p[0] == '"' && text.p[text.n - 1] == '"')
		name = (struct str){ text.p + 1, text.n - 2 };
	if (name.n &&
	    stacks_text(stacks, name, json_stream_at(&p->s->in), &thread.thread, err) < 0)
		return -1;
	p->thread = stacks->sink->sample_thread(stacks->sink, &thread);
	return 0;
}

/* Before its first sample, and again behind all of the profile. */
static int tell_series(struct speedscope_profile *p, struct err *err)
{
	struct sink *sink = p->s->stacks.sink;
	struct series_fact *fact = &p->series.fact;

	*fact = (struct series_fact){ .name = TEXT_NONE,
				      .measure = TEXT_NONE,
				      .mode = p->mode ? p->mode
						      : mode_of(buf_str(&p->name)),
				      .unit = p->unit->unit,
				      .is_ordered = true,
				      .is_evented = p->has_events,
				      .start_at = NUMBER_NONE,
				      .end_at = NUMBER_NONE };
	if (p->name.n && stacks_text(&p->s->stacks, buf_str(&p->name),
				     json_stream_at(&p->s->in), &fact->name, err) < 0)
		return -1;
	speedscope_whole(p, &p->start, &fact->start_at);
	speedscope_whole(p, &p->end, &fact->end_at);
	p->series.number = sink->series(sink, p->series.number, fact);
	return 0;
}

/* The first sample needs a series, a thread and where time begins. */
static int begin(struct speedscope_profile *p, struct err *err)
{
	if (p->series.number != SAMPLE_NONE)
		return 0;
	if (!p->unit)
		return json_stream_bad(&p->s->in, "a profile without a unit", err);
	if (find_thread(p, err) < 0 || tell_series(p, err) < 0)
		return -1;
	if (p->has_weights)
		speedscope_whole(p, &p->start, &p->at);
	return 0;
}

int speedscope_tell(struct speedscope_profile *p, uint32_t stack,
		    const struct speedscope_number *weight, uint64_t offset,
		    struct err *err)
{
	struct sink *sink = p->s->stacks.sink;
	const struct sample_fact sample = {
		.series = p->series.number,
		.thread = p->thread,
		.stack = stack,
		.samples = p->has_events ? NUMBER_NONE : 1,
		.weight = weight->value,
		.decimals = weight->decimals,
		.ts_ns = p->unit->unit == SAMPLE_NS ? p->at : NUMBER_NONE,
		.offset = offset,
	};

	p->s->nsamples++;
	return sink->sample(sink, &sample, err);
}

typedef int read_fn(struct speedscope_profile *p, struct err *err);

static int read_list(struct speedscope_profile *p, read_fn *read, const char *what,
		     struct err *err)
{
	int rc = json_stream_enter(&p->s->in, '[', what, err);

	for (bool first = true; rc > 0; first = false) {
		int more = json_stream_element(&p->s->in, first, err);
		if (more <= 0)
			return more;
		rc = read(p, err);
	}
	return rc;
}

static int read_numbers(struct speedscope_profile *p, bool is_events, struct err *err)
{
	if (begin(p, err) < 0)
		return -1;
	return is_events ? read_list(p, speedscope_event, "events is not a list", err)
			 : read_list(p, speedscope_weight, "weights is not a list", err);
}

/* Keeps the text of a list that is next. */
static int keep_list(struct speedscope_profile *p, struct buf *into, uint64_t *at,
		     struct err *err)
{
	struct json_value value;

	*at = json_stream_at(&p->s->in);
	int rc = json_stream_value(&p->s->in, &value, err);
	if (rc <= 0)
		return rc;
	buf_clear(into);
	buf_add_str(into, value.text);
	*at = window_at(&p->s->in.w, value.text.p);
	if (value.type != JSON_ARRAY)
		return json_stream_bad(&p->s->in, "weights and events are lists", err);
	return 1;
}

/* Reads a list that was kept, through a window of its own. */
static int read_kept(struct speedscope_profile *p, struct buf *text, uint64_t at,
		     bool is_events, struct err *err)
{
	static const char padding[JSON_PADDING];
	struct window whole = p->s->in.w;
	size_t n = text->n;

	buf_add(text, padding, sizeof(padding));
	window_init_text(&p->s->in.w, (struct str){ text->p, n }, at);
	p->s->in.w.j.strict = whole.j.strict;
	int rc = read_numbers(p, is_events, err);
	p->s->in.w = whole;
	return rc;
}

static int read_unit(struct speedscope_profile *p, const struct json_value *value,
		     struct err *err)
{
	p->unit = speedscope_unit(value->text);
	if (p->unit)
		return 0;
	return err_at(err, json_stream_at(&p->s->in),
		      "profile %u: unknown unit '" STR_FMT "'", p->s->profile,
		      (int)(value->text.n < 60 ? value->text.n : 60), value->text.p);
}

static int read_type(struct speedscope_profile *p, const struct json_value *value,
		     struct err *err)
{
	p->is_sampled = str_is(value->text, "sampled");
	p->is_evented = str_is(value->text, "evented");
	if (p->is_sampled || p->is_evented)
		return 0;
	return err_at(err, json_stream_at(&p->s->in),
		      "profile %u: unknown type '" STR_FMT "'", p->s->profile,
		      (int)(value->text.n < 60 ? value->text.n : 60), value->text.p);
}

static int read_scalar(struct speedscope_profile *p, const char *key, struct err *err)
{
	struct json_value value;

	int rc = json_stream_value(&p->s->in, &value, err);
	if (rc <= 0)
		return rc;
	if (strcmp(key, "unit") == 0)
		return read_unit(p, &value, err) < 0 ? -1 : 1;
	if (strcmp(key, "type") == 0)
		return read_type(p, &value, err) < 0 ? -1 : 1;
	if (strcmp(key, "mode") == 0)
		p->mode = written_mode(value.text);
	struct buf *into = strcmp(key, "name") == 0         ? &p->name
			   : strcmp(key, "startValue") == 0 ? &p->start
			   : strcmp(key, "endValue") == 0   ? &p->end
							    : NULL;
	if (!into)
		return 1;
	buf_clear(into);
	if (into == &p->name && value.type == JSON_STRING)
		buf_add_str(into, json_unescape(value.text, &p->s->text));
	else if (into != &p->name && value.type == JSON_NUMBER)
		buf_add_str(into, value.text);
	return 1;
}

/* What was read in one unit, or is counted on, is not read again: all are there once. */
static int check_once(struct speedscope_profile *p, const char *key, struct err *err)
{
	static const char *const keys[] = { "name",  "unit",     "startValue", /* FIRST */
					    "type",  "endValue", "samples",    "weights",
					    "events" };
	size_t at = 0;

	while (at < sizeof(keys) / sizeof(*keys) && strcmp(key, keys[at]) != 0)
		at++;
	if (at == sizeof(keys) / sizeof(*keys))
		return 0;
	if (p->members & 1U << at)
		return err_at(err, json_stream_at(&p->s->in),
			      "profile %u has a second \"%s\"", p->s->profile, key);
	p->members |= 1U << at;
	return 0;
}

static bool has_first(const struct speedscope_profile *p)
{
	return (p->members & FIRST) == FIRST;
}

static int read_member(struct speedscope_profile *p, const char *key, struct err *err)
{
	int rc;

	if (check_once(p, key, err) < 0)
		return -1;
	if (strcmp(key, "samples") == 0) {
		p->has_samples = true;
		rc = read_list(p, speedscope_sample, "samples is not a list", err);
		return rc < 0 ? -1 : 1;
	}
	if (strcmp(key, "weights") == 0) {
		p->has_weights = true;
		if (!has_first(p) || !p->has_samples)
			return keep_list(p, &p->weights, &p->weights_at, err);
		rc = read_numbers(p, false, err);
		return rc < 0 ? -1 : 1;
	}
	if (strcmp(key, "events") == 0) {
		p->has_events = true;
		if (!has_first(p))
			return keep_list(p, &p->events, &p->events_at, err);
		rc = read_numbers(p, true, err);
		return rc < 0 ? -1 : 1;
	}
	return read_scalar(p, key, err);
}

/* What waited for other members. */
static int read_rest(struct speedscope_profile *p, struct err *err)
{
	if (p->weights.n && p->nweights + p->nones == 0 &&
	    read_kept(p, &p->weights, p->weights_at, false, err) < 0)
		return -1;
	if (p->events.n && p->nevents == 0 &&
	    read_kept(p, &p->events, p->events_at, true, err) < 0)
		return -1;
	return 0;
}

/* Is all there that its type wants?  Of a text that is cut what is there is taken. */
static int check(const struct speedscope_profile *p, struct err *err)
{
	uint64_t n = p->nweights + p->nones;

	if (p->s->in.is_cut)
		return 0;
	if (!p->is_sampled && !p->is_evented)
		return err_at(err, json_stream_at(&p->s->in), "profile %u has no type",
			      p->s->profile);
	if (p->is_evented && !p->has_events)
		return err_at(err, json_stream_at(&p->s->in), "profile %u has no events",
			      p->s->profile);
	if (p->is_evented)
		return 0;
	if (!p->has_samples || !p->has_weights)
		return err_at(err, json_stream_at(&p->s->in), "profile %u has no %s",
			      p->s->profile, p->has_samples ? "weights" : "samples");
	if (n != p->nstacks)
		return err_at(err, json_stream_at(&p->s->in),
			      "profile %u has %zu samples and %llu weights",
			      p->s->profile, p->nstacks, (unsigned long long)n);
	return 0;
}

static int finish(struct speedscope_profile *p, struct err *err)
{
	if (read_rest(p, err) < 0 || check(p, err) < 0)
		return -1;
	if (p->series.number == SAMPLE_NONE)
		return 0;
	int rc = p->has_events ? speedscope_end_evented(p, err)
			       : speedscope_end_sampled(p, err);
	return rc < 0 ? -1 : tell_series(p, err);
}

static int read_members(struct speedscope_profile *p, struct err *err)
{
	char key[JSON_STREAM_KEY_MAX + 1];
	int rc = json_stream_enter(&p->s->in, '{', "a profile is not an object", err);

	for (bool first = true; rc > 0 && !p->s->in.is_cut; first = false) {
		int more = json_stream_member(&p->s->in, first, key, err);
		if (more <= 0)
			return more;
		rc = read_member(p, key, err);
	}
	return rc < 0 ? -1 : 0;
}

static void profile_release(struct speedscope_profile *p)
{
	buf_release(&p->name);
	buf_release(&p->weights);
	buf_release(&p->events);
	buf_release(&p->start);
	buf_release(&p->end);
	spill_free(p->s->stacks.options->spill, p->stacks);
	free(p->open);
	free(p->indexes);
}

int speedscope_read_profile(struct speedscope *s, struct err *err)
{
	struct speedscope_profile p = { .s = s, .series.number = SAMPLE_NONE };
	struct buf *const texts[NTEXTS] = { &p.name, &p.weights, &p.events, &p.start,
					    &p.end };

	for (size_t i = 0; i < NTEXTS; i++)
		buf_init(texts[i], SIZE_MAX);
	int rc = read_members(&p, err);
	if (rc == 0)
		rc = finish(&p, err);
	if (rc == 0)
		*ARRAY_PUSH(s->series, s->nseries, s->series_cap) = p.series;
	if (rc == 0 && p.waits)
		*ARRAY_PUSH(s->waiting, s->nwaiting, s->waiting_cap) = p;
	else
		profile_release(&p);
	return rc;
}

int speedscope_end_waiting(struct speedscope *s, int rc, struct err *err)
{
	for (size_t i = 0; i < s->nwaiting; i++) {
		if (rc == 0)
			rc = speedscope_end_ones(&s->waiting[i], true, err);
		profile_release(&s->waiting[i]);
	}
	free(s->waiting);
	return rc;
}
