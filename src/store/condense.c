/* Smaller stores: see condense.h. */
#include "store/condense.h"

#include "base/asset.h"
#include "store/sql.h"
#include "store/vacuum.h"

ASSET(asset_store_condense_sql);

int store_condense(struct sqlite3 *db, struct err *err)
{
	if (sql_exec(db, (const char *)asset_store_condense_sql, err) < 0)
		return -1;
	return vacuum(db, err);
}
