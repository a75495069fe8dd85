/* Text interning: see intern.h. */
#include "base/intern.h"

#include <assert.h>

#include "base/spill.h"

#define FIRST_SLOTS 256

/* Eight bytes a round (multiply and fold); not for untrusted network keys. */
uint64_t hash_bytes(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ (n * UINT64_C(0xff51afd7ed558ccd));
	uint64_t word;

	while (n >= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 35;
		p += sizeof(word);
		n -= sizeof(word);
	}
	word = 0;
	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)p[i] << (8 * i);
	return hash_u64(h ^ word);
}

void intern_init(struct intern *in)
{
	intern_init_in(in, NULL);
}

void intern_init_in(struct intern *in, struct spill *spill)
{
	*in = (struct intern){ .text.spill = spill, .nslots = FIRST_SLOTS };
	in->slots = spill_alloc(spill, in->nslots, sizeof(*in->slots));
}

void intern_release(struct intern *in)
{
	struct spill *spill = in->text.spill;

	arena_release(&in->text);
	spill_free(spill, in->strs);
	spill_free(spill, in->hashes);
	spill_free(spill, in->slots);
	*in = (struct intern){ 0 };
}

static void rehash(struct intern *in)
{
	spill_free(in->text.spill, in->slots);
	in->nslots *= 2;
	in->slots = spill_alloc(in->text.spill, in->nslots, sizeof(*in->slots));
	for (size_t i = 0; i < in->n; i++) {
		size_t at = in->hashes[i] & (in->nslots - 1);
		while (in->slots[at])
			at = (at + 1) & (in->nslots - 1);
		in->slots[at] = (uint32_t)i + 1;
	}
}

static uint32_t append(struct intern *in, struct str text, uint64_t hash)
{
	struct spill *spill = in->text.spill;

	assert(in->n < UINT32_MAX - 1);
	in->strs = spill_grow(spill, in->strs, &in->cap, in->n + 1, sizeof(*in->strs));
	in->hashes = spill_grow(spill, in->hashes, &in->hashes_cap, in->n + 1,
				sizeof(*in->hashes));
	in->strs[in->n] = arena_copy(&in->text, text);
	in->hashes[in->n] = hash;
	return (uint32_t)in->n++;
}

uint32_t intern_add(struct intern *in, struct str text)
{
	uint64_t hash = hash_bytes(text.p, text.n);
	size_t at = hash & (in->nslots - 1);

	while (in->slots[at]) {
		uint32_t number = in->slots[at] - 1;
		if (in->hashes[number] == hash && str_equal(in->strs[number], text))
			return number;
		at = (at + 1) & (in->nslots - 1);
	}
	uint32_t number = append(in, text, hash);
	in->slots[at] = number + 1;
	if (in->n * 2 > in->nslots)
		rehash(in);
	return number;
}

bool intern_has(const struct intern *in, struct str text)
{
	uint64_t hash = hash_bytes(text.p, text.n);

	for (size_t at = hash & (in->nslots - 1); in->slots[at];
	     at = (at + 1) & (in->nslots - 1)) {
		uint32_t number = in->slots[at] - 1;
		if (in->hashes[number] == hash && str_equal(in->strs[number], text))
			return true;
	}
	return false;
}

struct str intern_str(const struct intern *in, uint32_t number)
{
	assert(number < in->n);
	return in->strs[number];
}
