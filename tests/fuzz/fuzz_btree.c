/* Rows as pages against SQLite's own: see unit/btree_rows.h. */
#include "../unit/btree_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	btree_rows_compare(data, size);
	return 0;
}
