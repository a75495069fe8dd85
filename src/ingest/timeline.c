/*
 * Memory timelines of torch.profiler's export_memory_timeline(), by category:
 *
 *	.raw.json	[[time_ns, action, bytes, category], ...]
 *	.json		[[time_us, ...], [[0, bytes of category 0, ...], ...]]
 *
 * as torch/profiler/_memory_profiler.py writes them.  In the first a time of -1 is
 * before the recording, actions are 1 there already, 2 created, 3 another version (the
 * bytes of a category less, those of another more), 4 destroyed, and bytes have a sign.
 * The second has what each category holds at each time.  Neither names the device, and
 * neither has addresses: an event is a change of what a category holds, and totals are
 * running sums from nothing.
 */
#include <string.h>

#include "base/decimal.h"
#include "base/sum.h"
#include "ingest/json.h"
#include "ingest/memory_file.h"

#define NCATEGORIES  8
#define TICK_EVENTS  65536
#define ACTION_FIRST 1
#define ACTION_LAST  4

/* torch.profiler._memory_profiler.Category in the order of _CATEGORY_TO_INDEX. */
static const char *const categories[NCATEGORIES] = {
	"PARAMETER",  "OPTIMIZER_STATE", "INPUT",           "TEMPORARY",
	"ACTIVATION", "GRADIENT",        "AUTOGRAD_DETAIL", "(unknown category)",
};

struct timeline {
	struct json j;
	const char *start;
	struct memory_file file;
	struct sink *sink;
	uint32_t names[NCATEGORIES];
	int64_t held[NCATEGORIES]; /* of .json: at the newest time */
	uint64_t events;
};

static uint64_t offset(const struct timeline *t)
{
	return (uint64_t)(t->j.p - t->start);
}

static int bad(const struct timeline *t, const char *what, struct err *err)
{
	return err_at(err, offset(t), "%s", what);
}

/* Goes into the array that is next. */
static int enter(struct timeline *t, struct err *err)
{
	if (json_blanks(&t->j) != JSON_OK || *t->j.p != '[')
		return bad(t, "an array is expected in a memory timeline", err);
	t->j.p++;
	return 0;
}

/* 1: an element is next; 0: the array has ended; -1. */
static int element(struct timeline *t, bool first, struct err *err)
{
	bool done;

	if (json_element(&t->j, first, &done) != JSON_OK)
		return bad(t, t->j.what ? t->j.what : "the memory timeline ends early",
			   err);
	return !done;
}

/* The next value, a whole number. */
static int read_int(struct timeline *t, int64_t *out, struct err *err)
{
	struct json_value value;

	if (json_blanks(&t->j) != JSON_OK)
		return bad(t, "the memory timeline ends early", err);
	if (json_value(&t->j, &value) != JSON_OK || value.type != JSON_NUMBER ||
	    decimal_int(value.text, out) != DECIMAL_OK)
		return bad(t, "a whole number is expected in a memory timeline", err);
	return 0;
}

/* Microseconds with a point, as ns: what is beyond is the end of the range, and no time. */
static int read_time_us(struct timeline *t, int64_t *ns, struct err *err)
{
	struct json_value value;

	if (json_value(&t->j, &value) != JSON_OK || value.type != JSON_NUMBER ||
	    decimal_us_to_ns(value.text, ns) == DECIMAL_BAD)
		return bad(t, "a time is expected in a memory timeline", err);
	return 0;
}

static int tell(struct timeline *t, int64_t ts_ns, int64_t bytes, size_t category,
		struct err *err)
{
	const struct memory_file_event event = { .ts_ns = ts_ns,
						 .bytes = bytes,
						 .address = NUMBER_NONE,
						 .name = t->names[category],
						 .offset = offset(t) };

	if (t->events++ % TICK_EVENTS == 0 &&
	    t->sink->tick(t->sink, event.offset, (uint64_t)(t->j.end - t->start), err) <
		    0)
		return -1;
	return memory_file_event(&t->file, &event, err);
}

/* The numbers of [time, action, bytes, category]; p stands behind the '['. */
static int read_quad(struct timeline *t, int64_t out[4], struct err *err)
{
	for (int i = 0; i < 4; i++) {
		int more = element(t, i == 0, err);
		if (more < 0 || (more && read_int(t, &out[i], err) < 0))
			return -1;
		if (!more)
			return bad(t, "an event has fewer than four numbers", err);
	}
	int more = element(t, false, err);
	if (more > 0)
		return bad(t, "an event has more than four numbers", err);
	if (more < 0)
		return -1;
	if (out[1] < ACTION_FIRST || out[1] > ACTION_LAST)
		return bad(t, "the action of an event is not 1 to 4", err);
	if (out[3] < 0 || out[3] >= NCATEGORIES)
		return bad(t, "the category of an event is not 0 to 7", err);
	return 0;
}

/* The first time that is told: where what was there before stands too. */
static int find_first_time(struct timeline t, int64_t *first_ns, struct err *err)
{
	int64_t quad[4] = { 0 };
	int more;

	*first_ns = 0;
	if (enter(&t, err) < 0)
		return -1;
	for (bool first = true; (more = element(&t, first, err)) > 0; first = false) {
		if (enter(&t, err) < 0 || read_quad(&t, quad, err) < 0)
			return -1;
		if (quad[0] >= 0 && time_is_possible(quad[0])) {
			*first_ns = quad[0];
			return 0;
		}
	}
	return more;
}

static int read_raw(struct timeline *t, struct err *err)
{
	int64_t quad[4] = { 0 }, first_ns;
	int more;

	if (find_first_time(*t, &first_ns, err) < 0 || enter(t, err) < 0)
		return -1;
	for (bool first = true; (more = element(t, first, err)) > 0; first = false) {
		if (enter(t, err) < 0 || read_quad(t, quad, err) < 0 ||
		    tell(t, quad[0] < 0 ? first_ns : quad[0], quad[2], (size_t)quad[3],
			 err) < 0)
			return -1;
	}
	return more;
}

/* What a category holds now: what less it holds first, so that no sum is above both. */
static int tell_changes(struct timeline *t, int64_t ts_ns,
			const int64_t held[NCATEGORIES], struct err *err)
{
	for (int is_growth = 0; is_growth < 2; is_growth++)
		for (size_t i = 0; i < NCATEGORIES; i++) {
			int64_t change = sum_sub(held[i], t->held[i]);
			if (change == 0 || (change > 0) != is_growth)
				continue;
			if (tell(t, ts_ns, change, i, err) < 0)
				return -1;
		}
	memcpy(t->held, held, sizeof(t->held));
	return 0;
}

/* The first is 0, for the lower edge of a stacked chart; one for each category follows. */
static int read_sizes(struct timeline *t, int64_t held[NCATEGORIES], struct err *err)
{
	int64_t edge = 0;
	int more;

	if (enter(t, err) < 0)
		return -1;
	for (size_t i = 0; (more = element(t, i == 0, err)) > 0; i++) {
		if (i > NCATEGORIES)
			return bad(t, "more than eight categories of sizes", err);
		if (read_int(t, i ? &held[i - 1] : &edge, err) < 0)
			return -1;
	}
	return more;
}

/* Times and sizes are two arrays, which are walked side by side. */
static int read_curve(struct timeline *times, struct timeline *sizes, struct err *err)
{
	bool first = true;
	int more;

	if (enter(times, err) < 0)
		return -1;
	for (; (more = element(times, first, err)) > 0; first = false) {
		int64_t held[NCATEGORIES] = { 0 }, ts_ns = 0;
		if (read_time_us(times, &ts_ns, err) < 0)
			return -1;
		int also = element(sizes, first, err);
		if (also < 0)
			return -1;
		if (!also)
			return bad(sizes, "fewer sizes than times", err);
		if (read_sizes(sizes, held, err) < 0 ||
		    tell_changes(sizes, ts_ns, held, err) < 0)
			return -1;
	}
	if (more < 0)
		return -1;
	more = element(sizes, first, err);
	return more > 0 ? bad(sizes, "more sizes than times", err) : more;
}

/* Behind the array of times: into that of sizes. */
static int find_sizes(struct timeline *t, struct err *err)
{
	struct json_value times;

	if (json_value(&t->j, &times) != JSON_OK || times.type != JSON_ARRAY)
		return bad(t, "an array is expected in a memory timeline", err);
	if (element(t, false, err) <= 0)
		return bad(t, "the memory timeline has no sizes", err);
	return enter(t, err);
}

/* [[t, action, bytes, category], [ number ... or [[times], [[ ... */
static int read_either(struct timeline *t, struct err *err)
{
	struct timeline outer = *t;
	struct json_value first;

	if (enter(&outer, err) < 0)
		return -1;
	int more = element(&outer, true, err);
	if (more <= 0)
		return more < 0 ? -1 : bad(t, "the memory timeline is empty", err);
	struct timeline times = outer, sizes = outer;
	if (json_value(&outer.j, &first) != JSON_OK)
		return bad(&outer, "an array is expected in a memory timeline", err);
	more = element(&outer, false, err);
	if (more < 0)
		return -1;
	if (!more || enter(&outer, err) < 0)
		return read_raw(t, err);
	outer.j.p = json_skip_blanks(outer.j.p);
	if (*outer.j.p != '[' && *outer.j.p != ']')
		return read_raw(t, err);
	return find_sizes(&sizes, err) < 0 ? -1 : read_curve(&times, &sizes, err);
}

static int timeline_read(struct input *in, const struct read_options *options,
			 struct sink *sink, struct err *err)
{
	struct timeline t = { .sink = sink };
	struct bytes text;

	if (input_whole(in, "a memory timeline", &text, err) < 0)
		return -1;
	t.start = (const char *)text.p;
	t.j = json_of((struct str){ t.start, text.n });
	for (size_t i = 0; i < NCATEGORIES; i++)
		t.names[i] = sink->text(sink, str_of(categories[i]));
	memory_file_begin(&t.file, sink, options, MEMORY_FILE_NO_DEVICE, NUMBER_NONE,
			  "memory timeline");
	t.file.total_bytes = 0;
	if (read_either(&t, err) < 0)
		return -1;
	memory_file_end(sink, "memory_timeline", true);
	return 0;
}

static bool is_number_start(char c)
{
	return c == '-' || (c >= '0' && c <= '9');
}

/* No event list begins with two brackets and a number. */
static const char *behind_blanks(const char *p, const char *end)
{
	while (p < end && json_is_blank(*p))
		p++;
	return p;
}

static bool is_number_or_comma(char c)
{
	return is_number_start(c) || c == '.' || c == '+' || c == 'e' || c == 'E' ||
	       c == ',' || json_is_blank(c);
}

/* Lists of numbers in a list.  With an object behind the first it is a damaged trace. */
static enum probe timeline_probe(struct bytes head)
{
	const char *p = (const char *)head.p, *end = p + head.n;

	for (int brackets = 0; brackets < 2; brackets++, p++) {
		p = behind_blanks(p, end);
		if (p == end || *p != '[')
			return PROBE_NO;
	}
	p = behind_blanks(p, end);
	if (p == end || !is_number_start(*p))
		return PROBE_NO;
	while (p < end && is_number_or_comma(*p))
		p++;
	if (p < end && *p == ']')
		p = behind_blanks(p + 1, end);
	if (p < end && *p == ',')
		p = behind_blanks(p + 1, end);
	return p < end && *p == '{' ? PROBE_NO : PROBE_SURE;
}

const struct reader timeline_reader = {
	.name = "timeline",
	.help = "what export_memory_timeline() writes: .json, .raw.json",
	.probe = timeline_probe,
	.read = timeline_read,
};
