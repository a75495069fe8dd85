/*
 * Comparing with a text that was seen before: inline, many bytes at a time, because
 * calling memcmp costs more than a short text does.
 */
#ifndef PTOOL_INGEST_SAME_TEXT_H
#define PTOOL_INGEST_SAME_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Bytes that may be read of either text, however short they are. */
#define SAME_TEXT_LEAST 16

/* A bit for each of so many bytes that differ, the first one in the lowest bit. */
static inline unsigned same_text_differing(const char *a, const char *b)
{
#ifdef __SSE2__
	__m128i same = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)a),
				      _mm_loadu_si128((const void *)b));
	return (unsigned)_mm_movemask_epi8(same) ^ 0xffff;
#else
	unsigned bits = 0;

	if (memcmp(a, b, SAME_TEXT_LEAST) == 0)
		return 0;
	for (unsigned i = 0; i < SAME_TEXT_LEAST; i++)
		bits |= (unsigned)(a[i] != b[i]) << i;
	return bits;
#endif
}

/* Do the n bytes of the text stand at p? */
static inline bool same_text(const char *text, size_t n, const char *p)
{
	unsigned differing = same_text_differing(text, p);

	if (n < SAME_TEXT_LEAST)
		return (differing & ((1U << n) - 1)) == 0;
	for (size_t i = SAME_TEXT_LEAST; i < n; i += SAME_TEXT_LEAST) {
		/* The last bytes are compared with some before them. */
		size_t at = i < n - SAME_TEXT_LEAST ? i : n - SAME_TEXT_LEAST;
		differing |= same_text_differing(text + at, p + at);
	}
	return differing == 0;
}

#endif
