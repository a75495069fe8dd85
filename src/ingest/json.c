/*
 * The tokenizer of json.h.  Scalar on purpose: short tokens make SIMD masks a
 * dependency chain, while predicted branches run ahead; only strings are
 * scanned eight bytes at a time.
 *
 * A scanning function takes the place of its first byte and returns the place
 * behind its last one, or NULL when it failed, with the status, p and what set.
 * None looks for the window's end on its way: the NUL there is no part of any
 * token, so that the end shows as something unexpected, and only then is asked.
 */
#include "ingest/json.h"

#include "ingest/scan.h"

static const char *bad(struct json *j, const char *p, const char *what)
{
	j->p = p;
	j->what = what;
	j->status = JSON_BAD;
	return NULL;
}

/* At the window's end: more bytes may come, or the input ends inside a value. */
static const char *at_end(struct json *j)
{
	if (j->last) {
		j->ended = true;
		return bad(j, j->end, "the text ends inside a value");
	}
	j->p = j->end;
	j->status = JSON_MORE;
	return NULL;
}

/* What stands at p was not expected: perhaps because the window ends here. */
static const char *unexpected(struct json *j, const char *p, const char *what)
{
	return p < j->end ? bad(j, p, what) : at_end(j);
}

/* Notes a flaw at p; false when it is an error. */
static bool flaw(struct json *j, unsigned which, const char *p, const char *what)
{
	j->flaws |= which;
	if (j->strict)
		bad(j, p, what);
	return !j->strict;
}

static enum json_status moved(struct json *j, const char *p)
{
	if (!p)
		return j->status;
	j->p = p;
	return JSON_OK;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The closing quote of a string that is not plain; p is at its first special byte. */
static const char *closing_quote(struct json *j, const char *p, uint64_t *high)
{
	for (; *p != '"' || p >= j->end; p = scan_text(p, high)) {
		if (p >= j->end || (*p == '\\' && p + 1 >= j->end))
			return at_end(j);
		if (*p == '\\')
			p += 2;
		else if (flaw(j, JSON_FLAW_CONTROL, p,
			      "a string contains a raw control character"))
			p++;
		else
			return NULL;
	}
	return p;
}

static bool check_text(struct json *j, const struct json_value *string, bool high)
{
	const char *at;

	if (string->escaped && (at = json_bad_escape(string->text)) &&
	    !flaw(j, JSON_FLAW_ESCAPE, at, "a string contains an invalid escape"))
		return false;
	return !high || !(at = json_bad_utf8(string->text)) ||
	       flaw(j, JSON_FLAW_UTF8, at, "a string is not valid UTF-8");
}

/* The string whose opening quote is at p. */
static inline const char *string(struct json *j, const char *p, struct json_value *out)
{
	const char *start = p + 1;
	uint64_t high = 0;

	p = scan_text(start, &high);
	bool plain = *p == '"' && p < j->end;
	if (!plain && !(p = closing_quote(j, p, &high)))
		return NULL;
	out->type = JSON_STRING;
	out->text = (struct str){ start, (size_t)(p - start) };
	out->escaped = !plain && memchr(start, '\\', out->text.n);
	if ((high || out->escaped) && !check_text(j, out, high))
		return NULL;
	return p + 1;
}

/* Behind the digits at p. */
static inline const char *digits(const char *p)
{
	unsigned n;

	do
		p += n = digits_count(digits_at(p));
	while (n == sizeof(uint64_t));
	return p;
}

/* The exponent behind 'e' or 'E'. */
static const char *exponent(const char *p, bool *ok)
{
	if (*p == '-' || *p == '+')
		p++;
	*ok = *ok && is_digit(*p);
	return digits(p);
}

/* A number that is no plain integer; p is at '-', '+', '.' or a digit. */
static const char *any_number(struct json *j, const char *p, struct json_value *out)
{
	const char *start = p;
	bool ok = *p != '+';

	if (*p == '-' || *p == '+')
		p++;
	const char *whole = p;
	p = digits(p);
	size_t nwhole = (size_t)(p - whole), nfraction = 1;
	ok = ok && nwhole > 0 && (nwhole == 1 || *whole != '0');
	if (*p == '.') {
		const char *fraction = ++p;
		p = digits(p);
		nfraction = (size_t)(p - fraction);
		ok = ok && nfraction > 0;
		nwhole += nfraction;
	}
	if (nwhole == 0)
		return unexpected(j, p, "a number has no digits");
	if (*p == 'e' || *p == 'E')
		p = exponent(p + 1, &ok);
	if (p >= j->end && (!j->last || p > j->end))
		return at_end(j);
	if (!ok && !flaw(j, JSON_FLAW_NUMBER, start, "a number is not valid JSON"))
		return NULL;
	out->type = JSON_NUMBER;
	out->text = (struct str){ start, (size_t)(p - start) };
	out->escaped = false;
	out->plain = JSON_NOT_PLAIN;
	return p;
}

/* Most numbers are those of scan_plain_number, many have another fraction. */
static inline const char *number(struct json *j, const char *p, struct json_value *out)
{
	const char *end = scan_plain_number(p, out);

	return end && end < j->end ? end : any_number(j, p, out);
}

struct literal {
	const char *text;
	size_t n;
	enum json_type type;
	unsigned flaw; /* an enum json_flaw, or 0 */
};

/* Behind RFC 8259's those of C's printf, Python and JavaScript. */
static const struct literal literals[] = {
	{ "true", 4, JSON_TRUE, 0 },
	{ "false", 5, JSON_FALSE, 0 },
	{ "null", 4, JSON_NULL, 0 },
	{ "NaN", 3, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "nan", 3, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "Infinity", 8, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "inf", 3, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "-Infinity", 9, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "-inf", 4, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "-nan", 4, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "N/A", 3, JSON_NULL, JSON_FLAW_NOT_FINITE },
	{ "None", 4, JSON_NULL, JSON_FLAW_WORD },
	{ "True", 4, JSON_TRUE, JSON_FLAW_WORD },
	{ "False", 5, JSON_FALSE, JSON_FLAW_WORD },
	{ "undefined", 9, JSON_NULL, JSON_FLAW_WORD },
};

/* What strict mode says of a literal with that flaw. */
static const char *word_problem(unsigned which)
{
	return which == JSON_FLAW_WORD ? "a word is not valid JSON"
				       : "NaN or Infinity in place of a number";
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       is_digit(c);
}

static const char *literal(struct json *j, const char *p, struct json_value *out)
{
	size_t left = (size_t)(j->end - p);

	for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++) {
		const struct literal *l = &literals[i];
		size_t n = left < l->n ? left : l->n;
		if (memcmp(p, l->text, n) != 0)
			continue;
		if (left < l->n || (left == l->n && !j->last))
			return at_end(j);
		if (is_word(p[n]))
			break;
		if (l->flaw && !flaw(j, l->flaw, p, word_problem(l->flaw)))
			return NULL;
		*out = (struct json_value){ .text = { p, n }, .type = l->type };
		return p + n;
	}
	return bad(j, p, "a value was expected");
}

static inline const char *scalar(struct json *j, const char *p, struct json_value *out)
{
	char c = *p;

	if (c == '"' && p < j->end)
		return string(j, p, out);
	if (is_digit(c) || c == '+' || c == '.')
		return number(j, p, out);
	if (c == '-' && (is_digit(p[1]) || p[1] == '.'))
		return number(j, p, out);
	return p < j->end ? literal(j, p, out) : at_end(j);
}

static inline const char *member(struct json *j, const char *p, bool first,
				 struct json_value *key, bool *done)
{
	p = json_skip_blanks(p);
	*done = *p == '}';
	if (*done)
		return p + 1;
	if (!first) {
		if (*p != ',')
			return unexpected(j, p, "',' or '}' was expected");
		p = json_skip_blanks(p + 1);
	}
	if (*p != '"' || p >= j->end)
		return unexpected(j, p, "a key was expected");
	p = string(j, p, key);
	if (!p)
		return NULL;
	p = json_skip_blanks(p);
	if (*p != ':')
		return unexpected(j, p, "':' was expected");
	return json_skip_blanks(p + 1);
}

static inline const char *element(struct json *j, const char *p, bool first, bool *done)
{
	p = json_skip_blanks(p);
	*done = *p == ']';
	if (*done)
		return p + 1;
	if (first)
		return p;
	if (*p != ',')
		return unexpected(j, p, "',' or ']' was expected");
	p = json_skip_blanks(p + 1);
	return *p == ']' ? bad(j, p, "a value was expected") : p;
}

/* The containers around p, a bit each: is it an object?  No depth needs a larger stack. */
struct nesting {
	unsigned depth;
	uint64_t bits[JSON_DEPTH_MAX / 64];
};

/* False when it is nested too deep. */
static bool push(struct nesting *n, bool object)
{
	if (n->depth == JSON_DEPTH_MAX)
		return false;
	uint64_t bit = UINT64_C(1) << (n->depth & 63);
	uint64_t *word = &n->bits[n->depth++ >> 6];
	/* The words are not set before they are used: a new one begins as zero. */
	*word = bit == 1 ? object : object ? *word | bit : *word & ~bit;
	return true;
}

/* Is the innermost container an object? */
static bool is_in_object(const struct nesting *n)
{
	unsigned at = n->depth - 1;

	return (n->bits[at >> 6] >> (at & 63)) & 1;
}

static inline bool is_opening(char c)
{
	return c == '{' || c == '[';
}

/* Behind a value or an opening bracket: to the next value, or behind the closing bracket. */
static inline const char *step(struct json *j, const char *p, bool in_object, bool first,
			       bool *done)
{
	struct json_value key;

	if (in_object)
		return member(j, p, first, &key, done);
	return element(j, p, first, done);
}

/* The object or array at p, to its closing bracket. */
static const char *container(struct json *j, const char *p, struct json_value *out)
{
	struct nesting nest;
	struct json_value leaf;
	const char *start = p;
	bool in_object = false, first = true, done = false;

	nest.depth = 0;
	do {
		if (first) {
			if (!push(&nest, *p == '{'))
				return bad(j, p, "nested too deep");
			in_object = *p++ == '{';
		} else if (!done) {
			p = scalar(j, p, &leaf);
		}
		if (!p || !(p = step(j, p, in_object, first, &done)))
			return NULL;
		if (done && --nest.depth)
			in_object = is_in_object(&nest);
		first = !done && is_opening(*p);
	} while (nest.depth);
	out->type = *start == '{' ? JSON_OBJECT : JSON_ARRAY;
	out->text = (struct str){ start, (size_t)(p - start) };
	out->escaped = false;
	return p;
}

enum json_status json_blanks(struct json *j)
{
	const char *p = json_skip_blanks(j->p);

	return moved(j, p < j->end ? p : at_end(j));
}

enum json_status json_value(struct json *j, struct json_value *out)
{
	const char *p = json_skip_blanks(j->p);

	if (is_opening(*p) && p < j->end)
		return moved(j, container(j, p, out));
	return moved(j, scalar(j, p, out));
}

/* A value must follow p; the caller wants to see how it begins. */
static enum json_status moved_to_value(struct json *j, const char *p, bool done)
{
	return moved(j, !p || done || p < j->end ? p : at_end(j));
}

enum json_status json_member(struct json *j, bool first, struct json_value *key,
			     bool *done)
{
	const char *p = member(j, j->p, first, key, done);

	return moved_to_value(j, p, *done);
}

enum json_status json_element(struct json *j, bool first, bool *done)
{
	const char *p = element(j, j->p, first, done);

	return moved_to_value(j, p, *done);
}

static int next_value(struct json *j, enum json_status status, bool done,
		      struct json_value *value)
{
	if (status != JSON_OK)
		return -1;
	if (done)
		return 0;
	return json_value(j, value) == JSON_OK ? 1 : -1;
}

int json_next_member(struct json_items *items, struct json_value *key,
		     struct json_value *value)
{
	bool done, is_first = !items->is_begun;

	items->is_begun = true;
	enum json_status status = json_member(&items->j, is_first, key, &done);
	return next_value(&items->j, status, done, value);
}

int json_next_element(struct json_items *items, struct json_value *value)
{
	bool done, is_first = !items->is_begun;

	items->is_begun = true;
	enum json_status status = json_element(&items->j, is_first, &done);
	return next_value(&items->j, status, done, value);
}
