/*
 * An array by numbers that may be large, such as those of a run's texts, of which its owner
 * uses few: items are 0 wherever nothing was set yet, and take memory in pages, those that
 * were asked for.  So a profile of ten names costs nothing for the million of another one.
 */
#ifndef PTOOL_BASE_SPARSE_H
#define PTOOL_BASE_SPARSE_H

#include <stddef.h>

#define SPARSE_PAGE 4096 /* items */

/* A zeroed one is empty. */
struct sparse {
	char **pages; /* owned; NULL: nobody asked for it */
	size_t npages;
};

/* Frees the items; the array is empty again. */
void sparse_release(struct sparse *s);
/* The page becomes one of `bytes`, all 0. */
void sparse_add(struct sparse *s, size_t page, size_t bytes);

/* A pointer to item `at`, which stays where it is; all have one size. */
static inline void *sparse_at(struct sparse *s, size_t at, size_t size)
{
	size_t page = at / SPARSE_PAGE;

	if (page >= s->npages || !s->pages[page])
		sparse_add(s, page, SPARSE_PAGE * size);
	return s->pages[page] + at % SPARSE_PAGE * size;
}

#define SPARSE_AT(s, type, at) ((type *)sparse_at((s), (at), sizeof(type)))

#endif
