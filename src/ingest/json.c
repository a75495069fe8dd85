/*
 * The tokenizer of json.h.  Scalar on purpose: short tokens make SIMD masks a
 * dependency chain, while predicted branches run ahead; only strings are
 * scanned eight bytes at a time.
 */
#include "ingest/json.h"

#include <stdint.h>

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static enum json_status bad(struct json *j, const char *what)
{
	j->what = what;
	return JSON_BAD;
}

/* At the window's end: more bytes may come, or the input ends inside a value. */
static enum json_status at_end(struct json *j)
{
	if (!j->last)
		return JSON_MORE;
	j->ended = true;
	return bad(j, "the text ends inside a value");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

enum json_status json_blanks(struct json *j)
{
	const char *p = j->p;

	while (is_blank(*p) && p < j->end)
		p++;
	j->p = p < j->end ? p : j->end;
	return j->p < j->end ? JSON_OK : at_end(j);
}

/* True when a byte of the word is '"', '\\' or below 0x20; *high collects bits of non-ASCII. */
static bool word_has_special(uint64_t word, uint64_t *high)
{
	uint64_t quote = word ^ (ONES * '"');
	uint64_t slash = word ^ (ONES * '\\');

	*high |= word & HIGHS;
	return (((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) |
		((word - ONES * 0x20) & ~word)) & HIGHS;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The code unit of "\uXXXX" whose four digits are at p, or -1. */
static int32_t hex4(const char *p, const char *end)
{
	int32_t unit = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);
		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

static bool is_high_surrogate(int32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low_surrogate(int32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

/* Are all escapes of a complete string well formed? */
static bool escapes_are_valid(struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end) {
		if (*p++ != '\\')
			continue;
		if (p == end)
			return false;
		char c = *p++;
		if (c != 'u') {
			if (!strchr("\"\\/bfnrt", c) || !c)
				return false;
			continue;
		}
		int32_t unit = hex4(p, end);
		if (unit < 0 || is_low_surrogate(unit))
			return false;
		p += 4;
		if (!is_high_surrogate(unit))
			continue;
		if (end - p < 6 || p[0] != '\\' || p[1] != 'u' || !is_low_surrogate(hex4(p + 2, end)))
			return false;
		p += 6;
	}
	return true;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/*
 * In repair mode: does the quote before p really end the string?  Only when an
 * object could go on behind it: "}" or a comma and a short key with its colon.
 */
static bool ends_value(const char *p, const char *end)
{
	p = skip_blanks(p, end);
	if (p == end || *p == '}' || *p == ']' || *p == ':')
		return true;
	if (*p != ',')
		return false;
	p = skip_blanks(p + 1, end);
	if (p == end)
		return true;
	if (*p != '"')
		return false;
	for (const char *key = ++p; p < end && p - key < 64; p++) {
		if (*p == '\n' || *p == '\\')
			return false;
		if (*p == '"') {
			p = skip_blanks(p + 1, end);
			return p == end || *p == ':';
		}
	}
	return p == end;
}

/* Finds the closing quote from p on; notes what was seen on the way. */
static const char *find_quote(struct json *j, const char *p, bool *escaped, uint64_t *high)
{
	uint64_t word;

	for (;;) {
		for (;;) {
			memcpy(&word, p, sizeof(word));
			if (word_has_special(word, high) || p >= j->end)
				break;
			p += sizeof(word);
		}
		while ((unsigned char)*p >= 0x20 && *p != '"' && *p != '\\')
			p++;
		if (p >= j->end)
			return NULL;
		if (*p == '"') {
			if (!j->repair || ends_value(p + 1, j->end))
				return p;
			p++;
		} else if (*p == '\\') {
			*escaped = true;
			p += 2;
		} else {
			j->flaws |= JSON_FLAW_CONTROL;
			p++;
		}
	}
}

enum json_status json_string(struct json *j, struct json_value *out)
{
	const char *start = j->p + 1;
	uint64_t high = 0;
	bool escaped = false;

	const char *quote = find_quote(j, start, &escaped, &high);
	if (!quote)
		return at_end(j);
	out->type = JSON_STRING;
	out->text = (struct str){ start, (size_t)(quote - start) };
	out->escaped = escaped;
	if (escaped && !escapes_are_valid(out->text))
		j->flaws |= JSON_FLAW_ESCAPE;
	if (high && !json_is_utf8(out->text))
		j->flaws |= JSON_FLAW_UTF8;
	j->p = quote + 1;
	return JSON_OK;
}

static const char *digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

/* p is at '-', '+', '.' or a digit. */
static enum json_status number(struct json *j, struct json_value *out)
{
	const char *p = j->p;
	bool ok = *p != '+';

	if (*p == '-' || *p == '+')
		p++;
	const char *whole = p;
	p = digits(p);
	size_t nwhole = (size_t)(p - whole), nfraction = 0;
	if (nwhole == 0 || (nwhole > 1 && *whole == '0'))
		ok = false;
	if (*p == '.') {
		const char *fraction = ++p;
		p = digits(p);
		nfraction = (size_t)(p - fraction);
		ok = ok && nfraction > 0;
	}
	if (nwhole + nfraction == 0 && p < j->end)
		return bad(j, "a number has no digits");
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '-' || *p == '+')
			p++;
		ok = ok && is_digit(*p);
		p = digits(p);
	}
	if (p >= j->end && !j->last)
		return JSON_MORE;
	if (p > j->end)
		return at_end(j);
	if (!ok)
		j->flaws |= JSON_FLAW_NUMBER;
	out->type = JSON_NUMBER;
	out->text = (struct str){ j->p, (size_t)(p - j->p) };
	j->p = p;
	return JSON_OK;
}

struct literal {
	const char *text;
	size_t n;
	enum json_type type;
	unsigned flaw;
};

/* Longer spellings first.  The not-finite ones are Python's and C's printf's. */
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
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static enum json_status literal(struct json *j, struct json_value *out)
{
	size_t left = (size_t)(j->end - j->p);

	for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++) {
		const struct literal *l = &literals[i];
		size_t n = left < l->n ? left : l->n;
		if (memcmp(j->p, l->text, n) != 0)
			continue;
		if (left <= l->n && !j->last)
			return JSON_MORE;
		if (left < l->n || is_word(j->p[l->n]))
			continue;
		j->flaws |= l->flaw;
		*out = (struct json_value){ { j->p, l->n }, l->type, false };
		j->p += l->n;
		return JSON_OK;
	}
	return bad(j, "a value was expected");
}

static enum json_status scalar(struct json *j, struct json_value *out)
{
	char c = *j->p;

	if (c == '"')
		return json_string(j, out);
	if (is_digit(c) || c == '+' || c == '.')
		return number(j, out);
	if (c == '-' && (is_digit(j->p[1]) || j->p[1] == '.'))
		return number(j, out);
	return literal(j, out);
}

/* One bit a level: is it an object?  Enough for any sane depth, no recursion. */
struct nesting {
	unsigned depth;
	uint64_t bits[JSON_DEPTH_MAX / 64];
};

static bool push(struct nesting *n, bool object)
{
	if (n->depth == JSON_DEPTH_MAX)
		return false;
	uint64_t bit = (uint64_t)object << (n->depth & 63);
	uint64_t below = n->depth & 63 ? n->bits[n->depth >> 6] : 0;
	uint64_t mask = (UINT64_C(1) << (n->depth & 63)) - 1;
	n->bits[n->depth >> 6] = (below & mask) | bit;
	n->depth++;
	return true;
}

static bool top_is_object(const struct nesting *n)
{
	unsigned at = n->depth - 1;

	return (n->bits[at >> 6] >> (at & 63)) & 1;
}

/*
 * One step inside a container whose bracket was passed: a member's key, an
 * element's place, or the closing bracket (*done).
 */
static enum json_status container_step(struct json *j, bool object, bool first, bool *done)
{
	struct json_value key;

	if (object)
		return json_member(j, first, &key, done);
	return json_element(j, first, done);
}

/* The object or array at p, to its closing bracket. */
static enum json_status container(struct json *j, struct json_value *out)
{
	struct nesting nest;
	struct json_value leaf;
	const char *start = j->p;
	bool first = true, done = false;

	nest.depth = 0;
	push(&nest, *start == '{');
	j->p++;
	while (nest.depth) {
		enum json_status status = container_step(j, top_is_object(&nest), first, &done);
		if (status != JSON_OK)
			return status;
		first = false;
		if (done) {
			nest.depth--;
		} else if (*j->p == '{' || *j->p == '[') {
			if (!push(&nest, *j->p == '{'))
				return bad(j, "nested too deep");
			j->p++;
			first = true;
		} else if ((status = scalar(j, &leaf)) != JSON_OK) {
			return status;
		}
	}
	out->type = *start == '{' ? JSON_OBJECT : JSON_ARRAY;
	out->text = (struct str){ start, (size_t)(j->p - start) };
	out->escaped = false;
	return JSON_OK;
}

enum json_status json_value(struct json *j, struct json_value *out)
{
	enum json_status status = json_blanks(j);

	if (status != JSON_OK)
		return status;
	if (*j->p == '{' || *j->p == '[')
		return container(j, out);
	return scalar(j, out);
}

enum json_status json_member(struct json *j, bool first, struct json_value *key, bool *done)
{
	enum json_status status = json_blanks(j);

	if (status != JSON_OK)
		return status;
	*done = *j->p == '}';
	if (*done) {
		j->p++;
		return JSON_OK;
	}
	if (!first) {
		if (*j->p != ',')
			return bad(j, "',' or '}' was expected");
		j->p++;
		if ((status = json_blanks(j)) != JSON_OK)
			return status;
	}
	if (*j->p != '"')
		return bad(j, "a key was expected");
	if ((status = json_string(j, key)) != JSON_OK)
		return status;
	if ((status = json_blanks(j)) != JSON_OK)
		return status;
	if (*j->p != ':')
		return bad(j, "':' was expected");
	j->p++;
	return json_blanks(j);
}

enum json_status json_element(struct json *j, bool first, bool *done)
{
	enum json_status status = json_blanks(j);

	if (status != JSON_OK)
		return status;
	*done = *j->p == ']';
	if (*done) {
		j->p++;
		return JSON_OK;
	}
	if (first)
		return JSON_OK;
	if (*j->p != ',')
		return bad(j, "',' or ']' was expected");
	j->p++;
	if ((status = json_blanks(j)) != JSON_OK)
		return status;
	if (*j->p == ']')
		return bad(j, "a value was expected");
	return JSON_OK;
}
