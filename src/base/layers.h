/*
 * The decoders that a source turns out to need, on top of each other.  Each
 * one's first bytes are looked at before they are used, to see whether another
 * decoder belongs on it.
 */
#ifndef PTOOL_BASE_LAYERS_H
#define PTOOL_BASE_LAYERS_H

#include "base/decoder.h"

struct expand;
struct layers;

/*
 * `from` is borrowed.  Never NULL; nothing is read yet.
 */
struct layers *layers_new(input_read_fn *read, void *from);
/* Accepts NULL. */
void layers_free(struct layers *l);
/* Before that: where to count what decoders make; borrowed. */
void layers_set_expand(struct layers *l, struct expand *expand);
/* Looks and decides, once, before the first read.  0, or -1 with err set. */
int layers_find(struct layers *l, struct err *err);
/* An input_read_fn: what the top gives. */
ssize_t layers_read(void *layers, uint8_t *to, size_t n, struct err *err);
/* The source was moved to another byte; only where layers_are_none(). */
void layers_restart(struct layers *l);
/* Whether the source's bytes are given as they are. */
bool layers_are_none(const struct layers *l);
bool layers_are_utf16(const struct layers *l);
/* NULL, or what is wrong with what a decoder got: the lowest one's, which is the cause. */
const char *layers_damage(const struct layers *l);

#endif
