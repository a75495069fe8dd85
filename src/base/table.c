/* The table type's one function of its own: see table.h. */
#include "base/table.h"

void table_free(struct table *t)
{
	while (t) {
		struct table *more = t->more;
		t->free(t);
		t = more;
	}
}
