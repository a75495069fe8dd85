/*
 * JSON that is no trace: what it seems to be, by the keys of its object or of
 * the first object in its array, so that the refusal can say it.
 */
#ifndef PTOOL_INGEST_FOREIGN_H
#define PTOOL_INGEST_FOREIGN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define FOREIGN_KEYS    24 /* that are remembered */
#define FOREIGN_KEY_MAX 32 /* bytes of each */

/* Zeroed is empty. */
struct foreign {
	unsigned nkeys;
	bool has_other, has_scalar; /* entries that are no objects; no arrays either */
	char keys[FOREIGN_KEYS][FOREIGN_KEY_MAX + 1];
};

/* One more key; those beyond FOREIGN_KEYS are not kept. */
void foreign_add_key(struct foreign *f, struct str key);
/* The keys of an object's text, when none is known yet. */
void foreign_add_object(struct foreign *f, struct str object);
/* Sets err to what the object, or the array, is instead of a trace; -1. */
int foreign_object(const struct foreign *f, struct err *err);
int foreign_array(const struct foreign *f, struct err *err);

#endif
