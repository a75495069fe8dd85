/* Loading libarchive: see archive_lib.h. */
#include "base/archive_lib.h"

#ifdef PTOOL_ARCHIVE_SONAME
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/load_function.h"

static struct archive_lib lib;
static const char *missing; /* what it lacks; NULL: nothing */
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
	void *handle = dlopen(PTOOL_ARCHIVE_SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		const char *why = dlerror();
		/* it has no reason where there was no memory for one */
		if (!why || strstr(why, "annot allocate") || strstr(why, "of memory"))
			xdie_of_memory();
		missing = "the library";
		return;
	}
#define ARCHIVE_LOAD(name)                            \
	if (!load_function(handle, #name, &lib.name)) \
		missing = #name;
	ARCHIVE_FUNCTIONS(ARCHIVE_LOAD)
#undef ARCHIVE_LOAD
}

const struct archive_lib *archive_lib(struct err *err)
{
	pthread_once(&loaded, load);
	if (!missing)
		return &lib;
	err_set(err, ERR_IO,
		"cannot read archives: %s is missing (%s); install libarchive", missing,
		PTOOL_ARCHIVE_SONAME);
	return NULL;
}
#else
const struct archive_lib *archive_lib(struct err *err)
{
	static const struct archive_lib lib = {
#define ARCHIVE_LINKED(name) .name = name,
		ARCHIVE_FUNCTIONS(ARCHIVE_LINKED)
#undef ARCHIVE_LINKED
	};

	(void)err;
	return &lib;
}
#endif
