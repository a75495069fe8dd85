/*
 * The keys that the events of a trace have, and their args: who mends what is broken
 * knows members by them.
 */
#ifndef PTOOL_INGEST_MEMBER_H
#define PTOOL_INGEST_MEMBER_H

#include "base/intern.h"

#define MEMBER_KEYS_MAX 65536

/* Whose keys they are. */
enum member_level { MEMBER_OF_EVENT, MEMBER_OF_ARGS, NLEVELS };

/* NLEVELS sets of keys, of at most MEMBER_KEYS_MAX each: the first ones count. */
void member_keys_init(struct intern *keys);
void member_keys_release(struct intern *keys);
void member_keys_add(struct intern *keys, const struct intern *more);

#endif
