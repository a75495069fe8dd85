/* Smaller stores: see condense.h. */
#include "store/condense.h"

#include <sqlite3.h>

#include "base/asset.h"
#include "store/sql.h"

ASSET(asset_store_condense_sql);

int store_condense(const char *path, struct err *err)
{
	struct sqlite3 *db = NULL;
	int rc = 0;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		rc = sql_error(db, err);
	if (rc == 0)
		rc = sql_exec(db, (const char *)asset_store_condense_sql, err);
	sqlite3_close(db);
	return rc;
}
