/*
 * The page of `ptool report`: what its tabs hold is gathered, then written into the slots
 * of assets/page.html.  All markup is in that file and in assets/parts.html.
 *
 *	page_init(&page, "trace.json");
 *	page_tab(&page, "kernels", "Kernels");
 *	page_part(page.body, "note", (struct page_slot[]){ ... });
 *	page_data(page.data, "data-kernels", json);
 *	page_write(&page, out, &err);
 *	page_release(&page);
 */
#ifndef PTOOL_REPORT_PAGE_H
#define PTOOL_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* What stands in a slot {{name}} of a part. */
struct page_slot {
	const char *name; /* NULL ends an array */
	struct str text;
	bool is_markup; /* made of parts; else it is text of anybody */
};

/* clang-format off */
#define PAGE_TEXT(name, text)   { name, text, false }
#define PAGE_MARKUP(name, text) { name, text, true }
#define PAGE_SLOTS(...) ((const struct page_slot[]){ __VA_ARGS__, { .name = NULL } })
/* clang-format on */

/* Text that is gathered before it has its place. */
struct page_stream {
	FILE *out;
	char *text; /* owned */
	size_t n;
};

void page_stream_open(struct page_stream *s);
/* All of it, borrowed; nothing more is added. */
struct str page_stream_text(struct page_stream *s);
void page_stream_release(struct page_stream *s);

struct page {
	const char *title;  /* borrowed */
	struct arena arena; /* for who makes texts for it */
	struct page_stream facts, nav, sections, blocks;
	struct page_stream tab; /* what its body points to */
	FILE *body;             /* of the tab that was begun last: markup */
	FILE *data;             /* elements of page_blob.h */
	const char *id, *name;  /* of that tab, borrowed; NULL: none */
	bool has_data; /* to be set by who adds any to the tab: it is no empty one */
};

void page_init(struct page *p, const char *title);
void page_release(struct page *p);
/* One more of what the head says: "6 steps". */
void page_fact(struct page *p, struct str text);
/* Begins a tab; the id is its fragment, too.  Both are borrowed. */
void page_tab(struct page *p, const char *id, const char *title);
/* Adds the tabs and facts of another, made apart, behind those that are there. */
void page_append(struct page *p, struct page *from);
/* Writes all of it.  0, or -1 with an ERR_IO. */
int page_write(struct page *p, FILE *out, struct err *err);

/* A part of parts.html with its slots filled; a slot that is not given is empty. */
void page_part(FILE *out, const char *id, const struct page_slot *slots);
/* The same up to its slot {{body}}, and what stands behind that. */
void page_part_open(FILE *out, const char *id, const struct page_slot *slots);
void page_part_close(FILE *out, const char *id);

#endif
