/* Properties of characters that drawing them needs, whatever the locale. */
#ifndef PTOOL_BASE_UNICODE_H
#define PTOOL_BASE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Drawn over the character before it: accents, vowel signs. */
bool unicode_is_mark(uint32_t code);
/*
 * Without a shape of its own, or a blank that looks like U+0020: controls, characters
 * of no width, those that reorder a line, soft hyphens, tags, variation selectors.
 */
bool unicode_is_hidden(uint32_t code);
/* Of a terminal: wide East Asian characters and emoji 2, marks 0, all else 1. */
size_t unicode_cells(uint32_t code);

#endif
