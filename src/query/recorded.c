/* What is rare in recordings: see recorded.h. */
#include "query/recorded.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "query/query.h"

ASSET(asset_query_views_recorded_sql);

/* Columns of recorded.sql. */
enum { PHASES, GRAPHS, COMPILED };

int recorded_load(struct store *store, const struct scope *scope, struct recorded *out,
		  struct err *err)
{
	struct query q =
		query_of_scope(store, asset_query_views_recorded_sql, scope->ids, err);

	*out = (struct recorded){ .shapes = false };
	if (query_next(&q, err)) {
		out->phases = sqlite3_column_int(q.stmt, PHASES);
		out->graphs = sqlite3_column_int(q.stmt, GRAPHS);
		out->compiled = sqlite3_column_int(q.stmt, COMPILED);
	}
	for (size_t i = 0; i < scope->n; i++)
		out->shapes |= scope->profiles[i].has_shapes;
	return query_end(&q);
}

/* Is one of these folders called as archives are: "runs.tar.gz/2/"? */
static bool is_in_archive(const char *folders)
{
	static const char *const suffixes[] = { ".tar/", ".tgz/", ".tzst/", ".gz/",
						".zst/", ".zip/", ".whl/" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcasestr(folders, suffixes[i]))
			return true;
	return false;
}

/* A part lies in a file, not in a folder.  If that is gone, its name says what it was. */
bool recorded_as_file(const struct scope_profile *profile)
{
	char *path = xstrdup(profile->path), *slash = strrchr(path, '/');
	struct stat st;

	if (slash)
		slash[1] = '\0';
	bool is_part =
		slash && stat(path, &st) < 0 && (errno == ENOTDIR || is_in_archive(path));
	free(path);
	return !is_part;
}
