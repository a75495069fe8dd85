/* The steps themselves for a comparison: each is a row, by its number. */
#include <inttypes.h>

#include "base/arena.h"
#include "query/diff/diff_load.h"

int diff_load_steps(const struct diff_loading *l, struct err *err)
{
	struct arena arena = { 0 };
	struct diff_steps steps;
	size_t before = l->to->n;
	int has = 1;

	/* a loader of whole runs is given the first step at most */
	if (diff_steps_load(l->store, l->scope, l->filter, false, &steps, err) < 0) {
		diff_steps_release(&steps);
		return -1;
	}
	for (size_t i = 0; i < steps.n && has >= 0; i++) {
		const struct diff_step *step = &steps.items[i];
		struct str name = str_of(
			arena_printf(&arena, "ProfilerStep#%" PRId64, step->number));
		has = filter_has_name(l->filter, name, err);
		if (has > 0)
			diff_loading_add(l, name,
					 (struct diff_place){ step->profile_id,
							      step->number, true },
					 step->count, step->dur_ns);
	}
	diff_steps_release(&steps);
	arena_release(&arena);
	if (has < 0)
		return -1;
	return l->to->n > before
		       ? 0
		       : err_set(err, ERR_EMPTY,
				 "no step was recorded (profiler.step()), or none matches");
}
