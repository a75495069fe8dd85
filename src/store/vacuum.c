/* Databases without free pages: see vacuum.h. */
#include "store/vacuum.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/beside.h"
#include "store/sql.h"

/* Else it is in $TMPDIR or /var/tmp, which may be small, or not be there to be written. */
int vacuum(struct sqlite3 *db, struct err *err)
{
	char *folder = beside_folder(sqlite3_db_filename(db, "main"));

	sqlite3_temp_directory = sqlite3_mprintf("%s", folder);
	free(folder);
	if (!sqlite3_temp_directory)
		xdie_of_memory();
	int rc = sql_exec(db, "VACUUM", err);
	sqlite3_free(sqlite3_temp_directory);
	sqlite3_temp_directory = NULL;
	return rc;
}
