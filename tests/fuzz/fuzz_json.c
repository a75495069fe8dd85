/*
 * The JSON tokenizer on any bytes: strict and tolerant mode agree about what
 * has no flaw, a window that shows a part is never taken for the whole, pulling
 * members one by one gives what the value as a whole is, and text survives
 * being quoted; what is mended is JSON.
 * timeout: 600 s
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ingest/json.h"
#include "ingest/mend.h"

#define TEXT_MAX ((size_t)1 << 28)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A copy of its exact size and padding, so that sanitizers see each overrun. */
static char *window_copy(const uint8_t *data, size_t size)
{
	char *copy = xcalloc(1, size + JSON_PADDING);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

static struct json reader_of(const char *text, size_t size, bool last, bool strict)
{
	return (struct json){
		.p = text, .end = text + size, .last = last, .strict = strict
	};
}

/* Both ways of reading a container end at the same place. */
static void pull(const char *text, size_t size, const struct json_value *whole)
{
	struct json j = reader_of(text, size, true, false);
	struct json_value part;
	bool done;

	j.p = whole->text.p + 1;
	for (bool first = true;; first = false) {
		must((whole->type == JSON_OBJECT
			      ? json_member(&j, first, &part, &done)
			      : json_element(&j, first, &done)) == JSON_OK);
		if (done)
			break;
		must(json_value(&j, &part) == JSON_OK);
	}
	must(j.p == whole->text.p + whole->text.n);
}

static void unescape_and_quote(struct str text)
{
	struct buf plain, quoted, again;
	struct json_value value;

	buf_init(&plain, TEXT_MAX);
	buf_init(&quoted, TEXT_MAX);
	buf_init(&again, TEXT_MAX);
	struct str unescaped = json_unescape(text, &plain);
	must(!json_bad_utf8(unescaped));
	json_quote(unescaped, &quoted);
	buf_add(&quoted, (char[JSON_PADDING]){ 0 }, JSON_PADDING);
	struct json j = reader_of(quoted.p, quoted.n - JSON_PADDING, true, true);
	must(json_value(&j, &value) == JSON_OK && value.type == JSON_STRING &&
	     j.p == j.end);
	must(str_equal(json_unescape(value.text, &again), unescaped));
	buf_release(&plain);
	buf_release(&quoted);
	buf_release(&again);
}

/* What is mended is JSON without a flaw, and no more than there was. */
static void check_mended(const char *text, size_t size)
{
	struct mend m;
	struct json_value value;

	for (int event = 0; event < 2; event++) {
		struct json j = reader_of(text, size, true, false);
		mend_init(&m);
		enum json_status status = event ? mend_event(&m, &j) : mend_value(&m, &j);
		must(status != JSON_MORE && j.p >= text && j.p <= text + size);
		if (status == JSON_OK) {
			struct json again = json_of(buf_str(&m.text));
			again.strict = true;
			must(json_value(&again, &value) == JSON_OK);
			must(again.p == again.end);
		}
		for (size_t i = 0; i < m.nflaws; i++)
			must(m.flaws[i].at <= size);
		mend_release(&m);
	}
}

static void check_parts(const uint8_t *data, size_t size, enum json_status whole)
{
	size_t cut = size ? hash_bytes(data, size) % size : 0;
	char *part = window_copy(data, cut);
	struct json j = reader_of(part, cut, false, false);
	struct json_value value;

	enum json_status status = json_value(&j, &value);
	must(j.p >= part && j.p <= part + cut);
	must(status != JSON_BAD || whole == JSON_BAD);
	free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = window_copy(data, size);
	struct json strict = reader_of(text, size, true, true);
	struct json tolerant = reader_of(text, size, true, false);
	struct json_value value;

	enum json_status strict_status = json_value(&strict, &value);
	enum json_status status = json_value(&tolerant, &value);
	must(status != JSON_MORE && strict_status != JSON_MORE);
	must((strict_status == JSON_OK) == (status == JSON_OK && tolerant.flaws == 0));
	must(strict.p <= text + size && tolerant.p <= text + size);
	if (status == JSON_OK) {
		must(value.text.p >= text && value.text.p + value.text.n <= tolerant.p);
		if (value.type == JSON_OBJECT || value.type == JSON_ARRAY)
			pull(text, size, &value);
	}
	check_parts(data, size, status);
	check_mended(text, size);
	unescape_and_quote((struct str){ text, size });
	free(text);
	return 0;
}
