/*
 * UTF-8 for drawing: code points, the terminal cells they take, and text made
 * safe to print.  Input is never trusted to be valid: a byte that is no part of
 * a well-formed sequence counts as one character of its own.
 */
#ifndef PTOOL_BASE_UTF8_H
#define PTOOL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* What an invalid byte decodes to; no code point is that large. */
#define UTF8_INVALID UINT32_MAX

/*
 * The first character: returns the bytes it takes (at least 1; 0 only when
 * nothing is left).  Overlong forms, surrogates and values above U+10FFFF are
 * invalid.
 */
size_t utf8_decode(struct str text, uint32_t *code);
/* Adds the character of a number up to U+10FFFF; halves of pairs too. */
void utf8_add(struct buf *into, uint32_t code);
/* The text's first `most` bytes at most, without a part of a character at the end. */
struct str utf8_cut(struct str text, uint64_t most);
/*
 * Terminal cells of the text: wide East Asian characters and emoji take two,
 * combining marks none, all else one.  Independent of the locale, unlike
 * wcwidth; knows ranges rather than every character.
 */
size_t utf8_width(struct str text);
/*
 * Adds the text with everything made visible that could drive a terminal or that a
 * reader would not see: \n \t \r, \x1b for controls and invalid bytes, \u202e and
 * \U000e0041 for what unicode_is_hidden(), and for a mark that no character bears or
 * that is the third on one.
 */
void utf8_add_visible(struct buf *out, struct str text);
/* How many more marks the character before may bear; { 0 } at the start of a text. */
struct utf8_marks {
	unsigned room;
};
/* Is the next character of a text drawn as it is by utf8_add_visible()? */
bool utf8_is_drawn(struct utf8_marks *marks, uint32_t code);
/* True when all of it is printable ASCII. */
bool utf8_is_plain(struct str text);
/* True when no byte of it is invalid, and no control but \t \n \r in it. */
bool utf8_is_inert(struct str text);
/* Adds the text with those bytes and controls alone made visible: \xff, \x1b, \u009b. */
void utf8_add_inert(struct buf *out, struct str text);
/* Adds the text with U+FFFD for each invalid byte, or what fits of it: false then. */
bool utf8_add_valid(struct buf *out, struct str text);
/*
 * Adds the text with a blank for each control, invalid byte and end of a line (U+2028, U+2029);
 * true: it has some.
 */
bool utf8_add_blanked(struct buf *out, struct str text);
/*
 * Adds the text in at most `cells` cells (at least 1), its middle replaced
 * by an ellipsis when it is too wide.
 */
void utf8_add_shortened(struct buf *out, struct str text, size_t cells);

#endif
