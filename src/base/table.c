/* Cells and tables: see table.h. */
#include "base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct cell cell_scaled(int64_t amount, int64_t decimals)
{
	char text[64];

	if (decimals == 0)
		return cell_int(amount);
	/* a division rounds twice where a double does not hold the amount */
	snprintf(text, sizeof(text), "%" PRId64 "e-%" PRId64, amount, decimals);
	return cell_real(strtod(text, NULL));
}

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
