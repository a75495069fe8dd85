/* Threads that wait: see sample_set.h. */
#include <string.h>

#include "query/samples/sample_set.h"

/* "wait" of "Condition.wait", as py-spy 0.4.3 writes it. */
static struct str last_name(struct str name)
{
	const char *dot = name.n ? memrchr(name.p, '.', name.n) : NULL;

	return dot ? str_behind(name, (size_t)(dot - name.p) + 1) : name;
}

/*
 * Does the thread wait?  py-spy's own rule (src/python_spy.rs), by the innermost frame,
 * and joining a thread, which it knows from the kernel.  V8 has a frame for it.
 */
bool sample_is_idle(const struct sample_function *f)
{
	static const struct {
		const char *name, *file;
		bool at_end;
	} waits[] = {
		{ "wait", "threading.py", true },
		{ "_wait_for_tstate_lock", "threading.py", true },
		{ "select", "selectors.py", true },
		{ "poll", "asyncore.py", true },
		{ "poll", "zmq", false },
		{ "poll", "gevent", false },
		{ "poll", "tornado", false },
	};

	if (f->file.n == 0 && str_is(f->name, "(idle)"))
		return true;
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		struct str file = str_of(waits[i].file);
		if (!str_is(last_name(f->name), waits[i].name))
			continue;
		if (waits[i].at_end
			    ? f->file.n >= file.n &&
				      str_equal(str_behind(f->file, f->file.n - file.n),
						file)
			    : str_contains(f->file, file))
			return true;
	}
	return false;
}
