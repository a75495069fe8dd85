/*
 * chlocal ARGUMENT...: clickhouse-local out of $LIBCHDB (npm's libchdb.so), which its own
 * SQL can make a server: SYSTEM START LISTEN HTTP.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct result;

int main(int argc, char **argv)
{
	void *library = dlopen(getenv("LIBCHDB"), RTLD_NOW | RTLD_LOCAL);
	struct result *(*run)(int, char **);
	const char *(*error)(struct result *);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&run = dlsym(library, "chdb_query_cmdline");
	*(void **)&error = dlsym(library, "chdb_result_error");
	if (!run || !error) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	struct result *result = run(argc, argv);
	const char *why = result ? error(result) : "no result";
	if (why && *why)
		fprintf(stderr, "%s\n", why);
	return why && *why;
}
