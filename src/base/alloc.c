/* Allocation that cannot fail: see alloc.h. */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_NO_MEMORY 5

/* Threads run out of it together: one says so, as quick_exit() may be called once. */
void *xdie_of_memory(void)
{
	static atomic_flag is_dying = ATOMIC_FLAG_INIT;

	while (atomic_flag_test_and_set(&is_dying))
		pause();
	fputs("ptool: out of memory\n", stderr);
	quick_exit(EXIT_NO_MEMORY); /* what at_quick_exit() was told is done */
}

static void *checked(void *p)
{
	if (!p)
		xdie_of_memory();
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc_array(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		checked(NULL);
	size_t bytes = count * size;
	return checked(realloc(old, bytes > 0 ? bytes : 1));
}

char *xstrndup(const char *text, size_t n)
{
	char *copy = xmalloc(n + 1);

	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

char *xasprintf(const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	char *text = len < 0 ? NULL : malloc((size_t)len + 1);
	checked(text);
	vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	return text;
}

/* open_memstream() does not tell each failure: what it could not keep is missing. */
struct memory_stream {
	char **text; /* the caller's */
	size_t *n, cap;
};

static ssize_t memory_write(void *cookie, const char *bytes, size_t n)
{
	struct memory_stream *m = cookie;

	*m->text = xgrow(*m->text, &m->cap, *m->n + n + 1, 1);
	memcpy(*m->text + *m->n, bytes, n);
	*m->n += n;
	(*m->text)[*m->n] = '\0';
	return (ssize_t)n;
}

static int memory_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *xopen_memory(char **text, size_t *n)
{
	static const cookie_io_functions_t functions = { .write = memory_write,
							 .close = memory_close };
	struct memory_stream *m = xmalloc(sizeof(*m));

	*m = (struct memory_stream){ .text = text, .n = n, .cap = 1 };
	*text = xcalloc(1, 1);
	*n = 0;
	return checked(fopencookie(m, "w", functions));
}

void *xgrow(void *p, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return p;
	size_t n = *cap ? *cap : 16;
	while (n < need) {
		if (n > SIZE_MAX / 2)
			checked(NULL);
		n *= 2;
	}
	*cap = n;
	return xrealloc_array(p, n, size);
}

void *xgrow_zeroed(void *p, size_t *cap, size_t need, size_t size)
{
	size_t old = *cap;

	p = xgrow(p, cap, need, size);
	if (*cap > old)
		memset((char *)p + (old * size), 0, (*cap - old) * size);
	return p;
}
