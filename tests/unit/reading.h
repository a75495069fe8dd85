/*
 * For the tests of the Chrome reader: a trace as a string in, what the reader
 * says of it as lines out (recording_sink.h).
 */
#ifndef PTOOL_TESTS_READING_H
#define PTOOL_TESTS_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "recording_sink.h"

#include "ingest/json.h"

/* SAN, LONG: set, and not empty, which is how `make check` hands on what is not given. */
static inline bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* A copy of the text with the bytes behind it that a window has; four at a time. */
static inline struct str in_window(const char *text)
{
	static char windows[4][512];
	static unsigned next;
	char *window = windows[next++ % 4];
	size_t n = strlen(text);

	memset(window, 0, sizeof(windows[0]));
	for (size_t i = 0; i < n && i + JSON_PADDING < sizeof(windows[0]); i++)
		window[i] = text[i];
	return (struct str){ window, n };
}

/* The lines that do or do not begin with "profile "; the caller frees them. */
static inline char *lines_of(const struct recording *r, bool profile)
{
	struct buf out;

	buf_init(&out, r->lines.n + 1);
	buf_add_text(&out, "");
	for (const char *p = recording_text(r); *p;) {
		const char *next = strchr(p, '\n') + 1;
		if ((strncmp(p, "profile ", 8) == 0) == profile)
			buf_add(&out, p, (size_t)(next - p));
		p = next;
	}
	return out.p;
}

static inline void assert_lines(struct str json, const struct read_options *options,
				bool profile, const char *expected)
{
	struct recording r;
	struct err err = ERR_INIT;

	recording_init(&r);
	if (recording_read(&r, json, options, 0, &err) < 0)
		fail_msg("refused at byte %lld: %s", (long long)err.offset, err.text);
	char *lines = lines_of(&r, profile);
	assert_string_equal(lines, expected);
	assert_false(r.is_ill);
	free(lines);
	recording_release(&r);
}

/* The trace is read, and these are its facts but for the line of the profile. */
static inline void assert_facts(const char *json, const char *expected)
{
	assert_lines(str_of(json), &(struct read_options){ .strict = false }, false,
		     expected);
}

/* As assert_facts, where strict mode has nothing against the trace. */
static inline void assert_sound(const char *json, const char *expected)
{
	assert_facts(json, expected);
	assert_lines(str_of(json), &(struct read_options){ .strict = true }, false,
		     expected);
}

/* The line of the profile, without its word. */
static inline void assert_profile(const char *json, const char *expected)
{
	char line[512];

	snprintf(line, sizeof(line), "profile %s\n", expected);
	assert_lines(str_of(json), &(struct read_options){ .strict = false }, true, line);
}

static inline void assert_error(const char *json, bool strict, int64_t offset,
				const char *text)
{
	struct read_options options = { .strict = strict };
	struct recording r;
	struct err err = ERR_INIT;

	recording_init(&r);
	assert_int_equal(recording_read(&r, str_of(json), &options, 0, &err), -1);
	assert_string_equal(err.text, text);
	assert_int_equal(err.offset, offset);
	assert_int_equal(err.kind, ERR_INPUT);
	recording_release(&r);
}

/* Not even tolerant mode finds a trace in it. */
static inline void assert_no_trace(const char *json, int64_t offset, const char *text)
{
	assert_error(json, false, offset, text);
	assert_error(json, true, offset, text);
}

/* Tolerant mode gives these facts, strict mode stops at that byte. */
static inline void assert_flawed(const char *json, const char *facts, int64_t offset,
				 const char *text)
{
	assert_facts(json, facts);
	assert_error(json, true, offset, text);
}

#endif
