/* Arrays with gaps: see sparse.h. */
#include "base/sparse.h"

#include <stdlib.h>

#include "base/alloc.h"

void sparse_release(struct sparse *s)
{
	for (size_t i = 0; i < s->npages; i++)
		free(s->pages[i]);
	free(s->pages);
	*s = (struct sparse){ 0 };
}

void sparse_add(struct sparse *s, size_t page, size_t bytes)
{
	if (page >= s->npages)
		s->pages =
			xgrow_zeroed(s->pages, &s->npages, page + 1, sizeof(*s->pages));
	s->pages[page] = xcalloc(1, bytes);
}
