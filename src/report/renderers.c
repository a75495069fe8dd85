/* The table of output formats: see renderer.h.  A new one is a row here. */
#include "report/renderer.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

extern const struct renderer table_renderer, csv_renderer, tsv_renderer;
extern const struct renderer json_renderer, ndjson_renderer, markdown_renderer,
	parquet_renderer;

const struct renderer *const renderers[] = {
	&table_renderer,  &csv_renderer,      &tsv_renderer,     &json_renderer,
	&ndjson_renderer, &markdown_renderer, &parquet_renderer, NULL,
};

const struct renderer *renderer_find(const char *name)
{
	for (size_t i = 0; renderers[i]; i++)
		if (strcmp(renderers[i]->name, name) == 0)
			return renderers[i];
	return NULL;
}

/* Is `suffix` one of the blank-separated words? */
static bool has_word(const char *words, const char *suffix)
{
	size_t n = strlen(suffix);

	while (*words) {
		size_t len = strcspn(words, " ");
		if (len == n && strncasecmp(words, suffix, n) == 0)
			return true;
		words += len + strspn(words + len, " ");
	}
	return false;
}

const struct renderer *renderer_for_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	const char *dot = strrchr(file, '.');

	if (!dot || dot == file || !dot[1])
		return NULL;
	for (size_t i = 0; renderers[i]; i++)
		if (renderers[i]->suffix && has_word(renderers[i]->suffix, dot + 1))
			return renderers[i];
	return NULL;
}

int render_end(FILE *out, struct err *err)
{
	int flushed = fflush(out);
	int number = errno;

	if (flushed == 0 && !ferror(out))
		return 0;
	err_set(err, ERR_IO, "write: %s", number ? strerror(number) : "output failed");
	errno = number;
	return -1;
}
