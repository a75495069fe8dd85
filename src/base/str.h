/*
 * Borrowed views of bytes: never freed, never NUL-terminated by promise.
 * `struct str` is text (or what should be text), `struct bytes` is raw input:
 * unsigned, because a signed char compares wrongly above 0x7f.
 */
#ifndef PTOOL_BASE_STR_H
#define PTOOL_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *p;
	size_t n;
};

struct bytes {
	const uint8_t *p;
	size_t n;
};

/* printf("%.*s") of a struct str: STR_FMT in the format, STR_ARG in the arguments. */
#define STR_FMT    "%.*s"
#define STR_ARG(s) (int)(s).n, (s).p

/* A string literal as a struct str. */
#define STR_LIT(text) ((struct str){ (text), sizeof(text) - 1 })

/* The bytes of any object, such as a key that is to be interned. */
static inline struct str str_bytes(const void *bytes, size_t n)
{
	return (struct str){ bytes, n };
}

static inline struct str str_of(const char *text)
{
	return (struct str){ text, strlen(text) };
}

static inline bool str_equal(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct str s, const char *text)
{
	return str_equal(s, str_of(text));
}

/* The text without its first n bytes; it has that many.  Where n is 0, p may be NULL. */
static inline struct str str_behind(struct str s, size_t n)
{
	return n ? (struct str){ s.p + n, s.n - n } : s;
}

static inline bool str_starts_with(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends_with(struct str s, struct str suffix)
{
	return s.n >= suffix.n &&
	       (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

static inline bool str_contains(struct str s, struct str part)
{
	return part.n == 0 || (s.n >= part.n && memmem(s.p, s.n, part.p, part.n));
}

/* Of ASCII alone. */
static inline char str_lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

/* By bytes, and the shorter first: below 0, 0 or above, as memcmp(). */
static inline int str_compare(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.p, b.p, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

#endif
