/*
 * Comparing with a text that was seen before: inline, eight bytes at a time, because
 * calling memcmp costs more than a short text does.
 */
#ifndef PTOOL_INGEST_SAME_TEXT_H
#define PTOOL_INGEST_SAME_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t same_text_word(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Do the n bytes of the text stand at p, where at least as many may be read? */
static inline bool same_text(const char *text, size_t n, const char *p)
{
	const size_t step = sizeof(uint64_t);
	uint64_t other = 0;

	if (n < step)
		return memcmp(p, text, n) == 0;
	for (size_t i = 0; i < n - step; i += step)
		other |= same_text_word(p + i) ^ same_text_word(text + i);
	other |= same_text_word(p + n - step) ^ same_text_word(text + n - step);
	return other == 0;
}

#endif
