/*
 * libcurl, loaded when the first database is asked: with TLS and all that it needs itself
 * it would cost each start of ptool several milliseconds.  Where ptool was built without
 * its headers (scripts/probe.sh) there is none.
 */
#ifndef PTOOL_REMOTE_CURL_LIB_H
#define PTOOL_REMOTE_CURL_LIB_H

#ifdef PTOOL_CURL_SONAME

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

#include "base/err.h"

/* Every function of it that ptool calls. */
#define CURL_FUNCTIONS(X)      \
	X(curl_easy_cleanup)   \
	X(curl_easy_getinfo)   \
	X(curl_easy_init)      \
	X(curl_easy_perform)   \
	X(curl_easy_reset)     \
	X(curl_easy_setopt)    \
	X(curl_easy_strerror)  \
	X(curl_global_init)    \
	X(curl_mime_addpart)   \
	X(curl_mime_data)      \
	X(curl_mime_filename)  \
	X(curl_mime_free)      \
	X(curl_mime_init)      \
	X(curl_mime_name)      \
	X(curl_slist_append)   \
	X(curl_slist_free_all) \
	X(curl_version)

struct curl_lib {
#define CURL_MEMBER(name) __typeof__(name) *(name);
	CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
};

/* For as long as the process lives.  NULL with err set (ERR_IO): it is not installed. */
const struct curl_lib *curl_lib(struct err *err);

#endif
#endif
