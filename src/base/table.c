/* Cells and tables: see table.h. */
#include "base/table.h"

struct cell cell_scaled(int64_t amount, int64_t decimals)
{
	double power = 1;

	if (decimals == 0)
		return cell_int(amount);
	for (int64_t i = 0; i < decimals; i++)
		power *= 10;
	return cell_real((double)amount / power);
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
