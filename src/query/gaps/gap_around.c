/* What lies around a single gap: see gap_around.h. */
#include "query/gaps/gap_around.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "query/short_name.h"

#define CHAIN_SHOWN 240 /* bytes of a chain that there is room for */
#define NAME_CELLS  60  /* of a name */

static void add_name(struct buf *note, const char *lead, struct str name)
{
	if (!name.n)
		return;
	buf_add_text(note, lead);
	short_name_add(note, name, NAME_CELLS);
}

/* The end of a long chain is what counts: the innermost. */
static void add_chain(struct buf *note, struct str chain)
{
	static const char link[] = " > ";
	size_t from = chain.n > CHAIN_SHOWN ? chain.n - CHAIN_SHOWN : 0;

	buf_add_text(note, from ? "; ..." : "; ");
	if (from) {
		const char *next = memmem(chain.p + from, chain.n - from, link, 3);
		if (!next) { /* the last name alone is longer */
			while (from > 0 && memcmp(chain.p + from - 1, link, 3) != 0)
				from--;
			from = from ? from + 2 : 0;
			add_name(note, link,
				 (struct str){ chain.p + from, chain.n - from });
			return;
		}
		from = (size_t)(next - chain.p);
	}
	buf_add_str(note, (struct str){ chain.p + from, chain.n - from });
}

/* Is it a name that is in the note already? */
static bool is_named(const struct gap_around *a)
{
	return str_equal(a->chain, a->before) || str_equal(a->chain, a->after) ||
	       str_equal(a->chain, a->own_frame);
}

void gap_around_note(struct memtable *out, const struct gap_around *around)
{
	struct buf note;

	buf_init(&note, SIZE_MAX);
	buf_add_str(&note, around->time);
	if (!around->before.n) {
		add_name(&note, ": before the first work, ", around->after);
	} else if (!around->after.n) {
		add_name(&note, ": after the last work, ", around->before);
	} else {
		add_name(&note, ": after ", around->before);
		add_name(&note, ", before ", around->after);
	}
	add_name(&note, ", launched by ", around->launch);
	add_name(&note, "; in ", around->own_frame);
	if (around->chain.n && !is_named(around))
		add_chain(&note, around->chain);
	add_name(&note, "; the queue was emptied by ", around->root);
	memtable_add_note(out, STR_FMT, STR_ARG(buf_str(&note)));
	buf_release(&note);
}
