/* Loading libarchive: see archive_lib.h. */
#include "base/archive_lib.h"

#ifdef PTOOL_ARCHIVE_SONAME
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

static struct archive_lib lib;
static const char *missing; /* what it lacks; NULL: nothing */
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

/* ISO C knows no way from a pointer to an object to one to a function. */
static void load_function(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	if (!found)
		missing = name;
	memcpy(function, &found, sizeof(found));
}

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
#define ARCHIVE_LOAD(name) load_function(handle, #name, &lib.name);
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
