/* Files next to one that is written: see beside.h. */
#include "base/beside.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"

#define LINKS_MAX   40
#define HASH_DIGITS 16

const char *beside_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *beside_folder(const char *path)
{
	return xstrndup(path, (size_t)(beside_base(path) - path));
}

char *beside_target(const char *path)
{
	char *at = xstrdup(path);
	char target[PATH_MAX];

	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n = readlink(at, target, sizeof(target));
		if (n < 0)
			return at;
		char *folder = target[0] == '/' ? xstrdup("") : beside_folder(at);
		free(at);
		at = xasprintf("%s%.*s", folder, (int)n, target);
		free(folder);
	}
	free(at);
	errno = ELOOP;
	return NULL;
}

char *beside_name(const char *path, const char *suffix, size_t room)
{
	const char *base = beside_base(path);
	size_t n = strlen(base), more = strlen(suffix) + room;

	if (n + more <= NAME_MAX)
		return xasprintf("%s%s", path, suffix);
	char *folder = beside_folder(path);
	char *name = xasprintf("%s%.*s~%0*" PRIx64 "%s", folder,
			       (int)(NAME_MAX - more - HASH_DIGITS - 1), base,
			       HASH_DIGITS, hash_fixed(base, n), suffix);
	free(folder);
	return name;
}
