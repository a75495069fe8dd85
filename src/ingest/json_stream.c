/* JSON that is read as it comes: see json_stream.h. */
#include "ingest/json_stream.h"

#include "ingest/tell.h"

#define VALUE_MAX ((size_t)1 << 30)
#define NAME_MAX  ((size_t)64 << 20)
#define WASTE_MAX ((uint64_t)64 << 20) /* bytes looked at in vain */
#define BOM       "\xef\xbb\xbf"

static int tell(const struct json_stream *s, enum finding what, uint64_t offset,
		struct str excerpt, struct err *err)
{
	return tell_finding(s->sink, s->options, what, offset, excerpt, err);
}

struct str json_stream_head(struct bytes head)
{
	struct str text = { (const char *)head.p, head.n };

	if (str_starts_with(text, STR_LIT(BOM)))
		text = str_behind(text, sizeof(BOM) - 1);
	while (text.n && json_is_blank(text.p[0]))
		text = str_behind(text, 1);
	return text;
}

struct str json_stream_object_head(struct bytes head)
{
	struct str text = json_stream_head(head);
	bool is_other = !str_starts_with(text, STR_LIT("{")) ||
			str_contains(text, STR_LIT("\"traceEvents\""));

	return is_other ? (struct str){ text.p, 0 } : text;
}

int json_stream_open(struct json_stream *s, struct input *in,
		     const struct read_options *options, struct sink *sink,
		     struct err *err)
{
	struct bytes head = input_peek(in, sizeof(BOM) - 1, err);
	bool has_bom = err->kind == ERR_NONE && head.n >= sizeof(BOM) - 1 &&
		       memcmp(head.p, BOM, sizeof(BOM) - 1) == 0;

	*s = (struct json_stream){ .sink = sink, .options = options };
	if (has_bom)
		input_skip(in, sizeof(BOM) - 1);
	mend_init(&s->mend);
	window_init(&s->w, in, sink, WINDOW_BYTES);
	s->w.j.strict = options->strict;
	if (err->kind != ERR_NONE)
		return -1;
	return has_bom ? tell(s, FINDING_BYTE_ORDER_MARK, 0, STR_LIT(""), err) : 0;
}

void json_stream_release(struct json_stream *s)
{
	mend_release(&s->mend);
}

uint64_t json_stream_at(const struct json_stream *s)
{
	return window_at(&s->w, s->w.j.p);
}

int json_stream_bad(const struct json_stream *s, const char *what, struct err *err)
{
	return err_at(err, window_at(&s->w, s->w.j.p), "%s", what);
}

/* What the tokenizer says: 1, 0 where the text is cut, -1; too_long: if it wants more. */
static int judge_as(struct json_stream *s, int status, const char *too_long,
		    struct err *err)
{
	if (status == JSON_OK)
		return 1;
	if (status < 0)
		return -1;
	if (status == JSON_MORE)
		return json_stream_bad(s, too_long, err);
	if (!s->w.j.ended)
		return json_stream_bad(s, s->w.j.what, err);
	s->is_cut = true;
	return 0;
}

static int judge(struct json_stream *s, int status, struct err *err)
{
	return judge_as(s, status, "more than 64 MiB before the next value", err);
}

struct next {
	bool first, done;
	struct json_value key;
};

static enum json_status parse_element(struct json *j, void *to)
{
	struct next *next = to;

	return json_element(j, next->first, &next->done);
}

static enum json_status parse_member(struct json *j, void *to)
{
	struct next *next = to;

	return json_member(j, next->first, &next->key, &next->done);
}

static enum json_status parse_value(struct json *j, void *to)
{
	return json_value(j, to);
}

static enum json_status parse_blanks(struct json *j, void *to)
{
	(void)to;
	return json_blanks(j);
}

/* A key or a value that is mended, and where it is read into. */
struct mended {
	struct mend *mend;
	struct next *next;
	struct json_value *value;
	unsigned flaws; /* of what was read before it */
};

static enum json_status mend_next_member(struct json *j, void *to)
{
	struct mended *m = to;

	return mend_member(m->mend, j, m->next->first, &m->next->key.text,
			   &m->next->done);
}

static enum json_status mend_next_value(struct json *j, void *to)
{
	struct mended *m = to;
	enum json_status status = mend_value(m->mend, j);

	if (status != JSON_OK)
		return status;
	struct json text = json_of(buf_str(&m->mend->text));
	return json_value(&text, m->value);
}

static int tell_mended(struct json_stream *s, const char *start, struct err *err)
{
	const struct mend *m = &s->mend;

	for (size_t i = 0; i < m->nflaws; i++) {
		struct str shown = { start + m->flaws[i].at,
				     (size_t)(s->w.j.p - start) - m->flaws[i].at };
		if (tell(s, m->flaws[i].finding, window_at(&s->w, shown.p), shown, err) <
		    0)
			return -1;
	}
	return JSON_OK;
}

/* What the tokenizer stopped at is read from its start again; however it goes on. */
static int mend_from(struct json_stream *s, const char *start, window_parse_fn *parse,
		     struct mended *m, struct err *err)
{
	struct json *j = &s->w.j;
	size_t behind = (size_t)(j->p - start);
	bool ended = j->ended;
	const char *what = j->what;

	/* the time to read grows with the input's size only */
	if (j->strict || s->wasted > WASTE_MAX + 8 * window_at(&s->w, start))
		return JSON_BAD;
	m->mend = &s->mend;
	j->p = start;
	int status = window_parse(&s->w, parse, m, NAME_MAX, &start, err);
	if (status < 0)
		return -1;
	uint64_t passed = (uint64_t)(j->p - start) * MEND_VAIN_FOR_EACH;
	if (s->mend.in_vain > passed || status != JSON_OK)
		s->wasted += s->mend.in_vain;
	if (status == JSON_OK) {
		j->flaws = m->flaws;
		return tell_mended(s, start, err);
	}
	j->p = start + behind;
	j->ended |= ended;
	j->what = what;
	return JSON_BAD;
}

int json_stream_element(struct json_stream *s, bool first, struct err *err)
{
	struct next next = { .first = first };
	const char *start;

	if (window_keep_filled(&s->w, err) < 0)
		return -1;
	int rc = judge(
		s, window_parse(&s->w, parse_element, &next, NAME_MAX, &start, err), err);
	return rc > 0 ? !next.done : rc;
}

int json_stream_name(struct json_stream *s, bool first, struct str *key, struct err *err)
{
	struct next next = { .first = first };
	const char *start;

	if (window_keep_filled(&s->w, err) < 0)
		return -1;
	unsigned flaws = s->w.j.flaws;
	int status = window_parse(&s->w, parse_member, &next, NAME_MAX, &start, err);
	if (status == JSON_BAD && !s->w.j.ended)
		status =
			mend_from(s, start, mend_next_member,
				  &(struct mended){ .next = &next, .flaws = flaws }, err);
	int rc = judge(s, status, err);
	if (rc <= 0 || next.done)
		return rc > 0 ? 0 : rc;
	*key = next.key.text;
	return 1;
}

int json_stream_member(struct json_stream *s, bool first,
		       char key[JSON_STREAM_KEY_MAX + 1], struct err *err)
{
	struct str name;
	int rc = json_stream_name(s, first, &name, err);

	if (rc <= 0)
		return rc;
	name = json_cut(name, JSON_STREAM_KEY_MAX);
	if (name.n)
		memcpy(key, name.p, name.n);
	key[name.n] = '\0';
	return 1;
}

int json_stream_enter(struct json_stream *s, char bracket, const char *what,
		      struct err *err)
{
	const char *start;

	if (window_keep_filled(&s->w, err) < 0)
		return -1;
	int rc = judge(s, window_parse(&s->w, parse_blanks, NULL, NAME_MAX, &start, err),
		       err);

	if (rc <= 0)
		return rc;
	if (*s->w.j.p != bracket)
		return json_stream_bad(s, what, err);
	s->w.j.p++;
	return 1;
}

int json_stream_value(struct json_stream *s, struct json_value *value, struct err *err)
{
	const char *start;

	if (window_keep_filled(&s->w, err) < 0)
		return -1;
	unsigned flaws = s->w.j.flaws;
	int status = window_parse(&s->w, parse_value, value, VALUE_MAX, &start, err);
	if (status == JSON_BAD && !s->w.j.ended)
		status = mend_from(s, start, mend_next_value,
				   &(struct mended){ .value = value, .flaws = flaws },
				   err);
	int rc = judge_as(s, status, "a value of more than 1 GiB", err);

	/* digits at the very end of a text may be half of a number */
	if (rc > 0 && value->type == JSON_NUMBER && s->w.j.last &&
	    s->w.j.p == s->w.j.end && s->w.size) {
		s->is_cut = true;
		return 0;
	}
	return rc;
}

static int tell_flaws(struct json_stream *s, struct err *err)
{
	static const struct {
		unsigned flaw;
		enum finding finding;
	} flaws[] = {
		{ JSON_FLAW_ESCAPE, FINDING_ESCAPE },
		{ JSON_FLAW_CONTROL, FINDING_CONTROL_CHARACTER },
		{ JSON_FLAW_UTF8, FINDING_UTF8 },
		{ JSON_FLAW_NUMBER, FINDING_NUMBER_SYNTAX },
		{ JSON_FLAW_WORD, FINDING_NUMBER_SYNTAX },
	};

	for (size_t i = 0; i < sizeof(flaws) / sizeof(*flaws); i++)
		if (s->w.j.flaws & flaws[i].flaw &&
		    tell(s, flaws[i].finding, 0, STR_LIT(""), err) < 0)
			return -1;
	return 0;
}

/* Behind the end of the text: another one, of files that were put behind each other. */
static int tell_rest(struct json_stream *s, struct err *err)
{
	struct window *w = &s->w;

	while (json_blanks(&w->j) == JSON_MORE)
		if (window_move(w, w->j.p, w->size, err) < 0)
			return -1;
	if (w->j.p == w->j.end)
		return 0;
	return tell(s, FINDING_TRAILING_BYTES, window_at(w, w->j.p),
		    window_rest(w, w->j.p), err);
}

int json_stream_end(struct json_stream *s, struct input *in, struct err *err)
{
	uint64_t end = window_at(&s->w, s->w.j.end);
	const struct str none = STR_LIT("");
	const char *damage = input_damage(in);

	if (damage && tell(s, FINDING_COMPRESSION, end, str_of(damage), err) < 0)
		return -1;
	if (s->is_cut && tell(s, FINDING_TRUNCATED, end, none, err) < 0)
		return -1;
	if (!s->is_cut && !damage && tell_rest(s, err) < 0)
		return -1;
	if (input_is_utf16(in) && tell(s, FINDING_UTF16, 0, none, err) < 0)
		return -1;
	return tell_flaws(s, err);
}
