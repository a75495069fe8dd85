/*
 * The tokenizer of ingest/json.h: single rules here, RFC 8259 as a whole by the
 * table tests/fixtures/json/vectors.txt.
 */
#include "reading.h"

#include <stdio.h>

#include "base/alloc.h"
#include "ingest/json.h"

/* A window over a copy of its exact size, so that sanitizers see each overrun. */
struct window_copy {
	char *bytes; /* owned */
	struct json j;
};

static struct window_copy window_over(struct str text, bool last, bool strict)
{
	struct window_copy w = { .bytes = xcalloc(1, text.n + JSON_PADDING) };

	if (text.n)
		memcpy(w.bytes, text.p, text.n);
	w.j = (struct json){
		.p = w.bytes, .end = w.bytes + text.n, .last = last, .strict = strict
	};
	return w;
}

/* A whole text: one value, and blanks behind it. */
static enum json_status read_text(struct json *j)
{
	struct json_value value;
	enum json_status status = json_value(j, &value);

	if (status != JSON_OK)
		return status;
	return json_blanks(j) == JSON_OK ? JSON_BAD : JSON_OK;
}

static enum json_status read_whole(struct str text, bool strict, unsigned *flaws)
{
	struct window_copy w = window_over(text, true, strict);
	enum json_status status = read_text(&w.j);

	*flaws = w.j.flaws;
	free(w.bytes);
	return status;
}

/* The value of a text that has one, as the tokenizer gives it; the caller frees the bytes. */
static struct window_copy value_of(const char *text, struct json_value *value)
{
	struct window_copy w = window_over(str_of(text), true, false);

	assert_int_equal(json_value(&w.j, value), JSON_OK);
	return w;
}

static void assert_value(const char *text, enum json_type type, const char *expected)
{
	struct json_value value;
	struct window_copy w = value_of(text, &value);

	assert_int_equal(value.type, type);
	assert_true(str_is(value.text, expected));
	free(w.bytes);
}

static void a_value_is_borrowed_as_it_stands(void **state)
{
	(void)state;
	assert_value(" \n\"a\\n\" ", JSON_STRING, "a\\n");
	assert_value("-12.5e+3,", JSON_NUMBER, "-12.5e+3");
	assert_value("true", JSON_TRUE, "true");
	assert_value("false]", JSON_FALSE, "false");
	assert_value("null}", JSON_NULL, "null");
	assert_value("NaN", JSON_NULL, "NaN");
	assert_value("[1, [2], {\"a\": []}] x", JSON_ARRAY, "[1, [2], {\"a\": []}]");
	assert_value("{ \"}\" : \"]\" } x", JSON_OBJECT, "{ \"}\" : \"]\" }");
}

static void a_string_tells_whether_it_has_escapes(void **state)
{
	struct json_value value;
	struct window_copy w =
		value_of("\"plain text that is longer than eight\"", &value);

	(void)state;
	assert_false(value.escaped);
	free(w.bytes);
	w = value_of("\"text with \\u00e9\"", &value);
	assert_true(value.escaped);
	free(w.bytes);
}

static void members_and_elements_are_pulled_one_by_one(void **state)
{
	struct window_copy w =
		window_over(STR_LIT("{\"a\": [1, \"b\"], \"c\": {}}"), true, true);
	struct json_value key, value;
	bool done;

	(void)state;
	w.j.p++;
	assert_int_equal(json_member(&w.j, true, &key, &done), JSON_OK);
	assert_true(!done && str_is(key.text, "a"));
	w.j.p++;
	assert_int_equal(json_element(&w.j, true, &done), JSON_OK);
	assert_int_equal(json_value(&w.j, &value), JSON_OK);
	assert_true(str_is(value.text, "1"));
	assert_int_equal(json_element(&w.j, false, &done), JSON_OK);
	assert_int_equal(json_value(&w.j, &value), JSON_OK);
	assert_true(!done && str_is(value.text, "b"));
	assert_int_equal(json_element(&w.j, false, &done), JSON_OK);
	assert_true(done);
	assert_int_equal(json_member(&w.j, false, &key, &done), JSON_OK);
	assert_true(!done && str_is(key.text, "c"));
	assert_int_equal(json_value(&w.j, &value), JSON_OK);
	assert_int_equal(json_member(&w.j, false, &key, &done), JSON_OK);
	assert_true(done);
	free(w.bytes);
}

static void the_deepest_nesting_allowed_is_read_and_one_more_is_not(void **state)
{
	size_t n = JSON_DEPTH_MAX;
	char *text = xmalloc(2 * (n + 1) + 1);
	unsigned flaws;

	(void)state;
	memset(text, '[', n + 1);
	memset(text + n + 1, ']', n + 1);
	assert_int_equal(read_whole((struct str){ text + 1, 2 * n }, true, &flaws),
			 JSON_OK);
	assert_int_equal(read_whole((struct str){ text, 2 * (n + 1) }, true, &flaws),
			 JSON_BAD);
	free(text);
}

static void brackets_of_a_deep_nesting_must_match(void **state)
{
	unsigned flaws;
	struct buf text;

	(void)state;
	buf_init(&text, 4096);
	for (int depth = 0; depth < 200; depth++)
		buf_add_text(&text, depth % 3 ? "{\"a\":" : "[");
	buf_add_char(&text, '0');
	for (int depth = 200; depth-- > 0;)
		buf_add_char(&text, depth % 3 ? '}' : ']');
	assert_int_equal(read_whole(buf_str(&text), true, &flaws), JSON_OK);
	for (size_t at = text.n - 200; at < text.n; at++) {
		char right = text.p[at];
		text.p[at] = right == ']' ? '}' : ']';
		assert_int_equal(read_whole(buf_str(&text), true, &flaws), JSON_BAD);
		text.p[at] = right;
	}
	buf_release(&text);
}

static void strict_mode_stops_where_the_flaw_stands(void **state)
{
	static const struct {
		const char *text;
		int at;
		const char *what;
	} cases[] = {
		{ "[\"abcdefghij\\q\"]", 12, "a string contains an invalid escape" },
		{ "[\"abcdefghij\\ud800\"]", 12, "a string contains an invalid escape" },
		{ "[\"abcdefghi\tj\"]", 11, "a string contains a raw control character" },
		{ "[\"abcdefghij\xff\"]", 12, "a string is not valid UTF-8" },
		{ "[1, 02]", 4, "a number is not valid JSON" },
		{ "[1, NaN]", 4, "NaN or Infinity in place of a number" },
		{ "[1, 2", 5, "the text ends inside a value" },
		{ "{\"a\" 1}", 5, "':' was expected" },
		{ "{\"a\":1 2}", 7, "',' or '}' was expected" },
		{ "[1 2]", 3, "',' or ']' was expected" },
		{ "[1,]", 3, "a value was expected" },
		{ "{1:2}", 1, "a key was expected" },
		{ "[+]", 2, "a number has no digits" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct window_copy w = window_over(str_of(cases[i].text), true, true);
		struct json_value value;

		assert_int_equal(json_value(&w.j, &value), JSON_BAD);
		assert_int_equal(w.j.p - w.bytes, cases[i].at);
		assert_string_equal(w.j.what, cases[i].what);
		free(w.bytes);
	}
}

static void only_an_end_inside_a_value_counts_as_ended(void **state)
{
	static const char *const cut[] = { "[1, 2", "\"abc", "{\"a\"", "tru",
					   "-",     "[1,",   "" };
	static const char *const wrong[] = { "[1, 2}", "truex", "{a", "-x", "[1,]" };
	struct json_value value;

	(void)state;
	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		struct window_copy w = window_over(str_of(cut[i]), true, false);
		assert_int_equal(json_value(&w.j, &value), JSON_BAD);
		assert_true(w.j.ended);
		free(w.bytes);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct window_copy w = window_over(str_of(wrong[i]), true, false);
		assert_int_equal(json_value(&w.j, &value), JSON_BAD);
		assert_false(w.j.ended);
		free(w.bytes);
	}
}

struct kind {
	const char *name;
	enum json_status tolerant, strict;
	unsigned flaws;
};

static const struct kind kinds[] = {
	{ "y", JSON_OK, JSON_OK, 0 },
	{ "n", JSON_BAD, JSON_BAD, 0 },
	{ "escape", JSON_OK, JSON_BAD, JSON_FLAW_ESCAPE },
	{ "word", JSON_OK, JSON_BAD, JSON_FLAW_WORD },
	{ "control", JSON_OK, JSON_BAD, JSON_FLAW_CONTROL },
	{ "utf8", JSON_OK, JSON_BAD, JSON_FLAW_UTF8 },
	{ "number", JSON_OK, JSON_BAD, JSON_FLAW_NUMBER },
	{ "not_finite", JSON_OK, JSON_BAD, JSON_FLAW_NOT_FINITE },
};

struct vector {
	const struct kind *kind;
	char name[64];
	char bytes[2048];
	struct str text;
};

static const struct kind *find_kind(const char *name)
{
	if (strncmp(name, "i/", 2) == 0)
		name += 2;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static size_t decode_percent(const char *from, char *to)
{
	size_t n = 0;

	for (const char *p = from; *p && *p != '\n'; p++) {
		unsigned byte = (unsigned char)*p;
		if (*p == '%') {
			assert_int_equal(sscanf(p + 1, "%2X", &byte), 1);
			p += 2;
		}
		to[n++] = (char)byte;
	}
	return n;
}

typedef void vector_fn(const struct vector *v);

/* Calls `each` for every line of the table; returns how many there were. */
static int each_vector(vector_fn *each)
{
	const char *fixtures = getenv("FIXTURES");
	char *path =
		xasprintf("%s/json/vectors.txt", fixtures ? fixtures : "tests/fixtures");
	FILE *in = fopen(path, "r");
	char line[2048], kind[32];
	int n = 0;

	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		struct vector v;
		int text_at = 0;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		assert_int_equal(sscanf(line, "%31s %63s%n", kind, v.name, &text_at), 2);
		v.kind = find_kind(kind);
		assert_non_null(v.kind);
		v.text = (struct str){ v.bytes,
				       decode_percent(line + text_at + 1, v.bytes) };
		v.bytes[v.text.n] = '\0'; /* for strspn() */
		each(&v);
		n++;
	}
	fclose(in);
	free(path);
	return n;
}

static void assert_reads_as_its_kind(const struct vector *v)
{
	unsigned flaws;

	if (read_whole(v->text, true, &flaws) != v->kind->strict)
		fail_msg("%s: strict mode", v->name);
	if (read_whole(v->text, false, &flaws) != v->kind->tolerant)
		fail_msg("%s: tolerant mode", v->name);
	if (v->kind->tolerant == JSON_OK && flaws != v->kind->flaws)
		fail_msg("%s: flaws %u", v->name, flaws);
}

static void every_vector_reads_as_the_rfc_says(void **state)
{
	(void)state;
	assert_true(each_vector(assert_reads_as_its_kind) > 200);
}

/* A window that shows a part must not be taken for the whole. */
static void assert_parts_ask_for_more(const struct vector *v)
{
	for (size_t n = 0; n < v->text.n && v->kind->tolerant == JSON_OK; n++) {
		struct window_copy w =
			window_over((struct str){ v->text.p, n }, false, false);
		struct json_value value;
		enum json_status status = json_value(&w.j, &value);

		if (status == JSON_OK) /* what is missing are blanks */
			assert_true(strspn(v->text.p + (w.j.p - w.bytes), " \t\r\n") ==
				    v->text.n - (size_t)(w.j.p - w.bytes));
		else if (status != JSON_MORE)
			fail_msg("%s: %zu bytes of it are refused", v->name, n);
		free(w.bytes);
	}
}

static void a_window_that_ends_inside_a_value_asks_for_more(void **state)
{
	(void)state;
	each_vector(assert_parts_ask_for_more);
}

/* The text as an argument of an event. */
static void assert_event_tells_its_flaw(const struct vector *v)
{
	struct recording r;
	struct err err = ERR_INIT;
	struct buf json;

	buf_init(&json, 4096);
	buf_add_text(&json,
		     "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"n\",\"args\":{\"v\":");
	buf_add_str(&json, v->text);
	buf_add_text(&json, "}}]");
	recording_init(&r);
	int rc = recording_read(&r, buf_str(&json),
				&(struct read_options){ .strict = false }, 0, &err);
	unsigned expected = v->kind->tolerant == JSON_OK ? v->kind->flaws != 0 : 1;
	if (v->kind->tolerant == JSON_OK
		    ? rc < 0 || r.nfindings != expected || r.nslices != 1
		    : rc == 0 && r.nfindings < expected)
		fail_msg("%s: %d, %u findings: %s", v->name, rc, r.nfindings, err.text);
	recording_release(&r);
	recording_init(&r);
	rc = recording_read(&r, buf_str(&json), &(struct read_options){ .strict = true },
			    0, &err);
	if ((rc == 0) != (v->kind->strict == JSON_OK))
		fail_msg("%s: strict mode gave %d", v->name, rc);
	recording_release(&r);
	buf_release(&json);
}

static void every_invalid_vector_in_an_event_is_a_finding(void **state)
{
	(void)state;
	each_vector(assert_event_tells_its_flaw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_borrowed_as_it_stands),
		cmocka_unit_test(a_string_tells_whether_it_has_escapes),
		cmocka_unit_test(members_and_elements_are_pulled_one_by_one),
		cmocka_unit_test(the_deepest_nesting_allowed_is_read_and_one_more_is_not),
		cmocka_unit_test(brackets_of_a_deep_nesting_must_match),
		cmocka_unit_test(strict_mode_stops_where_the_flaw_stands),
		cmocka_unit_test(only_an_end_inside_a_value_counts_as_ended),
		cmocka_unit_test(every_vector_reads_as_the_rfc_says),
		cmocka_unit_test(a_window_that_ends_inside_a_value_asks_for_more),
		cmocka_unit_test(every_invalid_vector_in_an_event_is_a_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
