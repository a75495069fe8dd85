/* Functions of a library that is loaded when it is first needed. */
#ifndef PTOOL_BASE_LOAD_FUNCTION_H
#define PTOOL_BASE_LOAD_FUNCTION_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/*
 * Sets *function, a pointer to a function, to the library's; false: it has none.  ISO C
 * knows no way from a pointer to an object to one to a function.
 */
static inline bool load_function(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

#endif
