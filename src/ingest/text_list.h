/*
 * The texts of a list in JSON as one text, each once: nodes of a graph, or the lines of
 * source that stacks end in.  Of a long list only the beginning counts, as many kernels may
 * name one.
 */
#ifndef PTOOL_INGEST_TEXT_LIST_H
#define PTOOL_INGEST_TEXT_LIST_H

#include "base/buf.h"
#include "base/intern.h"
#include "ingest/json.h"

/* joined: at most 4096 bytes, and "..." where there would be more. */
struct text_list {
	struct buf joined;
	struct intern seen;
	const char *between; /* borrowed */
	size_t looked_at;
	bool is_full;
};

void text_list_init(struct text_list *t, const char *between);
void text_list_release(struct text_list *t);

typedef void text_list_add_fn(struct text_list *t, struct str text);

text_list_add_fn text_list_add;
/*
 * Of a stack as Python prints it, the innermost call: "model.py(29): forward"; nothing of
 * another text of several lines; a text of one line as it is.
 */
text_list_add_fn text_list_add_line;

/*
 * Adds the texts of `list`, which stands in a window (JSON_PADDING).  NULL, or what is
 * wrong, and *at where.
 */
const char *text_list_read(struct text_list *t, const struct json_value *list,
			   text_list_add_fn *add, const char **at);

/* Adds what another list has seen; it looks at no more members of both than of one. */
void text_list_add_all(struct text_list *t, const struct str *texts, size_t n);

/* Lines of source of such a list of stacks, "; " between them; empty where it has none. */
void text_list_lines(struct str json, struct buf *out);

#endif
