/*
 * Text -> small number, each text stored once, numbers given in order of
 * first sight: the same input always gives the same numbers.
 */
#ifndef PTOOL_BASE_INTERN_H
#define PTOOL_BASE_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slots.h"
#include "base/str.h"

struct spill;

struct intern {
	struct arena text; /* owns the bytes */
	struct str *strs;  /* by number */
	size_t n, cap;
	struct slots slots; /* numbers */
};

void intern_init(struct intern *in);
/* All of it comes from the spill, borrowed, which may be NULL. */
void intern_init_in(struct intern *in, struct spill *spill);
void intern_release(struct intern *in);
/* The number of the text, which is copied when it is new. */
uint32_t intern_add(struct intern *in, struct str text);
/* Was that text added? */
bool intern_has(const struct intern *in, struct str text);
/* The text of a number; lives as long as the table. */
struct str intern_str(const struct intern *in, uint32_t number);

uint64_t hash_bytes(const void *bytes, size_t n);

/* Spread of a 64-bit key for open-addressing tables. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	return x;
}

#endif
