/*
 * A profile of a speedscope file: stacks and their weights, or events that open and close
 * frames.  The lists may come before the unit that their numbers are in: their text is
 * then kept until it is known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/decimal.h"
#include "base/spill.h"
#include "ingest/speedscope.h"

#define SAMPLE_TEXT_MAX  ((size_t)256 << 20)
#define REMEMBERED_BYTES ((size_t)16 << 20)
#define NS_DIGITS        9
#define SCALED_TEXT      64
#define NTEXTS           5 /* buffers of a profile */

/* What weights and times of a profile are spelt in. */
struct unit_name {
	const char *name;
	enum sample_unit unit;
	int digits; /* behind the point, of what the sink gets */
};

static const struct unit_name units[] = {
	{ "none", SAMPLE_COUNT, 0 },         { "nanoseconds", SAMPLE_NS, 0 },
	{ "microseconds", SAMPLE_NS, 3 },    { "milliseconds", SAMPLE_NS, 6 },
	{ "seconds", SAMPLE_NS, NS_DIGITS }, { "bytes", SAMPLE_BYTES, 0 },
};

struct open_frame {
	int64_t index;
	uint32_t stack; /* that it is the innermost frame of */
};

struct profile {
	struct speedscope *s;
	const struct unit_name *unit; /* NULL: not read yet */
	bool is_sampled, is_evented, has_samples, has_weights, has_events;
	struct buf name, weights,
		events; /* name; lists that wait for the unit, as text */
	uint64_t weights_at, events_at;
	struct buf start, end; /* numbers as texts; empty: not there */
	uint32_t *stacks;      /* spilled: by sample */
	size_t nstacks, stacks_cap;
	uint64_t nweights, nones; /* weights that were read; of 1 that wait */
	int64_t at, sum;          /* of the newest sample or event; of all weights */
	unsigned decimals;        /* of the events' times, of counts */
	uint64_t nevents;
	struct open_frame *open; /* owned */
	size_t nopen, open_cap;
	struct speedscope_series series;
	uint32_t thread;
	uint32_t *indexes; /* owned: sink's frames of a sample */
	size_t nindexes, indexes_cap;
};

/* A number of the profile's unit, as the sink wants it. */
struct scaled {
	int64_t value;
	unsigned decimals;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Plain digits, maybe with a point, that fit: most numbers. */
static bool scale_plain(struct str text, int digits, int64_t *value)
{
	int64_t n = 0;
	int behind = -1;

	if (text.n == 0 || text.n > 18)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '.' && behind < 0) {
			behind = 0;
			continue;
		}
		if (!is_digit(text.p[i]) || (behind >= digits && text.p[i] != '0'))
			return false;
		if (behind >= digits)
			continue;
		n = n * 10 + (text.p[i] - '0');
		behind += behind >= 0;
	}
	for (int i = behind < 0 ? 0 : behind; i < digits; i++)
		if (__builtin_mul_overflow(n, 10, &n))
			return false;
	*value = n;
	return true;
}

/* Any number, with an exponent too, in units of 10^-digits: half to even. */
static enum decimal_status scale_any(struct str text, int digits, int64_t *value)
{
	char copy[SCALED_TEXT + 16];
	size_t n = 0;
	long exponent = 0;

	while (n < text.n && text.p[n] != 'e' && text.p[n] != 'E')
		n++;
	if (n < text.n && text.n - n < 12) {
		memcpy(copy, text.p + n + 1, text.n - n - 1);
		copy[text.n - n - 1] = '\0';
		exponent = strtol(copy, NULL, 10);
	} else if (n < text.n) {
		return DECIMAL_BAD;
	}
	if (n > SCALED_TEXT)
		n = SCALED_TEXT; /* digits that no double has */
	snprintf(copy, sizeof(copy), "%.*se%ld", (int)n, text.p, exponent + digits - 3);
	return decimal_text_us_to_ns(str_of(copy), value);
}

/* 0, or -1: the number is none, or too large. */
static int scale(const struct profile *p, struct str text, struct scaled *out)
{
	int digits = p->unit->digits;

	out->decimals = 0;
	if (scale_plain(text, digits, &out->value))
		return 0;
	if (p->unit->unit == SAMPLE_COUNT) {
		digits = DECIMALS_MAX;
		out->decimals = DECIMALS_MAX;
		if (!scale_plain(text, digits, &out->value) &&
		    scale_any(text, digits, &out->value) != DECIMAL_OK) {
			out->decimals = 0;
			return scale_any(text, 0, &out->value) == DECIMAL_OK ? 0 : -1;
		}
		for (; out->decimals && out->value % 10 == 0; out->decimals--)
			out->value /= 10;
		return 0;
	}
	return scale_any(text, digits, &out->value) == DECIMAL_OK ? 0 : -1;
}

/* A number without decimals, for times and ends: those of counts are rounded. */
static bool whole(const struct profile *p, const struct buf *text, int64_t *value)
{
	return p->unit && text->n &&
	       scale_any(buf_str(text), p->unit->digits, value) == DECIMAL_OK;
}

static uint64_t here(const struct speedscope *s)
{
	return window_at(&s->w, s->w.j.p);
}

/* "Thread 7 "MainThread"" and "Process 4 Thread 7 "name"" of py-spy. */
static int find_thread(struct profile *p, struct err *err)
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

	p->thread = SAMPLE_NONE;
	for (int i = 0; i < 2; i++) {
		size_t n = parts[i].word.n, end = n;
		if (!str_starts_with(text, parts[i].word))
			continue;
		while (end < text.n && text.p[end] != ' ')
			end++;
		char digits[SCALED_TEXT] = { 0 };
		if (end == n || end - n > SCALED_TEXT / 2)
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
	if (name.n && stacks_text(stacks, name, here(p->s), &thread.thread, err) < 0)
		return -1;
	p->thread = stacks->sink->sample_thread(stacks->sink, &thread);
	return 0;
}

/* A word of the name that tells what was measured. */
static const char *mode_of(struct str name)
{
	static const char *const modes[] = { "wall", "cpu", "gil" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		size_t n = strlen(modes[i]), k = 0;
		if (name.n < n || (name.n > n && name.p[n] != ' ' && name.p[n] != '-'))
			continue;
		while (k < n && (name.p[k] | 0x20) == modes[i][k])
			k++;
		if (k == n)
			return modes[i];
	}
	return NULL;
}

/* Before its first sample, and again behind all of the profile. */
static int tell_series(struct profile *p, struct err *err)
{
	struct sink *sink = p->s->stacks.sink;
	struct series_fact *fact = &p->series.fact;

	*fact = (struct series_fact){ .name = TEXT_NONE,
				      .measure = TEXT_NONE,
				      .mode = mode_of(buf_str(&p->name)),
				      .unit = p->unit->unit,
				      .is_ordered = true,
				      .is_evented = p->has_events,
				      .start_at = NUMBER_NONE,
				      .end_at = NUMBER_NONE };
	if (p->name.n && stacks_text(&p->s->stacks, buf_str(&p->name), here(p->s),
				     &fact->name, err) < 0)
		return -1;
	whole(p, &p->start, &fact->start_at);
	whole(p, &p->end, &fact->end_at);
	p->series.number = sink->series(sink, p->series.number, fact);
	return 0;
}

/* The first sample needs a series, a thread and where time begins. */
static int begin(struct profile *p, struct err *err)
{
	if (p->series.number != SAMPLE_NONE)
		return 0;
	if (!p->unit)
		return speedscope_bad(p->s, "a profile without a unit", err);
	if (find_thread(p, err) < 0 || tell_series(p, err) < 0)
		return -1;
	if (p->has_weights)
		whole(p, &p->start, &p->at);
	return 0;
}

static int tell(struct profile *p, uint32_t stack, const struct scaled *weight,
		uint64_t offset, struct err *err)
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

/* The next weight; `*sum` stays within int64. */
static int add_weight(struct profile *p, const struct scaled *weight, uint64_t offset,
		      struct err *err)
{
	if (tell(p, p->stacks[p->nweights], weight, offset, err) < 0)
		return -1;
	p->nweights++;
	if (weight->decimals == 0 &&
	    (__builtin_add_overflow(p->sum, weight->value, &p->sum) ||
	     (p->unit->unit == SAMPLE_NS &&
	      __builtin_add_overflow(p->at, weight->value, &p->at))))
		return err_at(err, offset, "the weights overflow 64 bits");
	return 0;
}

/* Weights of 1 second each that were held back: py-spy 0.3.8 meant counts. */
static int add_ones(struct profile *p, struct err *err)
{
	struct scaled one = { 1, 0 };
	uint64_t offset = here(p->s);

	for (int i = 0; i < p->unit->digits; i++)
		one.value *= 10;
	for (; p->nones; p->nones--)
		if (add_weight(p, &one, offset, err) < 0)
			return -1;
	return 0;
}

/* Equal parts of what the profile lasts, without a remainder. */
static int add_parts(struct profile *p, int64_t lasts, struct err *err)
{
	int64_t n = (int64_t)p->nones;
	uint64_t offset = here(p->s);

	if (stacks_tell(&p->s->stacks, FINDING_WEIGHTS_SCALED, offset, buf_str(&p->name),
			err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		const struct scaled part = { lasts / n + (i < lasts % n), 0 };
		if (add_weight(p, &part, offset, err) < 0)
			return -1;
	}
	p->nones = 0;
	return 0;
}

static bool is_one(struct str text)
{
	return str_is(text, "1") || str_is(text, "1.0");
}

static int bad_weight(const struct profile *p, struct str text, uint64_t offset,
		      struct err *err)
{
	bool is_negative = text.n && text.p[0] == '-' && is_digit(text.p[text.n - 1]);

	return err_at(err, offset,
		      "profile %u, sample %llu: the weight " STR_FMT " is %s",
		      p->s->profile, (unsigned long long)p->nweights + p->nones + 1,
		      (int)(text.n < 40 ? text.n : 40), text.p,
		      is_negative ? "negative" : "no number, or too large");
}

static int read_weight(struct profile *p, struct err *err)
{
	uint64_t offset = here(p->s);
	struct json_value value;
	struct scaled weight;

	int rc = speedscope_value(p->s, &value, err);
	if (rc <= 0)
		return rc;
	if (p->nweights + p->nones == p->nstacks)
		return err_at(err, offset,
			      "profile %u: more weights than its %zu samples",
			      p->s->profile, p->nstacks);
	if (value.type != JSON_NUMBER || scale(p, value.text, &weight) < 0 ||
	    weight.value < 0)
		return bad_weight(p, value.text, offset, err);
	bool can_wait = p->unit->unit == SAMPLE_NS && p->nweights == 0;
	if (can_wait && is_one(value.text)) {
		p->nones++;
		return 1;
	}
	if (p->nones && add_ones(p, err) < 0)
		return -1;
	return add_weight(p, &weight, offset, err) < 0 ? -1 : 1;
}

/* The text of a sample, between its brackets. */
static enum json_status parse_sample(struct json *j, void *to)
{
	struct str *text = to;
	const char *end;

	if (json_blanks(j) != JSON_OK)
		return j->status;
	if (*j->p != '[') {
		j->what = "a sample is a list of frames";
		return j->status = JSON_BAD;
	}
	end = memchr(j->p, ']', (size_t)(j->end - j->p));
	if (!end) {
		j->ended = j->last;
		j->what = "the text ends inside a sample";
		return j->status = j->last ? JSON_BAD : JSON_MORE;
	}
	*text = (struct str){ j->p + 1, (size_t)(end - j->p) - 1 };
	j->p = end + 1;
	return JSON_OK;
}

static const char *pass_blanks(const char *at, const char *end)
{
	while (at < end && json_is_blank(*at))
		at++;
	return at;
}

static int no_index(const struct profile *p, struct str text, uint64_t offset,
		    struct err *err)
{
	return err_at(err, offset,
		      "profile %u, sample %llu: '" STR_FMT "' is no frame index",
		      p->s->profile, (unsigned long long)p->nstacks + 1,
		      (int)(text.n < 20 ? text.n : 20), text.p);
}

/* The indexes of a sample, as the sink's frames. */
static int read_indexes(struct profile *p, struct str text, uint64_t offset,
			struct err *err)
{
	uint64_t sample = p->nstacks + 1;
	const char *at = text.p, *end = text.p + text.n;

	p->nindexes = 0;
	for (;;) {
		int64_t index = 0;
		uint32_t frame;
		at = pass_blanks(at, end);
		if (at == end && p->nindexes == 0)
			return 0;
		const char *digits = at;
		while (at < end && is_digit(*at) && at - digits < 10)
			index = index * 10 + (*at++ - '0');
		at = pass_blanks(at, end);
		if (at == digits || (at < end && *at != ',') || !is_digit(at[-1]))
			return no_index(p, (struct str){ digits, (size_t)(end - digits) },
					offset + (uint64_t)(digits - text.p), err);
		if (speedscope_frame(p->s, index, sample, offset, &frame, err) < 0)
			return -1;
		*ARRAY_PUSH(p->indexes, p->nindexes, p->indexes_cap) = frame;
		if (at++ == end)
			return 0;
	}
}

/* Equal texts are equal stacks: they are looked at once. */
static int find_stack(struct profile *p, struct str text, uint64_t offset,
		      uint32_t *stack, struct err *err)
{
	struct speedscope *s = p->s;
	struct sink *sink = s->stacks.sink;

	if (s->remembered > REMEMBERED_BYTES) {
		intern_release(&s->known);
		intern_init(&s->known);
		s->remembered = 0;
	}
	size_t known = s->known.n;
	uint32_t at = intern_add(&s->known, text);
	if (at < known) {
		*stack = s->stack_of[at];
		return 0;
	}
	s->remembered += text.n + sizeof(struct str);
	if (read_indexes(p, text, offset, err) < 0)
		return -1;
	*stack = SAMPLE_NONE;
	for (size_t i = 0; i < p->nindexes; i++)
		*stack = sink->stack(sink, *stack, p->indexes[i]);
	s->stack_of = xgrow(s->stack_of, &s->stack_cap, at + 1U, sizeof(*s->stack_of));
	s->stack_of[at] = *stack;
	return 0;
}

static int read_sample(struct profile *p, struct err *err)
{
	struct speedscope *s = p->s;
	struct spill *spill = s->stacks.options->spill;
	uint64_t offset = here(s);
	const char *start;
	struct str text;
	uint32_t stack;

	if (window_keep_filled(&s->w, err) < 0)
		return -1;
	int rc = window_parse(&s->w, parse_sample, &text, SAMPLE_TEXT_MAX, &start, err);
	if (rc < 0)
		return -1;
	if (rc == JSON_BAD && s->w.j.ended) {
		s->is_cut = true;
		return 0;
	}
	if (rc != JSON_OK)
		return speedscope_bad(
			s, rc == JSON_BAD ? s->w.j.what : "a sample of more than 256 MiB",
			err);
	if (find_stack(p, text, offset + 1, &stack, err) < 0)
		return -1;
	p->stacks = spill_grow(spill, p->stacks, &p->stacks_cap, p->nstacks + 1,
			       sizeof(*p->stacks));
	p->stacks[p->nstacks++] = stack;
	return 1;
}

struct event {
	char type; /* 'O', 'C', or 0 */
	int64_t frame, at;
	bool has_frame, has_at;
};

static bool add_zeros(int64_t *value, unsigned n)
{
	while (n--)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	return true;
}

/* Times of counts are compared with the one before: both get as many decimals. */
static bool same_digits(struct profile *p, struct scaled *at)
{
	if (at->decimals > p->decimals) {
		if (!add_zeros(&p->at, at->decimals - p->decimals))
			return false;
		p->decimals = at->decimals;
	}
	return add_zeros(&at->value, p->decimals - at->decimals);
}

static int read_event_fields(struct profile *p, struct str object, struct event *e)
{
	struct json j = json_of(object);
	struct json_value key, value;
	struct scaled at;
	bool done;

	j.p++;
	for (bool first = true;; first = false) {
		if (json_member(&j, first, &key, &done) != JSON_OK)
			return -1;
		if (done)
			return 0;
		if (json_value(&j, &value) != JSON_OK)
			return -1;
		if (str_is(key.text, "type") && value.type == JSON_STRING)
			e->type = (char)(value.text.n == 1 ? value.text.p[0] : '\0');
		else if (str_is(key.text, "frame"))
			e->has_frame = value.type == JSON_NUMBER &&
				       decimal_int(value.text, &e->frame) == DECIMAL_OK;
		else if (str_is(key.text, "at") && value.type == JSON_NUMBER) {
			e->has_at = scale(p, value.text, &at) == 0 && same_digits(p, &at);
			e->at = at.value;
		}
	}
}

/* What the stack on top has had since the event before this. */
static int tell_until(struct profile *p, int64_t at, uint64_t offset, struct err *err)
{
	struct scaled weight = { 0, p->decimals };

	if (__builtin_sub_overflow(at, p->at, &weight.value))
		return err_at(err, offset, "the times overflow 64 bits");
	for (; weight.decimals && weight.value % 10 == 0; weight.decimals--)
		weight.value /= 10;
	if (p->nopen && weight.value > 0 &&
	    tell(p, p->open[p->nopen - 1].stack, &weight, offset, err) < 0)
		return -1;
	p->at = at;
	return 0;
}

static int open_frame(struct profile *p, const struct event *e, uint64_t offset,
		      struct err *err)
{
	struct sink *sink = p->s->stacks.sink;
	uint32_t caller = p->nopen ? p->open[p->nopen - 1].stack : SAMPLE_NONE, frame;

	if (speedscope_frame(p->s, e->frame, p->nevents, offset, &frame, err) < 0)
		return -1;
	*ARRAY_PUSH(p->open, p->nopen, p->open_cap) =
		(struct open_frame){ e->frame, sink->stack(sink, caller, frame) };
	return 0;
}

static int close_frame(struct profile *p, const struct event *e, uint64_t offset,
		       struct err *err)
{
	bool is_open = false;

	if (p->nopen && p->open[p->nopen - 1].index == e->frame) {
		p->nopen--;
		return 0;
	}
	for (size_t i = 0; i < p->nopen; i++)
		is_open |= p->open[i].index == e->frame;
	return err_at(err, offset,
		      "profile %u, event %llu closes frame %lld, which is %s",
		      p->s->profile, (unsigned long long)p->nevents, (long long)e->frame,
		      is_open ? "not the innermost" : "not open");
}

static int read_event(struct profile *p, struct err *err)
{
	uint64_t offset = here(p->s);
	struct event e = { .type = '\0' };
	struct json_value value;

	int rc = speedscope_value(p->s, &value, err);
	if (rc <= 0)
		return rc;
	p->nevents++;
	if (value.type != JSON_OBJECT || read_event_fields(p, value.text, &e) < 0 ||
	    !e.has_frame || !e.has_at || (e.type != 'O' && e.type != 'C'))
		return err_at(err, offset,
			      "profile %u, event %llu is none: it wants type O or C, "
			      "frame and at",
			      p->s->profile, (unsigned long long)p->nevents);
	if (p->nevents == 1)
		p->at = e.at;
	if (e.at < p->at)
		return err_at(err, offset, "profile %u, event %llu is before event %llu",
			      p->s->profile, (unsigned long long)p->nevents,
			      (unsigned long long)p->nevents - 1);
	if (tell_until(p, e.at, offset, err) < 0)
		return -1;
	rc = e.type == 'O' ? open_frame(p, &e, offset, err)
			   : close_frame(p, &e, offset, err);
	return rc < 0 ? -1 : 1;
}

typedef int read_fn(struct profile *p, struct err *err);

static int read_list(struct profile *p, read_fn *read, const char *what, struct err *err)
{
	int rc = speedscope_enter(p->s, '[', what, err);

	for (bool first = true; rc > 0; first = false) {
		int more = speedscope_element(p->s, first, err);
		if (more <= 0)
			return more;
		rc = read(p, err);
	}
	return rc;
}

static int read_numbers(struct profile *p, bool is_events, struct err *err)
{
	if (begin(p, err) < 0)
		return -1;
	return is_events ? read_list(p, read_event, "events is no list", err)
			 : read_list(p, read_weight, "weights is no list", err);
}

/* Keeps the text of a list that is next. */
static int keep_list(struct profile *p, struct buf *into, uint64_t *at, struct err *err)
{
	struct json_value value;

	*at = here(p->s);
	int rc = speedscope_value(p->s, &value, err);
	if (rc <= 0)
		return rc;
	buf_clear(into);
	buf_add_str(into, value.text);
	*at = window_at(&p->s->w, value.text.p);
	if (value.type != JSON_ARRAY)
		return speedscope_bad(p->s, "weights and events are lists", err);
	return 1;
}

/* Reads a list that was kept, through a window of its own. */
static int read_kept(struct profile *p, struct buf *text, uint64_t at, bool is_events,
		     struct err *err)
{
	static const char padding[JSON_PADDING];
	struct window whole = p->s->w;
	size_t n = text->n;

	buf_add(text, padding, sizeof(padding));
	window_init_text(&p->s->w, (struct str){ text->p, n }, at);
	p->s->w.j.strict = whole.j.strict;
	int rc = read_numbers(p, is_events, err);
	p->s->w = whole;
	return rc;
}

static int read_unit(struct profile *p, const struct json_value *value, struct err *err)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (str_is(value->text, units[i].name)) {
			p->unit = &units[i];
			return 0;
		}
	return err_at(err, here(p->s), "profile %u: unknown unit '" STR_FMT "'",
		      p->s->profile, (int)(value->text.n < 60 ? value->text.n : 60),
		      value->text.p);
}

static int read_type(struct profile *p, const struct json_value *value, struct err *err)
{
	p->is_sampled = str_is(value->text, "sampled");
	p->is_evented = str_is(value->text, "evented");
	if (p->is_sampled || p->is_evented)
		return 0;
	return err_at(err, here(p->s), "profile %u: unknown type '" STR_FMT "'",
		      p->s->profile, (int)(value->text.n < 60 ? value->text.n : 60),
		      value->text.p);
}

static int read_scalar(struct profile *p, const char *key, struct err *err)
{
	struct json_value value;

	int rc = speedscope_value(p->s, &value, err);
	if (rc <= 0)
		return rc;
	if (strcmp(key, "unit") == 0)
		return read_unit(p, &value, err) < 0 ? -1 : 1;
	if (strcmp(key, "type") == 0)
		return read_type(p, &value, err) < 0 ? -1 : 1;
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

static int read_member(struct profile *p, const char *key, struct err *err)
{
	int rc;

	if (strcmp(key, "samples") == 0) {
		p->has_samples = true;
		p->nstacks = 0;
		return read_list(p, read_sample, "samples is no list", err) < 0 ? -1 : 1;
	}
	if (strcmp(key, "weights") == 0) {
		p->has_weights = true;
		if (!p->unit || !p->has_samples || p->nweights)
			return keep_list(p, &p->weights, &p->weights_at, err);
		rc = read_numbers(p, false, err);
		return rc < 0 ? -1 : 1;
	}
	if (strcmp(key, "events") == 0) {
		p->has_events = true;
		if (!p->unit || p->nevents)
			return keep_list(p, &p->events, &p->events_at, err);
		rc = read_numbers(p, true, err);
		return rc < 0 ? -1 : 1;
	}
	return read_scalar(p, key, err);
}

/* What waited for other members. */
static int read_rest(struct profile *p, struct err *err)
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
static int check(const struct profile *p, struct err *err)
{
	uint64_t n = p->nweights + p->nones;

	if (p->s->is_cut)
		return 0;
	if (!p->is_sampled && !p->is_evented)
		return err_at(err, here(p->s), "profile %u has no type", p->s->profile);
	if (p->is_evented && !p->has_events)
		return err_at(err, here(p->s), "profile %u has no events", p->s->profile);
	if (p->is_evented)
		return 0;
	if (!p->has_samples || !p->has_weights)
		return err_at(err, here(p->s), "profile %u has no %s", p->s->profile,
			      p->has_samples ? "weights" : "samples");
	if (n != p->nstacks)
		return err_at(err, here(p->s),
			      "profile %u has %zu samples and %llu weights",
			      p->s->profile, p->nstacks, (unsigned long long)n);
	return 0;
}

static int finish_sampled(struct profile *p, struct err *err)
{
	int64_t start = 0, end = 0, lasts = 0, ones = (int64_t)p->nones;
	bool has_end = whole(p, &p->start, &start) && whole(p, &p->end, &end) &&
		       !__builtin_sub_overflow(end, start, &lasts) && !p->s->is_cut;

	for (int i = 0; p->unit && i < p->unit->digits && ones > 0; i++)
		if (__builtin_mul_overflow(ones, 10, &ones))
			ones = INT64_MAX;
	struct str by = buf_str(&p->s->exporter);
	bool may_scale = by.n == 0 || str_starts_with(by, STR_LIT("py-spy"));
	if (p->nones && p->nweights == 0 && has_end && may_scale && lasts > 0 &&
	    lasts < ones)
		return add_parts(p, lasts, err);
	if (p->nones && add_ones(p, err) < 0)
		return -1;
	int64_t near = lasts / 1000000 + (int64_t)p->nweights;
	if (has_end && p->unit->unit != SAMPLE_COUNT && p->nweights &&
	    (p->sum < lasts - near || p->sum > lasts + near))
		return stacks_tell(&p->s->stacks, FINDING_WEIGHTS_END, here(p->s),
				   buf_str(&p->name), err);
	return 0;
}

/* Frames that are open last until the end. */
static int finish_evented(struct profile *p, struct err *err)
{
	uint64_t offset = here(p->s);
	int64_t end = 0;
	struct scaled at = { 0, 0 };
	bool has_end = p->end.n && !p->s->is_cut &&
		       scale(p, buf_str(&p->end), &at) == 0 && same_digits(p, &at);

	end = at.value;
	if (has_end && end < p->at &&
	    stacks_tell(&p->s->stacks, FINDING_EVENT_AFTER_END, offset, buf_str(&p->name),
			err) < 0)
		return -1;
	if (p->nopen == 0)
		return 0;
	if (!p->s->is_cut && stacks_tell(&p->s->stacks, FINDING_FRAME_NOT_CLOSED, offset,
					 buf_str(&p->name), err) < 0)
		return -1;
	return has_end && end > p->at ? tell_until(p, end, offset, err) : 0;
}

static int finish(struct profile *p, struct err *err)
{
	if (read_rest(p, err) < 0 || check(p, err) < 0)
		return -1;
	if (p->series.number == SAMPLE_NONE)
		return 0;
	int rc = p->has_events ? finish_evented(p, err) : finish_sampled(p, err);
	return rc < 0 ? -1 : tell_series(p, err);
}

static int read_members(struct profile *p, struct err *err)
{
	char key[SPEEDSCOPE_KEY_MAX + 1];
	int rc = speedscope_enter(p->s, '{', "a profile is no object", err);

	for (bool first = true; rc > 0 && !p->s->is_cut; first = false) {
		int more = speedscope_member(p->s, first, key, err);
		if (more <= 0)
			return more;
		rc = read_member(p, key, err);
	}
	return rc < 0 ? -1 : 0;
}

int speedscope_profile(struct speedscope *s, struct err *err)
{
	struct profile p = { .s = s, .series.number = SAMPLE_NONE };
	struct buf *const texts[NTEXTS] = { &p.name, &p.weights, &p.events, &p.start,
					    &p.end };

	for (size_t i = 0; i < NTEXTS; i++)
		buf_init(texts[i], SIZE_MAX);
	int rc = read_members(&p, err);
	if (rc == 0)
		rc = finish(&p, err);
	if (rc == 0)
		*ARRAY_PUSH(s->series, s->nseries, s->series_cap) = p.series;
	for (size_t i = 0; i < NTEXTS; i++)
		buf_release(texts[i]);
	spill_free(s->stacks.options->spill, p.stacks);
	free(p.open);
	free(p.indexes);
	return rc;
}
