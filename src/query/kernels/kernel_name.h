/*
 * The name of a kernel as tables of names look at it: what each row of tensor_core_names.c
 * and kernel_family.c asks.
 */
#ifndef PTOOL_QUERY_KERNEL_NAME_H
#define PTOOL_QUERY_KERNEL_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Where a row's parts are looked for. */
enum kernel_name_place {
	NAME_ANYWHERE, /* of the plain name, with its template arguments and parameters */
	NAME_HEAD,     /* before template arguments and parameters */
	NAME_WORD,     /* there, in any capitals; the row has small letters */
	NAME_START     /* of the name, "void " apart */
};

#define KERNEL_NAME_PAIRS 1024

struct kernel_name {
	struct str whole; /* plain where it was mangled, without "void " and ".kd" */
	struct str head;
	char *word; /* owned: the head in small letters, head.n of them */
	struct buf plain;
	/* Of the whole and of the word: which pairs of bytes may be there, by a hash. */
	uint64_t pairs[2][KERNEL_NAME_PAIRS / 64];
};

/* `name` is borrowed, mangled or not; kernel_name_release() frees. */
void kernel_name_read(struct str name, struct kernel_name *out);
void kernel_name_release(struct kernel_name *n);

/* Is one of `parts` there?  They have '|' between them. */
bool kernel_name_has(const struct kernel_name *n, enum kernel_name_place place,
		     const char *parts);

#endif
