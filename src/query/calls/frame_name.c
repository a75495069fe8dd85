/* The parts of a function's name: see frame_name.h. */
#include "query/calls/frame_name.h"

#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"

/* Digits in front of `end`: where they begin. */
static size_t digits_before(struct str text, size_t end)
{
	while (end > 0 && text.p[end - 1] >= '0' && text.p[end - 1] <= '9')
		end--;
	return end;
}

static bool read_line(struct str text, size_t from, size_t to, int64_t *line)
{
	return decimal_text_int((struct str){ text.p + from, to - from }, line) ==
	       DECIMAL_OK;
}

/* The last "): " with a number in parentheses counts. */
bool frame_name_torch(struct str text, struct frame_name *out)
{
	for (size_t end = text.n; end-- > 0;) {
		if (text.n - end < 3 || memcmp(text.p + end, "): ", 3) != 0)
			continue;
		size_t at = digits_before(text, end);
		if (at == 0 || text.p[at - 1] != '(' ||
		    !read_line(text, at, end, &out->line))
			continue;
		out->file = (struct str){ text.p, at - 1 };
		out->function = str_behind(text, end + 3);
		return true;
	}
	return false;
}

/* "train.py:12(step)": the first ":12(" counts, as functions are named freely. */
static bool split_pstats(struct str text, struct frame_name *out)
{
	if (text.n == 0 || text.p[text.n - 1] != ')')
		return false;
	for (size_t at = 1; at < text.n; at++) {
		if (text.p[at] != '(')
			continue;
		size_t digits = digits_before(text, at);
		if (digits == 0 || text.p[digits - 1] != ':' ||
		    !read_line(text, digits, at, &out->line))
			continue;
		out->file = (struct str){ text.p, digits - 1 };
		out->function = (struct str){ text.p + at + 1, text.n - at - 2 };
		return true;
	}
	return false;
}

static bool is_file(struct str place)
{
	if (place.n == 0 || place.p[0] == '/' || place.p[0] == '<')
		return place.n != 0;
	return !memchr(place.p, ' ', place.n) &&
	       (memchr(place.p, '.', place.n) || memchr(place.p, '/', place.n));
}

/* "step (train.py:12)", "step (train.py)", as samplers name a function. */
static bool split_sampled(struct str text, struct frame_name *out)
{
	size_t at = text.n, end = text.n ? text.n - 1 : 0;

	if (text.n == 0 || text.p[end] != ')')
		return false;
	while (at > 1 && (text.p[at - 1] != '(' || text.p[at - 2] != ' '))
		at--;
	if (at < 3)
		return false;
	size_t digits = digits_before(text, end);
	bool has_line = digits < end && digits > at && text.p[digits - 1] == ':' &&
			read_line(text, digits, end, &out->line);
	out->file = (struct str){ text.p + at, (has_line ? digits - 1 : end) - at };
	out->function = (struct str){ text.p, at - 2 };
	return is_file(out->file);
}

struct frame_name frame_name_split(struct str text)
{
	struct frame_name name = { .function = text };

	if (!frame_name_torch(text, &name) && !split_pstats(text, &name) &&
	    !split_sampled(text, &name))
		name = (struct frame_name){ .function = text };
	return name;
}
