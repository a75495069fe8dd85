/*
 * State of one Chrome trace being read, shared by the container (chrome.c),
 * the phases (phase.c) and PyTorch's categories and args (kineto.c).
 */
#ifndef PTOOL_INGEST_CHROME_H
#define PTOOL_INGEST_CHROME_H

#include "base/buf.h"
#include "base/input.h"
#include "ingest/event.h"
#include "ingest/kineto.h"
#include "ingest/reader.h"
#include "ingest/sink.h"

#define TRACK_CACHE 1024 /* a power of two */

struct cached_track {
	int64_t pid, tid;
	enum track_kind kind;
	bool used;
	uint32_t track;
};

struct chrome {
	struct input *in;               /* borrowed */
	const struct read_options *options; /* borrowed */
	struct sink *sink;              /* borrowed */
	struct json j;                  /* over the input's window */
	uint64_t window_offset;         /* of the window's first byte */
	const char *window;
	bool object_form;
	uint64_t nevents;               /* objects seen in the event list */
	struct buf scratch;             /* json_unescape's */
	struct event event;             /* the one being read */
	struct cached_track tracks[TRACK_CACHE];
	struct kineto kineto;
};

/* The number of a string value's text, escapes undone. */
uint32_t chrome_text(struct chrome *c, const struct json_value *value);
/* A pid or tid field; absent is 0. */
struct ident chrome_ident(struct chrome *c, enum event_field field);
/* The track of that kind that the event's pid and tid name. */
uint32_t chrome_track(struct chrome *c, enum track_kind kind);
/*
 * Counts a finding at the current event; in strict mode one of severity
 * warning or error is an error: -1 with err set.
 */
int chrome_finding(struct chrome *c, enum finding finding, struct str detail, struct err *err);

/* phase.c: what the current event says.  0, or -1 with err set. */
int phase_event(struct chrome *c, struct err *err);

#endif
