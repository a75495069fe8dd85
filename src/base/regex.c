/* Regular expressions: see regex.h. */
#include "base/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/alloc.h"

/* What one match may cost before it is given up. */
#define MATCH_LIMIT UINT32_C(1000000)
#define HEAP_KIB    UINT32_C(20000)
/* Bytes of a text in a message. */
#define TEXT_SHOWN ((size_t)100)

struct regex {
	const char *option, *pattern; /* borrowed */
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_code_free(r->code);
	pcre2_match_data_free(r->data);
	pcre2_match_context_free(r->context);
	free(r);
}

static int out_of_memory(struct err *err)
{
	return err_set(err, ERR_IO, "out of memory");
}

static int compile(struct regex *r, struct err *err)
{
	char why[128];
	size_t at;
	int code;

	r->code = pcre2_compile((PCRE2_SPTR)r->pattern, PCRE2_ZERO_TERMINATED,
				PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
					PCRE2_NEVER_BACKSLASH_C,
				&code, &at, NULL);
	if (!r->code) {
		pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
		return err_set(err, ERR_USAGE, "%s '%.200s': character %zu: %s",
			       r->option, r->pattern, at + 1, why);
	}
	r->data = pcre2_match_data_create(2, NULL);
	r->context = pcre2_match_context_create(NULL);
	if (!r->data || !r->context)
		return out_of_memory(err);
	pcre2_set_match_limit(r->context, MATCH_LIMIT);
	pcre2_set_heap_limit(r->context, HEAP_KIB);
	return 0;
}

int regex_compile(const char *option, const char *pattern, struct regex **out,
		  struct err *err)
{
	struct regex *r = xcalloc(1, sizeof(*r));

	r->option = option;
	r->pattern = pattern;
	*out = r;
	if (compile(r, err) == 0)
		return 0;
	regex_free(r);
	*out = NULL;
	return -1;
}

int regex_match(const struct regex *r, struct str text, struct err *err)
{
	const char *p = text.p ? text.p : "";
	int rc = pcre2_match(r->code, (PCRE2_SPTR)p, text.n, 0, 0, r->data, r->context);

	if (rc >= 0)
		return 1;
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc == PCRE2_ERROR_NOMEMORY)
		return out_of_memory(err);
	struct str shown = { p, text.n < TEXT_SHOWN ? text.n : TEXT_SHOWN };
	return err_set(err, ERR_USAGE,
		       "%s takes too long on '" STR_FMT "'; make it simpler", r->option,
		       STR_ARG(shown));
}

bool regex_group(const struct regex *r, struct str text, struct str *out)
{
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(r->data);
	uint32_t groups = 0;

	pcre2_pattern_info(r->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	if (groups == 0 || places[2] == PCRE2_UNSET)
		return false;
	*out = (struct str){ text.p + places[2], places[3] - places[2] };
	return true;
}

const char *regex_option(const struct regex *r)
{
	return r->option;
}

const char *regex_pattern(const struct regex *r)
{
	return r->pattern;
}

void regex_version(char out[64])
{
	/* PCRE2 asks for at least 24 bytes. */
	if (pcre2_config(PCRE2_CONFIG_VERSION, out) < 0)
		out[0] = '\0';
}
