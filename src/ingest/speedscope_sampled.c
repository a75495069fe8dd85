/*
 * A sampled profile of a speedscope file: a list of stacks and a list of their weights,
 * one each.
 */
#include "base/alloc.h"
#include "base/array.h"
#include "base/spill.h"
#include "base/sum.h"
#include "ingest/speedscope_profile.h"

#define SAMPLE_TEXT_MAX  ((size_t)256 << 20)
#define REMEMBERED_BYTES ((size_t)64 << 20)
#define PLAIN_DIGITS     18

/* The next weight; `*sum` stays within int64. */
static int add_weight(struct speedscope_profile *p,
		      const struct speedscope_number *weight, uint64_t offset,
		      struct err *err)
{
	if (speedscope_tell(p, p->stacks[p->nweights], weight, offset, err) < 0)
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
static int add_ones(struct speedscope_profile *p, uint64_t at, struct err *err)
{
	struct speedscope_number one = { 1, 0 };

	for (int i = 0; i < p->unit->digits; i++)
		one.value *= 10;
	for (; p->nones; p->nones--)
		if (add_weight(p, &one, at, err) < 0)
			return -1;
	return 0;
}

/* Equal parts of what the profile lasts, without a remainder. */
static int add_parts(struct speedscope_profile *p, struct err *err)
{
	int64_t n = (int64_t)p->nones, lasts = p->lasts;

	if (stacks_tell(&p->s->stacks, FINDING_WEIGHTS_SCALED, p->end_at,
			buf_str(&p->name), err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		const struct speedscope_number part = { lasts / n + (i < lasts % n), 0 };
		if (add_weight(p, &part, p->end_at, err) < 0)
			return -1;
	}
	p->nones = 0;
	return 0;
}

static bool is_one(struct str text)
{
	return str_is(text, "1") || str_is(text, "1.0");
}

static int bad_weight(const struct speedscope_profile *p, struct str text,
		      uint64_t offset, struct err *err)
{
	bool is_negative =
		text.n && text.p[0] == '-' && speedscope_is_digit(text.p[text.n - 1]);

	return err_at(err, offset,
		      "profile %u, sample %llu: the weight " STR_FMT " is %s",
		      p->s->profile, (unsigned long long)p->nweights + p->nones + 1,
		      (int)(text.n < 40 ? text.n : 40), text.p,
		      is_negative ? "negative" : "not a number, or too large");
}

/* What was read as the next weight. */
static int take_weight(struct speedscope_profile *p, struct str text, uint64_t offset,
		       struct err *err)
{
	struct speedscope_number weight;

	if (p->nweights + p->nones >= p->nstacks)
		return err_at(err, offset,
			      "profile %u: more weights than its %zu samples",
			      p->s->profile, p->nstacks);
	if (speedscope_scale(p, text, &weight) != DECIMAL_OK || weight.value < 0)
		return bad_weight(p, text, offset, err);
	bool can_wait = p->unit->unit == SAMPLE_NS && p->nweights == 0;
	if (can_wait && is_one(text)) {
		p->nones++;
		return 0;
	}
	if (p->nones && add_ones(p, offset, err) < 0)
		return -1;
	return add_weight(p, &weight, offset, err);
}

static const char *pass_blanks(const char *at, const char *end)
{
	while (at < end && json_is_blank(*at))
		at++;
	return at;
}

/* The place behind the comma at j->p and blanks; NULL: there is none in the window. */
static const char *behind_comma(const struct json *j)
{
	const char *at = pass_blanks(j->p, j->end);

	return at < j->end && *at == ',' ? pass_blanks(at + 1, j->end) : NULL;
}

/*
 * Passes a comma and digits, maybe with a point among them, which most weights are.
 * False, at its place: something else, or not whole in the window.
 */
static bool next_plain(struct json *j, struct str *text)
{
	const char *start = behind_comma(j), *at = start, *point = NULL;

	if (!start)
		return false;
	for (; at < j->end && (speedscope_is_digit(*at) || (*at == '.' && !point)); at++)
		if (*at == '.')
			point = at;
	size_t n = (size_t)(at - start);
	bool has_zero = n > 1 && start[0] == '0' && point != start + 1;
	if (at == j->end || (*at != ',' && *at != ']') || n == 0 || n > PLAIN_DIGITS ||
	    has_zero || point == start || (point && point == at - 1))
		return false;
	*text = (struct str){ start, n };
	j->p = at;
	return true;
}

int speedscope_weight(struct speedscope_profile *p, struct err *err)
{
	uint64_t offset = json_stream_at(&p->s->in);
	struct json *j = &p->s->in.w.j;
	struct json_value value;
	struct str text;

	int rc = json_stream_value(&p->s->in, &value, err);
	if (rc <= 0)
		return rc;
	if (value.type != JSON_NUMBER && p->nweights + p->nones < p->nstacks)
		return bad_weight(p, value.text, offset, err);
	if (take_weight(p, value.text, offset, err) < 0)
		return -1;
	while (next_plain(j, &text))
		if (take_weight(p, text, window_at(&p->s->in.w, text.p), err) < 0)
			return -1;
	return 1;
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

/* Passes a comma and a sample that are whole in the window; false, at its place: none. */
static bool next_sample(struct json *j, struct str *text)
{
	const char *start = behind_comma(j);
	const char *end = start && start < j->end && *start == '['
				  ? memchr(start, ']', (size_t)(j->end - start))
				  : NULL;

	if (!end)
		return false;
	*text = (struct str){ start + 1, (size_t)(end - start) - 1 };
	j->p = end + 1;
	return true;
}

static int no_index(const struct speedscope_profile *p, struct str text, uint64_t offset,
		    struct err *err)
{
	return err_at(err, offset,
		      "profile %u, sample %llu: '" STR_FMT "' is not a frame index",
		      p->s->profile, (unsigned long long)p->nstacks + 1,
		      (int)(text.n < 20 ? text.n : 20), text.p);
}

/* The indexes of a sample, as the sink's frames. */
static int read_indexes(struct speedscope_profile *p, struct str text, uint64_t offset,
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
		while (at < end && speedscope_is_digit(*at) && at - digits < 10)
			index = index * 10 + (*at++ - '0');
		at = pass_blanks(at, end);
		if (at == digits || (at < end && *at != ',') ||
		    !speedscope_is_digit(at[-1]))
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
static int find_stack(struct speedscope_profile *p, struct str text, uint64_t hash,
		      uint32_t *stack, struct err *err)
{
	struct speedscope *s = p->s;
	struct sink *sink = s->stacks.sink;
	uint64_t offset = window_at(&s->in.w, text.p);

	if (s->remembered > REMEMBERED_BYTES) {
		intern_release(&s->known);
		intern_init(&s->known);
		s->remembered = 0;
	}
	size_t known = s->known.n;
	uint32_t at = intern_add_hashed(&s->known, text, hash);
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

static int take_sample(struct speedscope_profile *p, struct str text, uint64_t hash,
		       struct err *err)
{
	struct spill *spill = p->s->stacks.options->spill;
	uint32_t stack;

	if (find_stack(p, text, hash, &stack, err) < 0)
		return -1;
	p->stacks = spill_grow(spill, p->stacks, &p->stacks_cap, p->nstacks + 1,
			       sizeof(*p->stacks));
	p->stacks[p->nstacks++] = stack;
	return 0;
}

int speedscope_sample(struct speedscope_profile *p, struct err *err)
{
	struct speedscope *s = p->s;
	struct str texts[INTERN_AHEAD];
	uint64_t hashes[INTERN_AHEAD];
	const char *start;
	size_t n = 1;

	if (window_keep_filled(&s->in.w, err) < 0)
		return -1;
	int rc = window_parse(&s->in.w, parse_sample, &texts[0], SAMPLE_TEXT_MAX, &start,
			      err);
	if (rc < 0)
		return -1;
	if (rc == JSON_BAD && s->in.w.j.ended) {
		s->in.is_cut = true;
		return 0;
	}
	if (rc != JSON_OK)
		return json_stream_bad(&s->in,
				       rc == JSON_BAD ? s->in.w.j.what
						      : "a sample of more than 256 MiB",
				       err);
	while (n < INTERN_AHEAD && next_sample(&s->in.w.j, &texts[n]))
		n++;
	intern_look_ahead(&s->known, texts, n, hashes);
	for (size_t i = 0; i < n; i++)
		if (take_sample(p, texts[i], hashes[i], err) < 0)
			return -1;
	return 1;
}

int speedscope_end_ones(struct speedscope_profile *p, bool may_scale, struct err *err)
{
	struct str by = buf_str(&p->s->exporter);

	if (may_scale && (by.n == 0 || str_starts_with(by, STR_LIT("py-spy"))))
		return add_parts(p, err);
	if (p->nones && add_ones(p, p->end_at, err) < 0)
		return -1;
	if (!p->has_end || p->unit->unit == SAMPLE_COUNT || !p->nweights)
		return 0;
	int64_t near = p->lasts / 1000000 + (int64_t)p->nweights;
	int64_t excess = sum_sub(p->sum, p->lasts);
	return excess < -near || excess > near
		       ? stacks_tell(&p->s->stacks, FINDING_WEIGHTS_END, p->end_at,
				     buf_str(&p->name), err)
		       : 0;
}

int speedscope_end_sampled(struct speedscope_profile *p, struct err *err)
{
	int64_t start = 0, end = 0, ones = (int64_t)p->nones;

	if (!p->unit) /* no sample was told either */
		return 0;
	p->has_end = speedscope_whole(p, &p->start, &start) &&
		     speedscope_whole(p, &p->end, &end) &&
		     !__builtin_sub_overflow(end, start, &p->lasts) && !p->s->in.is_cut;
	for (int i = 0; i < p->unit->digits && ones > 0; i++)
		if (__builtin_mul_overflow(ones, 10, &ones))
			ones = INT64_MAX;
	bool may_scale = p->nones && p->nweights == 0 && p->has_end && p->lasts > 0 &&
			 p->lasts < ones;
	p->end_at = json_stream_at(&p->s->in);
	p->waits = may_scale && !p->s->has_exporter;
	return p->waits ? 0 : speedscope_end_ones(p, may_scale, err);
}
