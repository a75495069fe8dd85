/*
 * An array whose indexes may be large and are few, such as the numbers of a run's texts that
 * one profile uses.  Items are 0 until they are set.  They take memory in pages, and only
 * pages that were asked for: a profile of ten names costs nothing for the million of another.
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
