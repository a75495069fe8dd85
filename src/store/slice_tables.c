/* Tables of slices: see slice_tables.h. */
#include "store/slice_tables.h"

#include <sqlite3.h>
#include <stddef.h>

#include "store/sql.h"
#include "store/statements.h"

/* Of each there is a statement remove_<table>. */
static const char *const removals[] = {
	"remove_quarantine",   "remove_kernel",     "remove_copy",
	"remove_device_wait",  "remove_collective", "remove_allocation",
	"remove_memory_range", "remove_slice_args", "remove_flow",
	"remove_op_detail",    "remove_slice_pack", "remove_slice_row",
	"remove_counter",      "remove_sample_row", "remove_kernel_source",
};

#define NREMOVALS (sizeof(removals) / sizeof(*removals))
#define PREFIX    (sizeof("remove_") - 1)

bool slice_table_is(const char *table)
{
	for (size_t i = 0; i < NREMOVALS; i++)
		if (sqlite3_stricmp(table, removals[i] + PREFIX) == 0)
			return true;
	return false;
}

int slice_tables_leave_out(struct sqlite3 *db, const char *run, struct err *err)
{
	for (size_t i = 0; i < NREMOVALS; i++)
		if (statement_run(db, removals[i], run, err) < 0)
			return -1;
	return statements_run(db, "leave_out_", run, err);
}
