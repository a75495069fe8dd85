/*
 * JSON that is read as it comes, member by member, and may be cut off: the values are
 * whole, what is around them is walked through.
 */
#ifndef PTOOL_INGEST_JSON_STREAM_H
#define PTOOL_INGEST_JSON_STREAM_H

#include "ingest/mend.h"
#include "ingest/reader.h"
#include "ingest/window.h"

#define JSON_STREAM_KEY_MAX 32

struct json_stream {
	struct window w;
	struct sink *sink;                  /* borrowed */
	const struct read_options *options; /* borrowed */
	bool is_cut;                        /* the text has ended too early */
	struct mend mend;                   /* of keys and values that are no JSON */
	uint64_t wasted;                    /* bytes that mending looked at in vain */
};

/* For probes: the text behind a byte order mark and blanks, whose first byte says what it is. */
struct str json_stream_head(struct bytes head);
/* The same of an object that is no Chrome trace; else empty. */
struct str json_stream_object_head(struct bytes head);

/* At the first byte behind a byte order mark.  0, or -1 with err set. */
int json_stream_open(struct json_stream *s, struct input *in,
		     const struct read_options *options, struct sink *sink,
		     struct err *err);
/* What was wrong with the text so far, and whether it was cut.  0, or -1 with err set. */
int json_stream_end(struct json_stream *s, struct input *in, struct err *err);
void json_stream_release(struct json_stream *s);
/* The byte of the input that is next. */
uint64_t json_stream_at(const struct json_stream *s);
/*
 * The next value of an array or object: 1, and w.j.p stands at it; 0 at the end, or where
 * the text is cut; -1.  `key` of an object: at most JSON_STREAM_KEY_MAX bytes.
 */
int json_stream_element(struct json_stream *s, bool first, struct err *err);
int json_stream_member(struct json_stream *s, bool first,
		       char key[JSON_STREAM_KEY_MAX + 1], struct err *err);
/* The same with a key of any length, its escapes not undone; borrowed until the next. */
int json_stream_name(struct json_stream *s, bool first, struct str *key, struct err *err);
/* Goes into the array or object that is next: 1; 0 it is cut; -1, also when it is none. */
int json_stream_enter(struct json_stream *s, char bracket, const char *what,
		      struct err *err);
/*
 * The value that is next, whole; 1, 0 or -1 as above.  Unless strict, it is mended where
 * it is no JSON, and that is told; it is borrowed until the next.
 */
int json_stream_value(struct json_stream *s, struct json_value *value, struct err *err);
/* -1 with what the tokenizer or the text says at its place. */
int json_stream_bad(const struct json_stream *s, const char *what, struct err *err);

#endif
