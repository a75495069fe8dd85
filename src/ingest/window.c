/* The sliding window: see window.h. */
#include "ingest/window.h"

void window_init(struct window *w, struct input *in, struct sink *sink, size_t size)
{
	*w = (struct window){ .in = in,
			      .whole = in,
			      .sink = sink,
			      .start = "",
			      .offset = input_offset(in),
			      .size = size };
	w->j.p = w->j.end = w->start;
}

void window_init_text(struct window *w, struct str text, uint64_t offset)
{
	bool strict = w->j.strict;

	*w = (struct window){ .start = text.p, .offset = offset };
	w->j = (struct json){ .p = text.p, .end = text.p + text.n, .strict = strict };
}

void window_leave(struct window *w)
{
	input_skip(w->in, (size_t)(w->j.p - w->start));
	w->start = w->j.p = w->j.end = "";
	w->offset = w->base + input_offset(w->in);
	w->j.last = false;
}

void window_enter(struct window *w, struct input *in, uint64_t base)
{
	w->in = in;
	w->base = base;
	w->start = w->j.p = w->j.end = "";
	w->offset = base;
	w->j.last = false;
}

uint64_t window_at(const struct window *w, const char *p)
{
	return w->offset + (uint64_t)(p - w->start);
}

int window_move(struct window *w, const char *from, size_t want, struct err *err)
{
	input_skip(w->in, (size_t)(from - w->start));
	struct bytes text = input_peek(w->in, want, err);
	if (err->kind != ERR_NONE)
		return -1;
	w->start = (const char *)text.p;
	w->offset = w->base + input_offset(w->in);
	w->j.p = w->start;
	w->j.end = w->start + text.n;
	w->j.last = text.n < want;
	return w->sink->tick(w->sink, input_consumed(w->whole), input_size(w->whole),
			     err);
}

int window_pass_zeros(struct window *w, struct err *err)
{
	for (;;) {
		while (w->j.p < w->j.end && (!*w->j.p || json_is_blank(*w->j.p)))
			w->j.p++;
		if (w->j.p < w->j.end || w->j.last)
			return 0;
		if (window_move(w, w->j.p, w->size, err) < 0)
			return -1;
	}
}

int window_parse(struct window *w, window_parse_fn *parse, void *out, size_t most,
		 const char **start, struct err *err)
{
	*start = w->j.p;
	w->j.ended = false;
	for (;;) {
		enum json_status status = parse(&w->j, out);
		size_t had = (size_t)(w->j.end - *start);
		bool is_over = (size_t)(w->j.p - *start) > most ||
			       (status == JSON_MORE && had >= most);
		if (is_over) { /* whatever the window happens to hold */
			w->j.p = *start + most;
			w->j.ended = false;
			return JSON_MORE;
		}
		if (status != JSON_MORE || w->size == 0)
			return (int)status;
		if (window_move(w, *start, had < most / 2 ? had * 2 : most, err) < 0)
			return -1;
		*start = w->j.p;
	}
}

struct str window_rest(const struct window *w, const char *p)
{
	return (struct str){ p, (size_t)(w->j.end - p) };
}
