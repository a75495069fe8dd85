/* Python's regular expressions: see python_re.h.  Python: Lib/re/_parser.py. */
#include "query/calls/python_re.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"
#include "base/buf.h"

/* What one match may cost: see filter.c. */
#define MATCH_LIMIT   UINT32_C(1000000)
#define HEAP_KIB      UINT32_C(20000)
#define PATTERN_BYTES ((size_t)1 << 20)
#define FLAGS_KEPT    "imsx"

struct spelling {
	struct str left; /* of the pattern */
	struct buf *out;
	bool is_ascii;
	bool is_at_start; /* nothing yet but global flags */
};

static char at(const struct spelling *s, size_t i)
{
	return (char)(i < s->left.n ? s->left.p[i] : 0);
}

static void copy(struct spelling *s, size_t n)
{
	buf_add(s->out, s->left.p, n);
	s->left = str_behind(s->left, n);
}

/* What stands for the first n bytes. */
static void replace(struct spelling *s, size_t n, const char *with)
{
	buf_add_text(s->out, with);
	s->left = str_behind(s->left, n);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* \x41, \u0041, \U00000041 */
static bool spell_code(struct spelling *s, size_t digits)
{
	struct str hex;

	for (size_t i = 0; i < digits; i++)
		if (!is_hex(at(s, 2 + i)))
			return false;
	hex = (struct str){ s->left.p + 2, digits };
	buf_addf(s->out, "\\x{" STR_FMT "}", STR_ARG(hex));
	s->left = str_behind(s->left, 2 + digits);
	return true;
}

static bool spell_escape(struct spelling *s, bool in_set)
{
	char c = at(s, 1);

	switch (c) {
	case '\0':
		return false; /* a lone backslash at the end */
	case 'x':
		return spell_code(s, 2);
	case 'u':
		return spell_code(s, 4);
	case 'U':
		return spell_code(s, 8);
	case 'v':
		replace(s, 2, "\\x0b");
		return true;
	case 'Z':
		replace(s, 2, "\\z");
		return !in_set;
	case 'A':
	case 'B':
		copy(s, 2);
		return !in_set;
	default:
		if (((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) &&
		    !strchr("abdDfnrsStwW", c))
			return false;
		copy(s, 2);
		return true;
	}
}

/* [...]: a '[' in it is a letter like others, never [:alpha:]. */
static bool spell_set(struct spelling *s)
{
	copy(s, at(s, 1) == '^' ? 2 : 1);
	if (at(s, 0) == ']')
		replace(s, 1, "\\]");
	while (s->left.n && at(s, 0) != ']') {
		if (at(s, 0) == '[')
			replace(s, 1, "\\[");
		else if (at(s, 0) != '\\')
			copy(s, 1);
		else if (!spell_escape(s, true))
			return false;
	}
	if (!s->left.n)
		return false;
	copy(s, 1);
	return true;
}

/* (?aiLmsux) at the start, (?i-s:...) anywhere. */
static bool spell_flags(struct spelling *s, bool is_at_start)
{
	size_t n = 2;

	buf_add_text(s->out, "(?");
	for (; at(s, n) && strchr("aimsux-", at(s, n)); n++) {
		s->is_ascii |= at(s, n) == 'a';
		if (strchr(FLAGS_KEPT "-", at(s, n)))
			buf_add_char(s->out, at(s, n));
	}
	if (at(s, n) == ')' ? !is_at_start || n == 2 : at(s, n) != ':')
		return false;
	bool is_global = at(s, n) == ')';
	s->left = str_behind(s->left, n);
	copy(s, 1);
	s->is_at_start = is_global;
	return true;
}

static bool spell_group(struct spelling *s, bool is_at_start)
{
	if (at(s, 1) == '*')
		return false;
	if (at(s, 1) != '?') {
		copy(s, 1);
		return true;
	}
	switch (at(s, 2)) {
	case 'P':
		if (at(s, 3) != '<' && at(s, 3) != '=')
			return false;
		break;
	case '<':
		if (at(s, 3) != '=' && at(s, 3) != '!')
			return false;
		break;
	case ':':
	case '#':
	case '=':
	case '!':
	case '>':
	case '(':
		break;
	default:
		return spell_flags(s, is_at_start);
	}
	copy(s, 3);
	return true;
}

/* {,n} */
static void spell_brace(struct spelling *s)
{
	size_t n = 2;

	if (at(s, 1) == ',') {
		while (is_digit(at(s, n)))
			n++;
		if (at(s, n) == '}') {
			replace(s, 2, "{0,");
			return;
		}
	}
	copy(s, 1);
}

static bool spell_next(struct spelling *s)
{
	bool was_at_start = s->is_at_start;

	s->is_at_start = false;
	switch (at(s, 0)) {
	case '\\':
		return spell_escape(s, false);
	case '[':
		return spell_set(s);
	case '(':
		return spell_group(s, was_at_start);
	case '{':
		spell_brace(s);
		return true;
	default:
		copy(s, 1);
		return true;
	}
}

/*
 * The pattern as PCRE2 spells it.  False where Python refuses it for what PCRE2 takes.
 * `is_ascii`: \w, \d, \s and \b know ASCII alone.
 */
static bool spell(struct str pattern, struct buf *out, bool *is_ascii)
{
	struct spelling s = { .left = pattern, .out = out, .is_at_start = true };
	bool ok = true;

	while (s.left.n && ok)
		ok = spell_next(&s);
	*is_ascii = s.is_ascii;
	return ok;
}

struct python_re {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

static pcre2_code *compile(struct str pattern)
{
	struct buf text;
	pcre2_code *code = NULL;
	bool is_ascii;
	size_t at;
	int number;

	buf_init(&text, PATTERN_BYTES);
	if (spell(pattern, &text, &is_ascii))
		code = pcre2_compile((PCRE2_SPTR)(text.p ? text.p : ""), text.n,
				     PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
					     PCRE2_NEVER_BACKSLASH_C |
					     (is_ascii ? 0 : PCRE2_UCP),
				     &number, &at, NULL);
	buf_release(&text);
	return code;
}

struct python_re *python_re_new(struct str pattern)
{
	struct python_re *re = xcalloc(1, sizeof(*re));

	re->code = compile(pattern);
	re->data = pcre2_match_data_create(1, NULL);
	re->context = pcre2_match_context_create(NULL);
	if (!re->code || !re->data || !re->context) {
		python_re_free(re);
		return NULL;
	}
	pcre2_set_match_limit(re->context, MATCH_LIMIT);
	pcre2_set_heap_limit(re->context, HEAP_KIB);
	return re;
}

void python_re_free(struct python_re *re)
{
	if (!re)
		return;
	pcre2_code_free(re->code);
	pcre2_match_data_free(re->data);
	pcre2_match_context_free(re->context);
	free(re);
}

int python_re_search(const struct python_re *re, struct str text, struct err *err)
{
	const char *p = text.p ? text.p : "";
	int rc =
		pcre2_match(re->code, (PCRE2_SPTR)p, text.n, 0, 0, re->data, re->context);

	if (rc >= 0)
		return 1;
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	return err_set(err, ERR_USAGE,
		       "a regular expression takes too long on '%.*s'; make it simpler",
		       text.n < 100 ? (int)text.n : 100, p);
}
