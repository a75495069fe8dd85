/* Loading libcurl: see curl_lib.h. */
#include "remote/curl_lib.h"

#ifdef PTOOL_CURL_SONAME
#include <pthread.h>

#include "base/load_function.h"

/* The same library over another TLS, where Debian has only that one. */
#define OTHER_SONAME "libcurl-gnutls.so.4"

static struct curl_lib lib;
static const char *missing; /* what it lacks; NULL: nothing */
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
	void *handle = dlopen(PTOOL_CURL_SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		handle = dlopen(OTHER_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		missing = "the library";
		return;
	}
#define CURL_LOAD(name)                               \
	if (!load_function(handle, #name, &lib.name)) \
		missing = #name;
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
	err_set(err, ERR_IO,
		"cannot read a database: %s is missing (%s); install "
		"libcurl",
		missing, PTOOL_CURL_SONAME);
	return NULL;
}
#endif
