/* One event of a trace as it stands in the text (ingest/event.h). */
#include "reading.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/input.h"
#include "ingest/event.h"

/* Of its exact size, so that sanitizers see each overrun; the caller frees it. */
static char *window_copy(const char *text, size_t n)
{
	char *bytes = xcalloc(1, n + JSON_PADDING);

	for (size_t i = 0; i < n; i++)
		bytes[i] = text[i];
	return bytes;
}

/* The event of a text of its exact size; the caller frees the bytes. */
static char *parse(const char *text, struct event *e, enum json_status expected)
{
	size_t n = strlen(text);
	char *bytes = window_copy(text, n);
	struct json j = { .p = bytes, .end = bytes + n, .last = true };

	*e = (struct event){ 0 };
	assert_int_equal(event_parse(&j, e), expected);
	return bytes;
}

static void assert_field(const struct event *e, enum event_field field,
			 const char *expected)
{
	assert_true(event_has(e, field));
	assert_true(str_is(event_text(e, field), expected));
}

static void every_field_of_the_format_is_found(void **state)
{
	static struct event e;
	char *bytes = parse(
		"{\"name\":\"n\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":3,"
		"\"tid\":4,\"id\":5,\"id2\":{\"local\":6},\"scope\":\"s\",\"s\":\"t\","
		"\"bp\":\"e\",\"bind_id\":7,\"flow_in\":true,\"flow_out\":false,"
		"\"args\":{\"a\":1}}",
		&e, JSON_OK);

	(void)state;
	assert_field(&e, FIELD_NAME, "n");
	assert_field(&e, FIELD_CAT, "c");
	assert_field(&e, FIELD_PH, "X");
	assert_field(&e, FIELD_TS, "1");
	assert_field(&e, FIELD_DUR, "2");
	assert_field(&e, FIELD_PID, "3");
	assert_field(&e, FIELD_TID, "4");
	assert_field(&e, FIELD_ID, "5");
	assert_field(&e, FIELD_ID2, "{\"local\":6}");
	assert_field(&e, FIELD_SCOPE, "s");
	assert_field(&e, FIELD_S, "t");
	assert_field(&e, FIELD_BP, "e");
	assert_field(&e, FIELD_BIND_ID, "7");
	assert_field(&e, FIELD_FLOW_IN, "true");
	assert_field(&e, FIELD_FLOW_OUT, "false");
	assert_field(&e, FIELD_ARGS, "{\"a\":1}");
	assert_int_equal(e.present, (1U << NFIELDS) - 1);
	free(bytes);
}

static void other_keys_are_passed_over(void **state)
{
	static struct event e;
	char *bytes = parse(
		"{ \"cname\" : \"x\", \"stack\":[{\"ph\":\"Q\"}], \"p\":1, \"phx\":2,"
		"\"flow_outer\":3, \"\":4, \"ph\" : \"i\" }",
		&e, JSON_OK);

	(void)state;
	assert_int_equal(e.present, 1U << FIELD_PH);
	assert_field(&e, FIELD_PH, "i");
	assert_int_equal(e.text.n, strlen(bytes));
	free(bytes);
}

static void of_a_key_given_twice_the_last_one_counts(void **state)
{
	static struct event e;
	char *bytes = parse("{\"ts\":1,\"args\":{\"a\":1,\"b\":2,\"a\":3},\"ts\":2}", &e,
			    JSON_OK);

	(void)state;
	assert_field(&e, FIELD_TS, "2");
	assert_true(str_is(event_arg(&e, "a")->text, "3"));
	assert_true(str_is(event_arg(&e, "b")->text, "2"));
	assert_null(event_arg(&e, "c"));
	free(bytes);
	bytes = parse("{\"args\":{\"a\":1},\"args\":{\"b\":2}}", &e, JSON_OK);
	assert_int_equal(e.nargs, 1);
	assert_null(event_arg(&e, "a"));
	free(bytes);
	bytes = parse("{\"args\":{\"a\":1},\"args\":\"__stripped__\"}", &e, JSON_OK);
	assert_int_equal(e.nargs, 0);
	assert_false(e.args_is_object);
	assert_field(&e, FIELD_ARGS, "__stripped__");
	free(bytes);
}

static void null_is_as_good_as_no_field(void **state)
{
	static struct event e;
	char *bytes =
		parse("{\"ph\":\"X\",\"ts\":null,\"args\":null,\"dur\":3,\"dur\":null}",
		      &e, JSON_OK);

	(void)state;
	assert_int_equal(e.present, 1U << FIELD_PH);
	assert_int_equal(event_text(&e, FIELD_TS).n, 0);
	free(bytes);
}

static void members_of_args_are_kept_in_order(void **state)
{
	static struct event e;
	char *bytes = parse("{\"args\":{\"Input Dims\":[[1]],\"s\":\"x\",\"n\":-1}}", &e,
			    JSON_OK);

	(void)state;
	assert_int_equal(e.nargs, 3);
	assert_true(e.args_is_object);
	assert_true(str_is(e.args[0].key, "Input Dims"));
	assert_int_equal(e.args[0].value.type, JSON_ARRAY);
	assert_true(str_is(e.args[1].value.text, "x"));
	assert_true(str_is(e.args[2].value.text, "-1"));
	free(bytes);
}

static void args_beyond_the_limit_are_counted(void **state)
{
	static struct event e;
	struct buf text;

	(void)state;
	buf_init(&text, 10000);
	buf_add_text(&text, "{\"args\":{\"k\":0");
	for (int i = 1; i < EVENT_ARGS_MAX + 5; i++)
		buf_addf(&text, ",\"k%d\":%d", i, i);
	buf_add_text(&text, "}}");
	char *bytes = parse(text.p, &e, JSON_OK);
	assert_int_equal(e.nargs, EVENT_ARGS_MAX);
	assert_int_equal(e.lost_args, 5);
	free(bytes);
	buf_release(&text);
}

static void assert_same_value(const struct json_value *a, const struct json_value *b)
{
	assert_true(str_equal(a->text, b->text));
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->escaped, b->escaped);
	if (a->type != JSON_NUMBER)
		return;
	assert_int_equal(a->plain, b->plain);
	assert_true(a->plain == JSON_NOT_PLAIN || a->number == b->number);
}

static void assert_same_event(const struct event *a, const struct event *b)
{
	assert_int_equal(a->present, b->present);
	assert_int_equal(a->nargs, b->nargs);
	assert_int_equal(a->lost_args, b->lost_args);
	assert_int_equal(a->args_is_object, b->args_is_object);
	assert_true(str_equal(a->text, b->text));
	for (int field = 0; field < NFIELDS; field++)
		if (event_has(a, (enum event_field)field))
			assert_same_value(&a->field[field], &b->field[field]);
	for (size_t i = 0; i < a->nargs; i++) {
		assert_true(str_equal(a->args[i].key, b->args[i].key));
		assert_same_value(&a->args[i].value, &b->args[i].value);
		/* a meaning belongs to a key, whatever event it stands in */
		uint8_t *meaning = b->args[i].meaning;
		if (meaning && *meaning)
			assert_int_equal(*meaning, 1 + b->args[i].key.n % 200);
		else if (meaning)
			*meaning = (uint8_t)(1 + b->args[i].key.n % 200);
	}
}

/* What stands at j.p as read by *used, which has read others, and by one that has not. */
static void assert_reads_the_same(struct json j, struct event *used)
{
	static struct event new;
	struct json again = j;

	layouts_clear(&new.layouts);
	enum json_status status = event_parse(&j, &new);
	assert_int_equal(status, event_parse(&again, used));
	assert_ptr_equal(j.p, again.p);
	assert_int_equal(j.flaws, again.flaws);
	if (status == JSON_OK)
		assert_same_event(&new, used);
}

static void assert_reads_as_by_a_new_one(const char *text, size_t n, struct event *used)
{
	char *bytes = window_copy(text, n);

	assert_reads_the_same((struct json){ .p = bytes, .end = bytes + n, .last = true },
			      used);
	free(bytes);
}

static void members_that_were_seen_before_are_read_the_same(void **state)
{
	static const char *const texts[] = {
		"{\"ph\": \"X\", \"name\": \"a\", \"args\": {\"name\": 1, \"ts\": 2}, \"ts\": 3}",
		"{\"ph\": \"X\", \"name\": \"b\", \"args\": {\"ts\": 1}, \"ts\": 3}",
		"{\"ph\":  \"X\", \"name\" : \"b\", \"args\":  {\"ts\": 1}, \"ts\":\n3\n}",
		"{\"ph\": \"X\", \"args\": \"none\", \"ts\": null}",
		"{\"ph\": \"X\", \"args\": {}, \"ts\": 12.5}",
		"{}",
		"{ }",
		"{\"ph\": \"X\", \"ph\": \"i\", \"ph\": \"X\"}",
		"{\"a key that is longer than what is remembered of a member\": 1, \"ph\": \"X\"}",
		"{\"args\": {\"a key longer than what is remembered of a member\": 1, \"x\": 2}}",
		"{\"args\": {\"another one longer than what is remembered of it\": 1, \"x\": 2}}",
		"{\"ph\": \"X\", \"name\": \"b\", ",
		"{\"ph\": \"X\", \"name\": oops}",
		"{\"p\\u0068\": \"X\", \"b\xff\": 1, \"ph\": \"B\"}",
	};
	const size_t n = sizeof(texts) / sizeof(*texts);
	static struct event used;

	(void)state;
	for (size_t i = 0; i < n * n; i++) {
		assert_reads_as_by_a_new_one(texts[i / n], strlen(texts[i / n]), &used);
		assert_reads_as_by_a_new_one(texts[i % n], strlen(texts[i % n]), &used);
	}
}

/* What may stand in a layout that was seen with another value. */
static const char *const values[] = {
	"1",
	"0",
	"-7",
	"-0",
	"00",
	"012",
	"-",
	"+1",
	".5",
	"1.",
	"12.5",
	"12.345",
	"12.3456",
	"-12.345",
	"1.2.3",
	"12e3",
	"1E-2",
	"12.345e1",
	"99999999",
	"123456789",
	"1234567890123456",
	"12345678901234567",
	"123456789012345678",
	"999999999999999999",
	"9999999999999999999",
	"123456789012345678901234567890",
	"9223372036854774.999",
	"9223372036854776.000",
	"99999999999999999.123",
	"true",
	"null",
	"NaN",
	"oops",
	"\"\"",
	"\"x\"",
	"\"a text of more than sixteen bytes\"",
	"\"\\n\"",
	"\"\\q\"",
	"\"\x01\"",
	"\"\xc3\xa9\"",
	"\"\xff\"",
	"\"cut",
	"[1, 2]",
	"[1, ",
	"{\"a\": []}",
};

#define NVALUES (sizeof(values) / sizeof(*values))

static void values_in_a_known_layout_are_read_as_in_a_new_one(void **state)
{
	static const char *const keys[] = { "ts",   "ph",    "cat", "name",
					    "args", "other", "pid", "tid" };
	static struct event used;
	struct buf text;

	(void)state;
	buf_init(&text, 1000);
	for (size_t i = 0; i < NVALUES * NVALUES; i++) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			buf_clear(&text);
			buf_addf(&text, "{\"%s\": %s, \"args\": {\"a\": %s, \"b\": 1}}",
				 keys[k], values[i / NVALUES], values[i % NVALUES]);
			assert_reads_as_by_a_new_one(text.p, text.n, &used);
		}
	}
	buf_release(&text);
}

/* Each number is what base/decimal.h says of its text. */
static void plain_numbers_are_exact(void **state)
{
	static struct event e;
	char text[100];
	int64_t expected = 0, got = 0;

	(void)state;
	for (size_t i = 0; i < NVALUES; i++) {
		snprintf(text, sizeof(text), "{\"ts\":%s}", values[i]);
		char *bytes = window_copy(text, strlen(text));
		struct json j = { .p = bytes, .end = bytes + strlen(text), .last = true };
		struct json_value *ts = &e.field[FIELD_TS];
		if (event_parse(&j, &e) == JSON_OK) {
			assert_int_equal(json_int(ts, &got),
					 decimal_int(ts->text, &expected));
			assert_true(got == expected);
			assert_int_equal(json_us_to_ns(ts, &got),
					 decimal_us_to_ns(ts->text, &expected));
			assert_true(got == expected);
		}
		free(bytes);
	}
}

static void more_members_than_are_remembered_are_read_the_same(void **state)
{
	static struct event used;
	struct buf text;
	uint32_t random = 1;

	(void)state;
	buf_init(&text, 4096);
	for (int round = 0; round < 8 * LAYOUT_NODES; round++) {
		buf_clear(&text);
		buf_addf(&text, "{\"ph\":%d,\"k%d\":1,\"args\":{", round % 7,
			 round % 1000);
		for (unsigned i = 0; i < 1 + random % 5; i++) {
			random = random * 1664525 + 1013904223;
			buf_addf(&text, "%s\"%.*s\":%u", i ? "," : "",
				 (int)(random >> 16) % 30,
				 &"abcdefghijklmnopqrstuvwxyz0123456789"[random % 5],
				 random);
		}
		buf_addf(&text, "}%s\"name\":\"x\"}", round % 3 ? "," : " , ");
		assert_reads_as_by_a_new_one(text.p, text.n, &used);
	}
	buf_release(&text);
}

static void an_event_that_is_cut_or_broken_is_bad(void **state)
{
	static const char *const texts[] = { "{",           "{\"ph\"",
					     "{\"ph\":",    "{\"ph\":\"X",
					     "{\"args\":{", "{\"args\":{\"a\":1}",
					     "{\"a\":1,}",  "{\"args\":{1}}",
					     "{]" };
	static struct event e;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free(parse(texts[i], &e, JSON_BAD));
}

#define FILE_MOST ((size_t)1 << 20)

/* All objects of a text, as if each was an event. */
static int read_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	static struct event used;
	struct err err = ERR_INIT;

	(void)st;
	(void)ftw;
	struct input *in = type == FTW_F ? input_open(path, &err) : NULL;
	if (!in)
		return 0;
	struct bytes text = input_peek(in, FILE_MOST, &err);
	const char *p = (const char *)text.p, *end = p + text.n;
	for (; (p = memchr(p, '{', (size_t)(end - p))); p++)
		assert_reads_the_same((struct json){ .p = p, .end = end }, &used);
	input_close(in);
	return 0;
}

static void objects_of_all_fixtures_are_read_the_same(void **state)
{
	const char *fixtures = getenv("FIXTURES");

	(void)state;
	assert_int_equal(
		0, nftw(fixtures ? fixtures : "tests/fixtures", read_file, 16, FTW_PHYS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_the_format_is_found),
		cmocka_unit_test(other_keys_are_passed_over),
		cmocka_unit_test(of_a_key_given_twice_the_last_one_counts),
		cmocka_unit_test(null_is_as_good_as_no_field),
		cmocka_unit_test(members_of_args_are_kept_in_order),
		cmocka_unit_test(args_beyond_the_limit_are_counted),
		cmocka_unit_test(members_that_were_seen_before_are_read_the_same),
		cmocka_unit_test(values_in_a_known_layout_are_read_as_in_a_new_one),
		cmocka_unit_test(plain_numbers_are_exact),
		cmocka_unit_test(objects_of_all_fixtures_are_read_the_same),
		cmocka_unit_test(more_members_than_are_remembered_are_read_the_same),
		cmocka_unit_test(an_event_that_is_cut_or_broken_is_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
