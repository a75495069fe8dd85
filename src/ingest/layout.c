/* Remembered layouts: see layout.h. */
#include "ingest/layout.h"

#define RESETS_MAX \
	16 /* a producer that has more layouts than fit is not worth the while */

void layouts_clear(struct layouts *l)
{
	l->n = 1;
	l->nends = l->nresets = 0;
	l->all[0].child = 0;
}

void layouts_renew(struct layouts *l)
{
	bool is_full = l->n > LAYOUT_NODES - 256 || l->nends == LAYOUT_ENDS;
	unsigned nresets = l->nresets + 1;

	if (l->n == 0 || (is_full && nresets <= RESETS_MAX)) {
		layouts_clear(l);
		l->nresets = nresets;
	}
}

static bool is_same_value(struct layout_value a, struct layout_value b)
{
	return a.kind == b.kind && a.is_arg == b.is_arg && a.place == b.place &&
	       a.key_before == b.key_before && a.key_n == b.key_n &&
	       a.args_before == b.args_before && a.args_end_before == b.args_end_before;
}

/* As layouts_add, of a text that fits one node. */
static struct layout *add_one(struct layouts *l, struct layout *at, struct str text,
			      struct layout_value value)
{
	unsigned nchildren = 0;

	for (uint16_t i = at->child; i; i = l->all[i].sibling, nchildren++) {
		struct layout *known = &l->all[i];
		if (str_equal((struct str){ known->text, known->n }, text) &&
		    is_same_value(known->value, value))
			return known;
	}
	bool is_end = value.kind == LAYOUT_END;
	if (nchildren == LAYOUT_CHILDREN || l->n == LAYOUT_NODES ||
	    (is_end && l->nends == LAYOUT_ENDS))
		return NULL;
	struct layout *new = &l->all[l->n];
	*new = (struct layout){ .n = (uint8_t)text.n,
				.value = value,
				.sibling = at->child };
	memcpy(new->text, text.p, text.n);
	at->child = (uint16_t)l->n++;
	if (is_end) {
		new->seen = (uint16_t)l->nends++;
		l->ends[new->seen] = (struct layout_event){ 0 };
	}
	return new;
}

struct layout *layouts_add(struct layouts *l, struct layout *at, struct str text,
			   struct layout_value value)
{
	while (at && text.n > LAYOUT_TEXT) {
		at = add_one(l, at, (struct str){ text.p, LAYOUT_TEXT },
			     (struct layout_value){ .kind = LAYOUT_MORE });
		text = (struct str){ text.p + LAYOUT_TEXT, text.n - LAYOUT_TEXT };
	}
	return at ? add_one(l, at, text, value) : NULL;
}

struct layout *layouts_other(struct layouts *l, struct layout *at, const char *p)
{
	struct layout *before = at->child ? &l->all[at->child] : NULL;

	while (before && before->sibling) {
		uint16_t number = before->sibling;
		struct layout *node = &l->all[number];
		if (same_text(node->text, node->n, p)) {
			before->sibling = node->sibling;
			node->sibling = at->child;
			at->child = number;
			return node;
		}
		before = node;
	}
	return NULL;
}
