/*
 * A pull tokenizer for RFC 8259 text in a window of memory: it borrows from
 * the window and allocates nothing.
 *
 * What is wrong but readable (a bad escape, a raw control character, NaN) is
 * noted in `flaws` and passed over, unless `strict`; what has no reading is
 * JSON_BAD.  When the window ends inside a value the answer is JSON_MORE: the
 * caller reads on and asks again from where it last stood.
 */
#ifndef PTOOL_INGEST_JSON_H
#define PTOOL_INGEST_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "base/str.h"

/*
 * Readable bytes behind the window's end, the first of them NUL, so that no
 * token passes it.  Where the window is the text of a value that was read
 * before, what stands behind it does the same.
 */
#define JSON_PADDING   64
#define JSON_DEPTH_MAX 65536

enum json_status { JSON_OK, JSON_MORE, JSON_BAD };

/* What strict mode refuses and tolerant mode counts. */
enum json_flaw {
	JSON_FLAW_ESCAPE = 1,      /* "\q", "\u12" or a lone surrogate */
	JSON_FLAW_CONTROL = 2,     /* a raw byte below 0x20 in a string */
	JSON_FLAW_UTF8 = 4,        /* bytes that are not UTF-8 */
	JSON_FLAW_NUMBER = 8,      /* 01, +1, .5, 1. */
	JSON_FLAW_NOT_FINITE = 16, /* NaN, Infinity, inf, N/A */
	JSON_FLAW_WORD = 32,       /* None, True, False, undefined */
	JSON_FLAW_LONG = 64        /* a text that who reads it cuts */
};

enum json_type {
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
	JSON_OBJECT,
	JSON_ARRAY
};

struct json {
	const char *p, *end; /* borrowed window */
	bool last;           /* nothing follows the window: its end is the input's */
	bool strict;         /* a flaw is JSON_BAD, p is where it stands */
	bool ended;          /* JSON_BAD because the input ended inside a value */
	enum json_status status;
	unsigned flaws;   /* enum json_flaw, only ever added to */
	const char *what; /* after JSON_BAD: what was expected; static text */
};

/* Of a number: is `number` of its value what it says? */
enum json_plain {
	JSON_NOT_PLAIN,
	JSON_PLAIN_INT, /* an integer, and this is it */
	JSON_PLAIN_MILLI /* it has three digits behind its point, and these are thousandths */
};

/*
 * A value as it stands in the text.  Strings without their quotes, escapes not
 * undone; objects and arrays with their brackets.
 */
struct json_value {
	struct str text;
	enum json_type type;
	bool escaped;   /* a string with escapes in it: see json_unescape */
	uint8_t plain;  /* enum json_plain; of what is no number it says nothing */
	int64_t number; /* see there */
};

/* RFC 8259's blanks. */
static inline bool json_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The first place at or behind p that is no blank; at most the window's end. */
static inline const char *json_skip_blanks(const char *p)
{
	while (json_is_blank(*p))
		p++;
	return p;
}

/* decimal_int of a value's text, and decimal_us_to_ns. */
static inline enum decimal_status json_int(const struct json_value *value, int64_t *out)
{
	if (value->type != JSON_NUMBER || value->plain != JSON_PLAIN_INT)
		return decimal_int(value->text, out);
	*out = value->number;
	return DECIMAL_OK;
}

static inline enum decimal_status json_us_to_ns(const struct json_value *value,
						int64_t *ns)
{
	if (value->type != JSON_NUMBER || value->plain != JSON_PLAIN_MILLI)
		return decimal_us_to_ns(value->text, ns);
	*ns = value->number;
	return DECIMAL_OK;
}

/* A reader of text that is complete in memory; see JSON_PADDING. */
static inline struct json json_of(struct str text)
{
	const char *end = text.n ? text.p + text.n : text.p; /* which may be NULL */

	return (struct json){ .p = text.p, .end = end, .last = true };
}

/*
 * The members of an object, or the elements of an array, whose text is whole in memory:
 *
 *	struct json_items items = json_items_of(value.text);
 *	while ((more = json_next_member(&items, &key, &value)) > 0)
 */
struct json_items {
	struct json j;
	bool is_begun;
};

static inline struct json_items json_items_of(struct str text)
{
	struct json_items items = { .j = json_of(text) };

	if (text.n)
		items.j.p++; /* past the opening bracket */
	return items;
}

/* 1; 0 behind the last; -1 where the text is no JSON: j.p stands there. */
int json_next_member(struct json_items *items, struct json_value *key,
		     struct json_value *value);
int json_next_element(struct json_items *items, struct json_value *value);

/*
 * All leave p behind what was read, or after JSON_MORE and JSON_BAD where it
 * stopped.
 */

/* Skips blanks; at the window's end JSON_MORE, or JSON_BAD when it is the last. */
enum json_status json_blanks(struct json *j);
/* The value at p, validated to its end.  Leading blanks are skipped. */
enum json_status json_value(struct json *j, struct json_value *out);
/*
 * One member of an object: call with p behind '{' or behind a member.
 * JSON_OK with *done false: key is set, p is at the value.  JSON_OK with *done
 * true: the '}' was passed.  `first` is true before the first member.
 */
enum json_status json_member(struct json *j, bool first, struct json_value *key,
			     bool *done);
/*
 * One element of an array: call with p behind '[' or behind an element.
 * *done true: the ']' was passed; else p is at the element.
 */
enum json_status json_element(struct json *j, bool first, bool *done);

/*
 * Escapes undone, invalid UTF-8 and lone surrogates replaced by U+FFFD; the
 * result is valid UTF-8 and borrowed from `into` (or from the text itself when
 * there is nothing to undo).
 */
struct str json_unescape(struct str text, struct buf *into);
/* The text as a JSON string, with its quotes, into the cleared `out`. */
void json_quote(struct str text, struct buf *out);
/*
 * The text of a value as JSON: as it stands or, where that has flaws, as one string, in
 * `into`, which is then borrowed.
 */
struct str json_valid(const struct json_value *value, unsigned flaws, struct buf *into);
/* The same of a string's text, as what stands between its quotes. */
struct str json_valid_text(struct str text, struct buf *into);
/* The flaws that the text of a value has, which was read before. */
unsigned json_flaws(const struct json_value *value);
/* At most `max` bytes of a string's text: characters and escapes stay whole. */
struct str json_cut(struct str text, size_t max);
/* The first bytes that are not UTF-8 (RFC 3629), or NULL. */
const char *json_bad_utf8(struct str text);
/* The first backslash that begins no escape of RFC 8259, or half a pair; or NULL. */
const char *json_bad_escape(struct str text);

#endif
