/* The table of exporters: a new one is its file and its row here. */
#include <string.h>

#include "cli/exporter.h"

extern const struct exporter export_callgrind, export_chrome, export_parquet,
	export_pftrace, export_folded, export_pprof, export_pstats, export_speedscope;

const struct exporter *const exporters[] = {
	&export_pstats,  &export_folded,    &export_speedscope,
	&export_pprof,   &export_callgrind, &export_chrome,
	&export_pftrace, &export_parquet,   NULL
};

const struct exporter *exporter_find(const char *name)
{
	for (size_t i = 0; exporters[i]; i++)
		if (strcmp(exporters[i]->name, name) == 0)
			return exporters[i];
	return NULL;
}

static bool has_suffix(const char *path, const char *const *suffixes)
{
	size_t n = strlen(path);

	for (size_t i = 0; suffixes[i]; i++) {
		size_t length = strlen(suffixes[i]);
		if (n > length && strcmp(path + n - length, suffixes[i]) == 0)
			return true;
	}
	return false;
}

const struct exporter *exporter_for_path(const char *path)
{
	for (size_t i = 0; exporters[i]; i++)
		if (has_suffix(path, exporters[i]->suffixes))
			return exporters[i];
	return NULL;
}
