/* Python's regular expressions: see python_re.h. */
#include "query/calls/python_re.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"

/* What one match may cost: see filter.c. */
#define MATCH_LIMIT   UINT32_C(1000000)
#define HEAP_KIB      UINT32_C(20000)
#define PATTERN_BYTES ((size_t)1 << 20)

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
	if (python_re_spell(pattern, &text, &is_ascii))
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
