/* Numbers in 32 bits: see wide.h. */
#include "store/wide.h"

#include <assert.h>

#include "base/spill.h"

void wides_release(struct wides *w)
{
	spill_free(w->spill, w->large);
	*w = (struct wides){ 0 };
}

uint32_t wide_add_large(struct wides *w, int64_t number)
{
	/* What is large often stays as it is: a total, an id of the whole file. */
	if (w->nlarge == 0 || w->large[w->nlarge - 1] != number) {
		assert(w->nlarge < WIDE_MAX);
		w->large = spill_grow(w->spill, w->large, &w->large_cap, w->nlarge + 1,
				      sizeof(*w->large));
		w->large[w->nlarge++] = number;
	}
	return WIDE_LARGE + (uint32_t)(w->nlarge - 1);
}
