/*
 * A pull tokenizer for RFC 8259 text in a window of memory: it borrows from
 * the window, allocates nothing and never looks past `end` plus JSON_PADDING.
 *
 * What is wrong but readable (a bad escape, a raw control character, NaN) is
 * noted in `flaws` and passed over; what has no reading is JSON_BAD.  When the
 * window ends inside a value the answer is JSON_MORE: the caller reads on and
 * asks again from where it last stood.
 */
#ifndef PTOOL_INGEST_JSON_H
#define PTOOL_INGEST_JSON_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Readable bytes that must follow the window's end. */
#define JSON_PADDING 16
#define JSON_DEPTH_MAX 65536

enum json_status { JSON_OK, JSON_MORE, JSON_BAD };

/* What strict mode refuses and tolerant mode counts. */
enum json_flaw {
	JSON_FLAW_ESCAPE = 1,     /* "\q", "\u12" or a lone surrogate */
	JSON_FLAW_CONTROL = 2,    /* a raw byte below 0x20 in a string */
	JSON_FLAW_UTF8 = 4,       /* bytes that are not UTF-8 */
	JSON_FLAW_NUMBER = 8,     /* 01, +1, .5, 1. */
	JSON_FLAW_NOT_FINITE = 16 /* NaN, Infinity, inf */
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
	const char *p, *end; /* borrowed window; the bytes behind `end` are padding */
	bool last;           /* nothing follows the window: its end is the input's */
	bool repair;         /* a quote inside a string value does not end it (json_string) */
	bool ended;          /* JSON_BAD because the input ended inside a value */
	unsigned flaws;      /* enum json_flaw, only ever added to */
	const char *what;    /* after JSON_BAD: what was expected; static text */
};

/*
 * A value as it stands in the text.  Strings without their quotes, escapes not
 * undone; objects and arrays with their brackets.
 */
struct json_value {
	struct str text;
	enum json_type type;
	bool escaped; /* a string with escapes in it: see json_unescape */
};

/* Skips blanks; JSON_MORE at the window's end (unless it is the last). */
enum json_status json_blanks(struct json *j);
/* The value at p, validated to its end.  Leading blanks are skipped. */
enum json_status json_value(struct json *j, struct json_value *out);
/* The string at p (p is at its quote). */
enum json_status json_string(struct json *j, struct json_value *out);
/*
 * One member of an object: call with p behind '{' or behind a member.
 * JSON_OK with *done false: key is set, p is at the value.  JSON_OK with *done
 * true: the '}' was passed.  `first` is true before the first member.
 */
enum json_status json_member(struct json *j, bool first, struct json_value *key, bool *done);
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
/* True when the bytes are valid UTF-8 (RFC 3629: no surrogates, no overlong). */
bool json_is_utf8(struct str text);

#endif
