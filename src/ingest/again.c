/* Remembered arrays and objects: see again.h. */
#include "ingest/again.h"

#include "base/hash.h"
#include "ingest/same_text.h"

#define TRIES_MAX 4096 /* between two looks at whether it pays */
#define HITS_PART 4    /* of the tries must have been hits */

/* The number of the value with that text, which may be new; 0 when there is no room. */
static uint16_t number_of(struct again *a, uint16_t owner, struct str text)
{
	size_t slot = hash_bytes(text.p, text.n) + owner;

	for (;; slot++) {
		uint16_t number = a->slots[slot % AGAIN_SLOTS];
		const struct again_value *value = &a->all[number];
		if (number == 0)
			break;
		if (value->owner == owner &&
		    str_equal((struct str){ value->text, value->n }, text))
			return number;
	}
	if (a->n == 0)
		a->n = 1;
	if (a->n == AGAIN_MAX)
		return 0;
	struct again_value *value = &a->all[a->n];
	*value = (struct again_value){ .n = (uint16_t)text.n, .owner = owner };
	memcpy(value->text, text.p, text.n);
	a->slots[slot % AGAIN_SLOTS] = (uint16_t)a->n;
	return (uint16_t)a->n++;
}

static void count_try(struct again *a)
{
	if (++a->tries < TRIES_MAX)
		return;
	a->is_off = a->hits < TRIES_MAX / HITS_PART;
	a->tries = a->hits = 0;
}

enum json_status again_value(struct again *a, uint16_t owner, uint16_t *last,
			     struct json *j, struct json_value *out)
{
	const struct again_value *likely = &a->all[a->all[*last].next];
	const char *start = j->p;

	if (a->is_off)
		return json_value(j, out);
	count_try(a);
	if (likely->n && likely->n <= j->end - start &&
	    same_text(likely->text, likely->n, start)) {
		*out = (struct json_value){ .text = { start, likely->n },
					    .type = *start == '{' ? JSON_OBJECT
								  : JSON_ARRAY };
		j->p += likely->n;
		*last = a->all[*last].next;
		a->hits++;
		return JSON_OK;
	}
	enum json_status status = json_value(j, out);
	struct str text = { start, (size_t)(j->p - start) };
	/* What has a flaw must be read again, to tell it again. */
	if (status != JSON_OK || j->flaws || text.n > AGAIN_TEXT_MAX)
		return status;
	uint16_t number = number_of(a, owner, text);
	if (*last)
		a->all[*last].next = number;
	*last = number;
	return JSON_OK;
}
