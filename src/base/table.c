/* The table type's one function of its own: see table.h. */
#include "base/table.h"

void table_copy_facts(struct table *to, const struct table *from)
{
	to->total_rows = from->total_rows;
	to->caption = from->caption;
	to->under = from->under;
	to->notes = from->notes;
	to->share = from->share;
}

void table_free(struct table *t)
{
	while (t) {
		struct table *more = t->more;
		t->free(t);
		t = more;
	}
}
