/* The source of a function from its file: see line_source.h. */
#include "query/lines/line_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX ((size_t)16 << 20)
#define NS_PER_S   INT64_C(1000000000)
/* A definition may have decorators before it. */
#define DEFINITION_LINES 64

/* The whole of a regular file; p NULL: there is none. */
static struct str read_file(const char *path, struct arena *arena, int64_t *mtime_ns)
{
	struct str text = { NULL, 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return text;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 &&
	    (uint64_t)st.st_size <= SOURCE_MAX) {
		size_t size = (size_t)st.st_size, n = 0;
		char *room = arena_alloc(arena, size + 1);
		ssize_t got;
		while (n < size && (got = read(fd, room + n, size - n)) > 0)
			n += (size_t)got;
		text = (struct str){ room, n };
		*mtime_ns = (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
	}
	close(fd);
	return text;
}

static struct str find_file(struct str file, const struct scope_profile *profile,
			    struct arena *arena, int64_t *mtime_ns)
{
	const char *path = arena_printf(arena, STR_FMT, STR_ARG(file));
	const char *slash = strrchr(profile->path, '/');
	struct str text = { NULL, 0 };

	if (file.n == 0 || strlen(path) != file.n)
		return text;
	if (*path != '/' && slash)
		text = read_file(arena_printf(arena, "%.*s/%s",
					      (int)(slash - profile->path), profile->path,
					      path),
				 arena, mtime_ns);
	return text.p ? text : read_file(path, arena, mtime_ns);
}

struct str line_source_next(struct str *text)
{
	const char *end = text->n ? memchr(text->p, '\n', text->n) : NULL;
	struct str line = { text->p, end ? (size_t)(end - text->p) : text->n };

	*text = str_behind(*text, line.n + (end != NULL));
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

static struct str without_indent(struct str line)
{
	while (line.n && (*line.p == ' ' || *line.p == '\t'))
		line = str_behind(line, 1);
	return line;
}

/* "def slow(" or "class Worker:"; of "Worker.run" the last part is the name. */
static bool defines(struct str line, struct str name)
{
	static const struct str words[] = { { "async def ", 10 },
					    { "def ", 4 },
					    { "class ", 6 } };

	for (size_t i = name.n; i-- > 0;)
		if (name.p[i] == '.') {
			name = str_behind(name, i + 1);
			break;
		}
	line = without_indent(line);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!str_starts_with(line, words[i]))
			continue;
		line = without_indent(str_behind(line, words[i].n));
		return str_starts_with(line, name) && line.n > name.n &&
		       strchr("( :[\t", line.p[name.n]);
	}
	return str_is(name, "<lambda>") && str_contains(line, STR_LIT("lambda"));
}

/* Is the function defined in the first line, or behind decorators that begin there? */
static bool is_defined(struct str code, struct str name)
{
	bool has_decorator = false;

	for (int i = 0; code.n && i < DEFINITION_LINES; i++) {
		struct str line = line_source_next(&code);
		if (defines(line, name))
			return true;
		has_decorator |=
			i == 0 && str_starts_with(without_indent(line), STR_LIT("@"));
		if (!has_decorator)
			return false;
	}
	return false;
}

/* Rows are in the order of their lines, in each block. */
static void set_sources(struct line_profile *p, const struct line_function *f)
{
	struct str rest = f->code, line = { NULL, 0 };
	int64_t at = f->line - 1; /* of `line` */

	for (size_t i = f->first; i < f->first + f->n; i++) {
		struct line_row *row = &p->rows[i];
		if (i > f->first && row->line <= at &&
		    row->block > p->rows[i - 1].block) {
			rest = f->code;
			at = f->line - 1;
		}
		for (; at < row->line && rest.n; at++)
			line = line_source_next(&rest);
		if (at == row->line && at >= f->line)
			row->source = line;
	}
}

enum line_source_state line_source_read(struct line_profile *p, struct line_function *f,
					const struct scope_profile *profile,
					struct arena *arena)
{
	int64_t mtime_ns = 0;
	struct str text = find_file(f->file, profile, arena, &mtime_ns);

	if (!text.p)
		return LINE_SOURCE_MISSING;
	if (!profile->has_mtime || mtime_ns > profile->mtime_ns)
		return LINE_SOURCE_CHANGED;
	for (int64_t line = 1; text.n && line < f->line; line++)
		(void)line_source_next(&text);
	if (f->line < 1 || !is_defined(text, f->name))
		return LINE_SOURCE_OTHER;
	f->code = text;
	set_sources(p, f);
	return LINE_SOURCE_THERE;
}
