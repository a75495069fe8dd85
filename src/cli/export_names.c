/* Names in formats that repeat them: see export_names.h. */
#include "cli/export_names.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/spelt.h"
#include "base/utf8.h"

#define STACK_BYTES 16 /* that a stack takes in a file without names */

bool export_names_open(struct export_names *names, const struct intern *texts)
{
	*names = (struct export_names){ .texts = texts, .most = SIZE_MAX };
	for (uint32_t i = 0; i < texts->n && !names->uses; i++)
		if (intern_str(texts, i).n > SPELT_PART)
			names->uses = xcalloc(texts->n, sizeof(*names->uses));
	return names->uses;
}

void export_names_close(struct export_names *names)
{
	free(names->uses);
	*names = (struct export_names){ .texts = NULL };
}

/* Do long names fit, if they have at most so many bytes? */
static bool fits(const struct export_names *names, size_t most, uint64_t file_bytes)
{
	struct spelt spelt = { 0 };

	for (uint32_t i = 0; i < names->texts->n; i++) {
		size_t n = intern_str(names->texts, i).n, bytes;
		if (n <= SPELT_PART)
			continue;
		if (__builtin_mul_overflow(names->uses[i], n < most ? n : most, &bytes) ||
		    bytes > SIZE_MAX / 2 || !spelt_take(&spelt, bytes, file_bytes))
			return false;
	}
	return true;
}

void export_names_choose(struct export_names *names, size_t stacks,
			 struct export_losses *losses)
{
	uint64_t file_bytes = (uint64_t)stacks * STACK_BYTES;
	size_t least = SPELT_PART, longest = SPELT_PART;

	for (uint32_t i = 0; i < names->texts->n; i++) {
		size_t n = intern_str(names->texts, i).n;
		file_bytes += n;
		longest = n > longest ? n : longest;
	}
	if (fits(names, longest, file_bytes))
		return;
	while (least + 1 < longest) {
		size_t middle = least + (longest - least) / 2;
		if (fits(names, middle, file_bytes))
			least = middle;
		else
			longest = middle;
	}
	names->most = least;
	losses->name_bytes = (int64_t)least;
}

struct str export_names_text(const struct export_names *names, uint32_t text,
			     struct buf *room)
{
	struct str name = intern_str(names->texts, text);

	if (name.n <= names->most)
		return name;
	buf_clear(room);
	buf_add_str(room, utf8_cut(name, names->most));
	buf_addf(room, " [cut %u]", (unsigned int)text + 1);
	return buf_str(room);
}
