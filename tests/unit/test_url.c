/* URLs of databases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>

#include "remote/url.h"

struct parsed {
	struct arena arena;
	struct remote_url url;
	struct err err;
	int rc;
};

static struct parsed parse(const char *text)
{
	struct parsed p = { .err = ERR_INIT };

	p.rc = url_parse(text, &p.arena, &p.url, &p.err);
	return p;
}

static void a_url_has_all_its_parts(void **state)
{
	(void)state;
	struct parsed p = parse("clickhouse://me@db.example:9000/traces?run=a%2Fb%20c");

	assert_int_equal(0, p.rc);
	assert_string_equal("me", p.url.user);
	assert_string_equal("db.example", p.url.host);
	assert_int_equal(9000, p.url.port);
	assert_string_equal("traces", p.url.database);
	assert_string_equal("a/b c", p.url.run);
	assert_false(p.url.is_tls);
	assert_string_equal("clickhouse://me@db.example:9000/traces", p.url.name);
	arena_release(&p.arena);
}

static void the_port_and_the_database_go_without_saying(void **state)
{
	(void)state;
	struct parsed p = parse("clickhouse://h"), q = parse("clickhouses://[::1]/d/");

	assert_int_equal(0, p.rc);
	assert_int_equal(URL_PORT, p.url.port);
	assert_string_equal("default", p.url.database);
	assert_null(p.url.user);
	assert_null(p.url.run);
	assert_int_equal(0, q.rc);
	assert_int_equal(URL_PORT_TLS, q.url.port);
	assert_true(q.url.is_tls);
	assert_string_equal("[::1]", q.url.host);
	assert_string_equal("d", q.url.database);
	arena_release(&p.arena);
	arena_release(&q.arena);
}

static void port_8443_is_tls(void **state)
{
	(void)state;
	struct parsed p = parse("clickhouse://[fe80::1]:8443/x");

	assert_int_equal(0, p.rc);
	assert_true(p.url.is_tls);
	arena_release(&p.arena);
}

static void a_password_is_refused_and_not_repeated(void **state)
{
	(void)state;
	struct parsed p = parse("clickhouse://me:hunter2@h/d");

	assert_int_equal(-1, p.rc);
	assert_int_equal(ERR_USAGE, p.err.kind);
	assert_non_null(strstr(p.err.text, "PTOOL_PASSWORD"));
	assert_null(strstr(p.err.text, "hunter2"));
	arena_release(&p.arena);
}

static void what_is_no_url_is_an_error_of_usage(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"clickhouse://",         "clickhouse:///d",
		"clickhouse://h:0/d",    "clickhouse://h:x/d",
		"clickhouse://h:65536",  "clickhouse://@h/d",
		"clickhouse://h/a/b",    "clickhouse://h/a%2fb",
		"clickhouse://h/%",      "clickhouse://h/%0",
		"clickhouse://h/%00",    "clickhouse://h/d?x=1",
		"clickhouse://h?run=",   "clickhouse://a b/d",
		"clickhouse://[::1/d",   "http://h/d",
		"clickhouse://[::1]x/d", "clickhouse://h/d?run=%zz",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct parsed p = parse(bad[i]);
		if (p.rc == 0)
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(ERR_USAGE, p.err.kind);
		arena_release(&p.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_url_has_all_its_parts),
		cmocka_unit_test(the_port_and_the_database_go_without_saying),
		cmocka_unit_test(port_8443_is_tls),
		cmocka_unit_test(a_password_is_refused_and_not_repeated),
		cmocka_unit_test(what_is_no_url_is_an_error_of_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
