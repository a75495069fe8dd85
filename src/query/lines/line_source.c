/* The source of a function from its file: see line_source.h. */
#include "query/lines/line_source.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "query/recorded.h"

/* A file, and all of them: a profile may name any file of the machine. */
#define FILE_MAX   ((uint64_t)4 << 20)
#define FILES_MAX  ((uint64_t)32 << 20)
#define LINE_BYTES 4096 /* bytes of a line */
#define NS_PER_S   INT64_C(1000000000)
/* A definition may have decorators before it. */
#define DEFINITION_LINES 64

void line_sources_init(struct line_sources *s, const struct scope_profile *profile)
{
	*s = (struct line_sources){ .profile = profile,
				    .has_time = profile->has_mtime &&
						recorded_as_file(profile) };
	intern_init(&s->paths);
}

void line_sources_release(struct line_sources *s)
{
	intern_release(&s->paths);
	arena_release(&s->arena);
	free(s->files);
}

static void find_lines(struct line_source *source, struct arena *arena)
{
	struct str text = source->text;
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n' || i + 1 == text.n;
	source->starts = arena_alloc(arena, (n + 1) * sizeof(*source->starts));
	source->starts[0] = 0;
	for (size_t i = 0, line = 0; i < text.n; i++)
		if (text.p[i] == '\n' || i + 1 == text.n)
			source->starts[++line] = (uint32_t)(i + 1);
	source->nlines = (int64_t)n;
}

static void read_text(struct line_sources *s, int fd, size_t size,
		      struct line_source *out)
{
	char *room = arena_alloc(&s->arena, size + 1);
	size_t n = 0;
	ssize_t got;

	while (n < size && (got = read(fd, room + n, size - n)) > 0)
		n += (size_t)got;
	s->bytes += n;
	out->text = (struct str){ room, n };
	find_lines(out, &s->arena);
}

static enum line_source_state state_of(const struct line_sources *s,
				       const struct stat *st)
{
	int64_t mtime_ns = (int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;
	uint64_t size = (uint64_t)st->st_size;

	if (!S_ISREG(st->st_mode) || st->st_size < 0)
		return LINE_SOURCE_MISSING;
	if (!s->has_time)
		return LINE_SOURCE_UNDATED;
	if (mtime_ns > s->profile->mtime_ns)
		return LINE_SOURCE_CHANGED;
	return size > FILE_MAX || size > FILES_MAX - s->bytes ? LINE_SOURCE_LARGE
							      : LINE_SOURCE_THERE;
}

/* The whole of a regular file that was not changed. */
static void read_file(struct line_sources *s, const char *path, struct line_source *out)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0)
		out->state = state_of(s, &st);
	if (out->state == LINE_SOURCE_THERE)
		read_text(s, fd, (size_t)st.st_size, out);
	close(fd);
}

static void find_file(struct line_sources *s, struct str file, struct line_source *out)
{
	const char *folder = s->profile->path, *slash = strrchr(folder, '/');
	struct buf path;

	buf_init(&path, PATH_MAX);
	if (file.p[0] != '/' && slash &&
	    buf_addf(&path, "%.*s/", (int)(slash - folder), folder) &&
	    buf_add_str(&path, file))
		read_file(s, path.p, out);
	buf_clear(&path);
	if (out->state == LINE_SOURCE_MISSING && buf_add_str(&path, file))
		read_file(s, path.p, out);
	buf_release(&path);
}

static const struct line_source *source_of(struct line_sources *s, struct str file)
{
	static const struct line_source missing = { .state = LINE_SOURCE_MISSING };

	if (file.n == 0 || file.n >= PATH_MAX || memchr(file.p, '\0', file.n))
		return &missing;
	uint32_t at = intern_add(&s->paths, file);
	if (at == s->nfiles) {
		struct line_source *source = arena_alloc(&s->arena, sizeof(*source));
		*source = missing;
		find_file(s, file, source);
		s->files = xgrow(s->files, &s->files_cap, s->nfiles + 1,
				 sizeof(struct line_source *));
		s->files[s->nfiles++] = source;
	}
	return s->files[at];
}

struct str line_source_line(const struct line_source *source, int64_t line)
{
	uint32_t start = source->starts[line - 1], end = source->starts[line];
	struct str text = { source->text.p + start, end - start };

	if (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	if (text.n && text.p[text.n - 1] == '\r')
		text.n--;
	return utf8_cut(text, LINE_BYTES);
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
	const char *dot = memrchr(name.p, '.', name.n);

	if (dot)
		name = str_behind(name, (size_t)(dot + 1 - name.p));
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

/* Is the function defined in its line, or behind decorators that begin there? */
static bool is_defined(const struct line_source *source, const struct line_function *f)
{
	bool has_decorator = false;

	for (int64_t i = 0; i < DEFINITION_LINES && i <= source->nlines - f->line; i++) {
		struct str line = line_source_line(source, f->line + i);
		if (defines(line, f->name))
			return true;
		has_decorator |=
			i == 0 && str_starts_with(without_indent(line), STR_LIT("@"));
		if (!has_decorator)
			return false;
	}
	return false;
}

enum line_source_state line_source_read(struct line_sources *s, struct line_profile *p,
					struct line_function *f)
{
	const struct line_source *source = source_of(s, f->file);

	if (source->state != LINE_SOURCE_THERE)
		return source->state;
	if (f->line < 1 || !is_defined(source, f))
		return LINE_SOURCE_OTHER;
	f->code = source;
	for (size_t i = f->first; i < f->first + f->n; i++) {
		struct line_row *row = &p->rows[i];
		if (row->line >= f->line && row->line <= source->nlines)
			row->source = line_source_line(source, row->line);
	}
	return LINE_SOURCE_THERE;
}
