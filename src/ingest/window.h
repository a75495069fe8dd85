/*
 * A window of JSON text that slides over an input: what is to be parsed lies in
 * memory as a whole, and no more of the input than that.
 */
#ifndef PTOOL_INGEST_WINDOW_H
#define PTOOL_INGEST_WINDOW_H

#include "base/input.h"
#include "ingest/json.h"
#include "ingest/sink.h"

#define WINDOW_BYTES ((size_t)1 << 20)

struct window {
	struct json j;       /* over the window; j.p is the place of the reader */
	struct input *in;    /* borrowed; its first byte is at `base` of the trace */
	struct input *whole; /* borrowed; the trace's own input, for progress */
	uint64_t base;
	struct sink *sink; /* borrowed; its tick is called at each refill */
	const char *start;
	uint64_t offset; /* of `start` in the trace */
	size_t size;     /* bytes to ask for; 0: the window is all there is to be had */
};

/* Reads one thing at j->p into `out`; moves j->p. */
typedef enum json_status window_parse_fn(struct json *j, void *out);

/* An empty window at the input's place; `size` is WINDOW_BYTES but for tests. */
void window_init(struct window *w, struct input *in, struct sink *sink, size_t size);
/* A window that stays: text with JSON_PADDING behind it, which begins at that offset. */
void window_init_text(struct window *w, struct str text, uint64_t offset);
/* Offset in the input of a place in the window. */
uint64_t window_at(const struct window *w, const char *p);
/* Ends the window at its place, from where its input then goes on. */
void window_leave(struct window *w);
/* Goes on in another input, which is at its start and that at `base` of the trace. */
void window_enter(struct window *w, struct input *in, uint64_t base);
/*
 * Moves the window, so that it begins at `from` and holds `want` bytes, or all
 * that are left.  Pointers into it are dead.  0, or -1 with err set.
 */
int window_move(struct window *w, const char *from, size_t want, struct err *err);
/* Goes behind the blanks and zero bytes at j.p, or to the input's end. */
int window_pass_zeros(struct window *w, struct err *err);
/* Moves it to j.p when little is left behind that. */
static inline int window_keep_filled(struct window *w, struct err *err)
{
	if (w->j.last || w->size == 0 || (size_t)(w->j.end - w->j.p) > w->size / 16)
		return 0;
	return window_move(w, w->j.p, w->size, err);
}

/*
 * Parses at j.p, in a window that grows to `most` bytes when it must, and sets
 * *start to where it began.  An enum json_status (JSON_MORE: it is larger than
 * that), or -1 with err set.
 */
int window_parse(struct window *w, window_parse_fn *parse, void *out, size_t most,
		 const char **start, struct err *err);
/* From p to the window's end: an excerpt for a finding. */
struct str window_rest(const struct window *w, const char *p);

#endif
