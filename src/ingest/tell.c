/* Findings and metadata of readers: see tell.h. */
#include "ingest/tell.h"

#include "base/utf8.h"

#define EXCERPT_BYTES 80

int tell_finding(struct sink *sink, const struct read_options *options, enum finding what,
		 uint64_t offset, struct str excerpt, struct err *err)
{
	if (options->strict && finding_kinds[what].severity != SEVERITY_INFO)
		return err_at(err, offset, "%s", finding_kinds[what].what);
	sink->finding(sink, what, offset, STR_LIT(""), utf8_cut(excerpt, EXCERPT_BYTES));
	return 0;
}

void tell_metadata(struct sink *sink, struct str key, const struct json_value *value,
		   unsigned flaws)
{
	struct buf plain_key, json;

	buf_init(&plain_key, SIZE_MAX);
	buf_init(&json, SIZE_MAX);
	sink->metadata(sink, json_valid_text(key, &plain_key),
		       json_valid(value, flaws, &json));
	buf_release(&plain_key);
	buf_release(&json);
}

void tell_scalar(struct sink *sink, struct str key, const struct json_value *value)
{
	if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
		tell_metadata(sink, key, value, json_flaws(value));
}

void tell_text(struct sink *sink, struct str key, struct str text)
{
	struct buf quoted_key, json;

	buf_init(&quoted_key, SIZE_MAX);
	buf_init(&json, SIZE_MAX);
	json_quote(key, &quoted_key);
	json_quote(text, &json);
	sink->metadata(sink, (struct str){ quoted_key.p + 1, quoted_key.n - 2 },
		       buf_str(&json));
	buf_release(&quoted_key);
	buf_release(&json);
}
