/* Names of sort keys: see sortkey.h. */
#include "query/sortkey.h"

#include "base/buf.h"

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

bool sort_name_is(const char *name, const char *also, const char *wanted)
{
	struct buf rewritten;
	bool is = rewrite(wanted, &rewritten) &&
		  is_name(str_of(name), also, buf_str(&rewritten));

	buf_release(&rewritten);
	return is;
}

const struct sort_key *sort_key_find(const struct sort_key *keys, const char *name)
{
	while (keys->name && !sort_name_is(keys->name, keys->also, name))
		keys++;
	return keys->name ? keys : NULL;
}

const char *const *sort_key_names(const struct sort_key *keys, struct arena *arena)
{
	size_t room = 1, n = 0;

	for (const struct sort_key *k = keys; k->name; k++)
		room += 1 + (k->also ? strlen(k->also) : 0);
	const char **names = arena_alloc(arena, room * sizeof(*names));
	for (const struct sort_key *k = keys; k->name; k++)
		names[n++] = k->name;
	for (const struct sort_key *k = keys; k->name; k++) {
		for (const char *p = k->also; p && *p;) {
			size_t length = strcspn(p, " ");
			names[n++] = arena_copy(arena, (struct str){ p, length }).p;
			p += length + strspn(p + length, " ");
		}
	}
	names[n] = NULL;
	return names;
}
