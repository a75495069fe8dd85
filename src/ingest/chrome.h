/*
 * State of one Chrome trace being read, shared by the container (chrome.c), the
 * event list (event_list.c, event_next.c), the phases (phase.c) and PyTorch's
 * categories and args (kineto.c).
 */
#ifndef PTOOL_INGEST_CHROME_H
#define PTOOL_INGEST_CHROME_H

#include "base/buf.h"
#include "ingest/event.h"
#include "ingest/foreign.h"
#include "ingest/kineto.h"
#include "ingest/mend.h"
#include "ingest/reader.h"
#include "ingest/sink.h"
#include "ingest/window.h"
#include "ingest/xprof.h"

#define CHROME_METADATA_MAX ((size_t)1 << 20) /* and one beside it */
#define CHROME_KEY_SHOWN    64                /* bytes of its key that a finding has */
#define CHROME_EXCERPT_MAX  120               /* and of the text that it is about */
#define CHROME_WASTE_MAX \
	((uint64_t)64 << 20) /* bytes that may be parsed in vain, at first */
#define CHROME_SCRATCH_MAX ((size_t)256 << 20)
#define TRACK_CACHE        1024 /* a power of two */

struct cached_track {
	int64_t pid, tid;
	enum track_kind kind;
	bool used;
	uint32_t track;
};

/* Slices without pid or tid before the first one that has both. */
struct threadless {
	bool threads_seen;
	uint64_t n, offset; /* offset and excerpt of the first one */
	char excerpt[64];
	size_t excerpt_n;
};

struct chrome {
	const struct read_options *options; /* borrowed */
	struct sink *sink;                  /* borrowed */
	struct window window;
	bool is_object;     /* the events are in an object, which wants its end */
	bool truncated;     /* it is told once */
	bool unpadded;      /* times are as unpadded.h says */
	uint64_t nevents;   /* objects seen in the event list */
	uint64_t wasted;    /* bytes that were parsed in vain */
	struct buf scratch; /* json_unescape's */
	struct event event; /* the one being read */
	struct mend mend;   /* what could not be read as it stands */
	struct cached_track tracks[TRACK_CACHE], last_track;
	struct kineto kineto;
	struct xprof xprof;
	bool has_phase;         /* an object of the event list has a ph */
	struct foreign foreign; /* what it is when nothing does */
	struct threadless threadless;
	struct intern keys;    /* of the entries beside the events */
	uint64_t list_start;   /* behind the '[' of the list that blocks are of */
	struct blocks *blocks; /* of the event list, or NULL; owned */
	struct input *rest; /* what follows the blocks that were taken; owned, or NULL */
	bool by_blocks;     /* their list is being read */
	bool is_ahead;      /* reads one block for another thread */
	struct intern event_keys
		[NLEVELS]; /* that the events had so far, by enum member_level */
};

/* chrome.c: reads a trace through windows of that size (WINDOW_BYTES but for tests). */
int chrome_read_windowed(struct input *in, const struct read_options *options,
			 struct sink *sink, size_t window, struct err *err);

/* How deep a place is in a value that is skipped, and whether it is within a string. */
struct skipped {
	int64_t depth;
	bool in_string, escaped;
};

/* The next ']' before `end` that closes nothing of what was passed, or NULL. */
const char *chrome_list_close(struct skipped *s, const char *p, const char *end);

/* What stands before the next entry of an event list. */
struct separator {
	bool first; /* there was no entry yet */
	int commas; /* 1 before the first entry, which wants none */
};

/* Where an event list was left. */
enum list_end {
	LIST_FAILED = -1,
	LIST_CLOSED,   /* behind its ']' */
	LIST_CUT,      /* at the end of the text */
	LIST_AT_BLOCK, /* at an event with which one of c->blocks begins */
};

/* The same for the whole list, with c->options->threads. */
enum list_end event_blocks_read(struct chrome *c, struct err *err);
/* Frees what it left for reading on behind the list. */
void event_blocks_release(struct chrome *c);

/*
 * In event_next.c.  The entry at `start` cannot be read, and the parser stopped at j.p:
 * looks for where the list goes on.  1: at the next event, or at the list's ']' if there is
 * none; 0: at the input's end; -1: err is set.  In a hurry the text up to j.p is not searched.
 */
int event_list_go_on(struct chrome *c, const char *start, bool hurry, struct err *err);
/* event_parse() for window_parse(). */
enum json_status event_list_parse(struct json *j, void *event);
/* Bytes of the text before the last place where an event seems to begin; 0: none. */
size_t event_list_cut(struct str text);

/*
 * repair.c: reads what is no JSON at *start, where the window's parser stopped
 * and strict mode would end, as if it was.  The same statuses as window_parse;
 * with JSON_OK, repair_findings tells what was done once the text is used.
 */
int repair_event(struct chrome *c, const char **start, struct err *err);
/* The value of an entry beside the events, of at most that many bytes. */
int repair_value(struct chrome *c, struct json_value *value, const char **start,
		 struct err *err);
/* The key of such an entry, with the place in the top-level object that it has. */
struct entry {
	bool first, done;
	struct str key; /* borrowed */
};
int repair_entry(struct chrome *c, struct entry *entry, const char **start,
		 struct err *err);
/* `start` is what repair_* set, with the window where they left it. */
int repair_findings(struct chrome *c, const char *start, struct err *err);

/* Bytes that one entry of the list may take. */
static inline size_t event_max(const struct chrome *c)
{
	return (size_t)read_limits(c->options)->event_bytes;
}

/* lacks.c: tells what the current event lacks or has twice, whatever its phase. */
int lacks_event(struct chrome *c, struct err *err);
/* The same for a slice, once its args are read. */
int lacks_slice(struct chrome *c, const struct slice_fact *slice, struct err *err);
/* What was wrong with its numbers and args: c->kineto.flaws, which is reset. */
int lacks_numbers(struct chrome *c, struct err *err);

/*
 * A block that is read ahead is given up, because what stands before it has a
 * say, or damage does: -1, and err is not set.
 */
int chrome_doubt(struct chrome *c);
/* Do events mean the same whatever stood before them? */
bool chrome_is_plain(const struct chrome *c);

/* phase.c: what the current event says.  0, or -1 with err set. */
int phase_event(struct chrome *c, struct err *err);
/* ts of the current event: 1 and *ns; 0 when it was skipped with a finding; -1. */
int chrome_time(struct chrome *c, int64_t *ns, struct err *err);

/*
 * arrow.c.  The event's id or id2's, "local" or "global"; false, and *id may stay as it is,
 * when there is none.
 */
bool chrome_id(const struct event *e, struct json_value *id, bool *local);
/* s and t bind to the slice around them, f to the next unless bp is "e".  0, or -1. */
int arrow_event(struct chrome *c, struct err *err);
/*
 * The two halves of an arrow of version 2, which ride on a slice that has a bind_id; on an
 * asynchronous one they are lost, with a finding.  Likewise.
 */
int arrow_on_slice(struct chrome *c, const struct slice_fact *slice, bool is_async,
		   struct err *err);

/*
 * facts.c.  The number of a string value's text, escapes undone.
 */
uint32_t chrome_text(struct chrome *c, const struct json_value *value);
/* What a text may have of it; told with the event's other flaws. */
struct str chrome_cut(struct chrome *c, struct str text);
/* The number of a text that was made of values, as they stand in the file. */
uint32_t chrome_made_text(struct chrome *c, struct str text);
/* The number of the current event's category, TEXT_NONE when it has none. */
uint32_t chrome_category(struct chrome *c);
/* Likewise of its name, empty when it has none. */
uint32_t chrome_name(struct chrome *c);
/*
 * A value as JSON text for the sink, always valid; borrowed from the event or
 * from c->scratch.
 */
struct str chrome_json(struct chrome *c, const struct json_value *value);
/* An entry beside the events or an unknown metadata event; the key is as in the text. */
void chrome_metadata(struct chrome *c, struct str key, const struct json_value *value);
/* As chrome_ident, of what is no plain number. */
struct ident chrome_other_ident(struct chrome *c, enum event_field field);
/* A pid or tid field; absent is 0. */
static inline struct ident chrome_ident(struct chrome *c, enum event_field field)
{
	const struct json_value *value = &c->event.field[field];

	if (event_has(&c->event, field) && value->type == JSON_NUMBER &&
	    value->plain == JSON_PLAIN_INT)
		return (struct ident){ value->number, TEXT_NONE };
	return chrome_other_ident(c, field);
}
/* The track of that kind that the event's pid and tid name. */
uint32_t chrome_track(struct chrome *c, enum track_kind kind);
/*
 * Count a finding at an offset of the input, or at the current event; in strict
 * mode one of severity warning or error is an error: -1 with err set.
 */
int chrome_finding_at(struct chrome *c, enum finding finding, uint64_t offset,
		      struct str detail, struct str excerpt, struct err *err);
int chrome_finding(struct chrome *c, enum finding finding, struct str detail,
		   struct err *err);
/* The input ended too early: told once. */
int chrome_truncated(struct chrome *c, uint64_t offset, struct str excerpt,
		     struct err *err);
/* Counts what the tokenizer noted since the last call. */
int chrome_flaws(struct chrome *c, uint64_t offset, struct str excerpt, struct err *err);

#endif
