/* What the fields of views are called, and the words of --by: see view.h. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "query/view.h"

#define NAME_MAX_BYTES ((size_t)128)

/* profiler_util.py, EventList.table: the string is rewritten like this. */
static const char *const devices[] = { "cuda", "xpu", "privateuse1", "hpu", "mtia" };

/* What may be left out behind a name. */
static const char *const units[] = { "", "_ns", "_bytes" };

static size_t device_at(const char *p)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (strncmp(p, devices[i], strlen(devices[i])) == 0)
			return strlen(devices[i]);
	return 0;
}

/* False when the name is longer than any key. */
static bool rewrite(const char *name, struct buf *out)
{
	bool fits = true;

	buf_init(out, NAME_MAX_BYTES);
	while (*name && fits) {
		size_t n = device_at(name);
		if (n)
			fits = buf_add_text(out, "device");
		else if (*name == '-')
			fits = buf_add_char(out, '_');
		else
			fits = buf_add_char(out, *name);
		name += n ? n : 1;
	}
	return fits && out->n;
}

static bool has_word(const char *words, struct str word)
{
	while (words && *words) {
		size_t n = strcspn(words, " ");
		if (str_equal((struct str){ words, n }, word))
			return true;
		words += n + strspn(words + n, " ");
	}
	return false;
}

static bool is_name(struct str name, const char *also, struct str wanted)
{
	if (!str_starts_with(name, wanted))
		return has_word(also, wanted);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(name.p + wanted.n, units[i]) == 0)
			return true;
	return has_word(also, wanted);
}

/* As view_field() says. */
static bool is_called(const struct field *f, const char *wanted)
{
	struct buf rewritten;
	bool is = rewrite(wanted, &rewritten) &&
		  is_name(str_of(f->name), f->also, buf_str(&rewritten));

	buf_release(&rewritten);
	return is;
}

bool view_sorts_by(const struct field *field)
{
	return !(field->flags & (FIELD_NO_SORT | FIELD_PEOPLE));
}

const struct field *view_field(const struct view *view, const char *wanted)
{
	for (const struct field *f = view->fields; f->name; f++)
		if (view_sorts_by(f) && is_called(f, wanted))
			return f;
	return NULL;
}

const struct field *view_field_asked(const struct view *view,
				     const struct view_request *request,
				     const char *wanted)
{
	const struct field *absent = NULL;

	for (const struct field *f = view->fields; f->name; f++) {
		if (!view_sorts_by(f) || !is_called(f, wanted))
			continue;
		if (view_has(request, f))
			return f;
		absent = absent ? absent : f;
	}
	return absent;
}

const struct field *view_field_called(const struct view *view, struct str name)
{
	for (const struct field *f = view->fields; f->name; f++)
		if (str_is(name, f->name))
			return f;
	return NULL;
}

bool view_has(const struct view_request *request, const struct field *field)
{
	return !field->needs || (field->needs & request->asked);
}

const struct field *view_part_next(const struct view *view, const char **at, char *mark)
{
	struct str name = { *at, strcspn(*at, "?! ") };

	if (!name.n)
		return NULL;
	*mark = name.p[name.n];
	*at += name.n + strspn(name.p + name.n, "?! ");
	const struct field *f = view_field_called(view, name);
	assert(f);
	return f;
}

const char *const *view_sort_names(const struct view *view, struct arena *arena)
{
	size_t room = 1, n = 0;

	for (const struct field *f = view->fields; f->name; f++)
		room += 1 + (f->also ? strlen(f->also) : 0);
	const char **names = arena_alloc(arena, room * sizeof(*names));
	for (const struct field *f = view->fields; f->name; f++)
		if (view_sorts_by(f))
			names[n++] = f->name;
	for (const struct field *f = view->fields; f->name; f++)
		for (const char *p = view_sorts_by(f) ? f->also : NULL; p && *p;) {
			size_t length = strcspn(p, " ");
			names[n++] = arena_copy(arena, (struct str){ p, length }).p;
			p += length + strspn(p + length, " ");
		}
	names[n] = NULL;
	return names;
}

unsigned view_by(const struct view *view, const char *list)
{
	unsigned asked = 0;

	do {
		struct str word = { list, strcspn(list, ",") };
		for (const struct view_word *w = view->by; w->name; w++)
			asked |= str_is(word, w->name) ? w->asks : 0;
		list += word.n;
	} while (*list++ == ',');
	return asked;
}

const char *view_sort_at(const struct view *view, size_t i)
{
	const struct field *f = view->fields;

	while (f->name && (!view_sorts_by(f) || i-- > 0))
		f++;
	return f->name;
}

const char *view_by_at(const struct view *view, size_t i)
{
	const struct view_word *w = view->by;

	while (w->name && i-- > 0)
		w++;
	return w->name;
}
