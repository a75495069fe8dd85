/* Loading libcurl: see curl_lib.h. */
#include "remote/curl_lib.h"

#ifdef PTOOL_CURL_SONAME
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* The same library over another TLS, where Debian has only that one. */
#define OTHER_SONAME "libcurl-gnutls.so.4"

static struct curl_lib lib;
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
	void *handle = dlopen(PTOOL_CURL_SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		handle = dlopen(OTHER_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		missing = "the library";
		return;
	}
#define CURL_LOAD(name) load_function(handle, #name, &lib.name);
	CURL_FUNCTIONS(CURL_LOAD)
#undef CURL_LOAD
	if (!missing && lib.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		missing = "its TLS";
}

const struct curl_lib *curl_lib(struct err *err)
{
	pthread_once(&loaded, load);
	if (!missing)
		return &lib;
	err_set(err, ERR_IO, "cannot ask a database: %s is missing (%s); install libcurl",
		missing, PTOOL_CURL_SONAME);
	return NULL;
}
#endif
