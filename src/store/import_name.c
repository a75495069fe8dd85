/* The name of a run that was given none: see import.h. */
#include <limits.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "store/import.h"

/* Length of the longest folder of a's first n bytes that b lies in too. */
static size_t common_folder(const char *a, const char *b, size_t n)
{
	size_t same = 0, slash = 0;

	while (same < n && a[same] == b[same]) {
		if (a[same] == '/')
			slash = same;
		same++;
	}
	bool whole = same == n && (b[n] == '/' || b[n] == '\0');
	return whole ? n : slash;
}

char *import_run_name(const char *const *paths, size_t npaths)
{
	char *name = NULL;
	size_t n = 0;

	for (size_t i = 0; i < npaths; i++) {
		char *other =
			strcmp(paths[i], "-") == 0 ? NULL : realpath(paths[i], NULL);
		if (!other)
			continue;
		if (name && strcmp(name, other) != 0)
			n = common_folder(name, other, n);
		if (name) {
			free(other);
			continue;
		}
		name = other;
		n = strlen(name);
	}
	if (!name)
		return xstrdup(paths[0]);
	name[n ? n : 1] = '\0'; /* nothing in common but "/" */
	return name;
}
