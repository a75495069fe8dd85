/* Threads that only wait: see idle_thread.h. */
#include "query/calls/idle_thread.h"

#include "base/sum.h"
#include "trace/fact.h"

#define BLOCK        256
#define BUSY_PARTS   100 /* a hundredth of the time is enough to be busy */
#define FRAME_MARK   "): "
#define METHOD_MARKS 3

/* Of Python's threading, selectors, time, queue and socket, and of C below them. */
static const char *const waits[] = { "acquire", "wait",   "_wait_for_tstate_lock",
				     "sleep",   "select", "poll",
				     "accept",  "recv",   "_recv" };

/* "threading.py(359): wait" and "<built-in method acquire of ...>": wait, acquire. */
static struct str bare_name(struct str name)
{
	static const char *const marks[METHOD_MARKS] = { "<built-in method ",
							 "<built-in function ",
							 "<method '" };

	for (size_t i = 0; i < METHOD_MARKS; i++) {
		struct str mark = str_of(marks[i]);
		if (!str_starts_with(name, mark))
			continue;
		name = str_behind(name, mark.n);
		for (size_t end = 0; end < name.n; end++)
			if (strchr(" '>", name.p[end]) && name.p[end])
				return (struct str){ name.p, end };
		return name;
	}
	for (size_t at = name.n; at-- > 0;)
		if (str_starts_with(str_behind(name, at), STR_LIT(FRAME_MARK)))
			return str_behind(name, at + sizeof(FRAME_MARK) - 1);
	return name;
}

bool idle_thread_waits(struct str name)
{
	struct str bare = bare_name(name);

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (str_is(bare, waits[i]))
			return true;
	return false;
}

/* Adds to one of the two. */
static int add_self(struct slices *slices, const struct slice_row *row, int64_t *busy_ns,
		    int64_t *wait_ns, struct err *err)
{
	bool waits_here = false;

	if (row->class == CLASS_SPAN || row->class == CLASS_MEMORY)
		return 0;
	if (row->class == CLASS_PYTHON) {
		struct str name;
		if (slices_text(slices, row->name_id, &name, err) < 0)
			return -1;
		waits_here = idle_thread_waits(name);
	}
	int64_t *sum = waits_here ? wait_ns : busy_ns;
	*sum = sum_add(*sum, row->self_ns);
	return 0;
}

int idle_thread_is(struct slices *slices, const struct slices_track *track, bool *is_idle,
		   struct err *err)
{
	/* a thread that works for longer is not idle, however long it waits beside */
	int64_t enough_ns = track->profile->dur_ns / BUSY_PARTS;
	int64_t busy_ns = 0, wait_ns = 0, id = track->first_id;
	struct slice_row rows[BLOCK];
	int n = 0;

	while (busy_ns <= enough_ns &&
	       (n = slices_read(slices, track, id, rows, BLOCK, err)) > 0) {
		for (int i = 0; i < n; i++)
			if (add_self(slices, &rows[i], &busy_ns, &wait_ns, err) < 0)
				return -1;
		id = rows[n - 1].id + 1;
	}
	*is_idle = busy_ns <= enough_ns && wait_ns / BUSY_PARTS >= busy_ns && wait_ns > 0;
	return n < 0 ? -1 : 0;
}
