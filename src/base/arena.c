/* Bump allocator: see arena.h. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/spill.h"

/* Of a block: small at first, for what holds little and is made often. */
#define FIRST_SIZE ((size_t)4 * 1024)
#define BLOCK_SIZE ((size_t)64 * 1024)

struct arena_block {
	struct arena_block *next;
	alignas(max_align_t) char bytes[];
};

/* Blocks that may lie in files are few, however much there is: each is a file. */
static void add_block(struct arena *a, size_t size)
{
	if (a->spill && size < a->total / 4)
		size = a->total / 4;
	struct arena_block *block = spill_alloc(a->spill, 1, sizeof(*block) + size);

	block->next = a->blocks;
	a->blocks = block;
	a->total += size;
	a->at = block->bytes;
	a->end = block->bytes + size;
}

static size_t block_size(const struct arena *a, size_t want)
{
	size_t usual = a->total < FIRST_SIZE ? FIRST_SIZE : a->total;

	usual = usual < BLOCK_SIZE ? usual : BLOCK_SIZE;
	return want > usual || want > BLOCK_SIZE / 4 ? want : usual;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	size_t want = (size + align - 1) & ~(align - 1);

	if ((size_t)(a->end - a->at) < want || !a->at)
		add_block(a, block_size(a, want));
	void *p = a->at;
	a->at += want;
	return p;
}

struct str arena_copy(struct arena *a, struct str text)
{
	char *copy = arena_alloc(a, text.n + 1);

	if (text.n)
		memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	return (struct str){ copy, text.n };
}

char *arena_strdup(struct arena *a, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = arena_alloc(a, n);

	memcpy(copy, text, n);
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	size_t n = len < 0 ? 0 : (size_t)len;
	char *text = arena_alloc(a, n + 1);
	text[0] = '\0';
	vsnprintf(text, n + 1, fmt, again);
	va_end(again);
	return text;
}

void arena_release(struct arena *a)
{
	struct arena_block *block = a->blocks;

	while (block) {
		struct arena_block *next = block->next;
		spill_free(a->spill, block);
		block = next;
	}
	*a = (struct arena){ .spill = a->spill };
}
