/*
 * Where the bytes of an input come from, as they are: a file, a pipe, standard
 * input, or memory.
 */
#ifndef PTOOL_BASE_SOURCE_H
#define PTOOL_BASE_SOURCE_H

#include "base/input.h"

struct source;

/* NULL with err set; path "-" is standard input, from where it stands. */
struct source *source_open(const char *path, struct err *err);
/* The bytes stay the caller's. */
struct source *source_of_memory(struct bytes bytes);
/* Accepts NULL. */
void source_close(struct source *s);
/* See input_set_stop(). */
void source_set_stop(struct source *s, input_stop_fn *stop, void *to);
/* An input_read_fn. */
ssize_t source_read(void *source, uint8_t *to, size_t n, struct err *err);
/* Bytes from where it was opened to the end; 0: unknown. */
uint64_t source_size(const struct source *s);
/* Whether source_seek works: not in a pipe. */
bool source_can_seek(const struct source *s);
/*
 * Before the first read: what it gives is kept in that file, which is moved, and which may
 * be -1, so that source_rewind() works.  What can be gone back in is not kept.
 */
void source_keep(struct source *s, int fd);
/* The rest is not kept: source_rewind() will not be asked for. */
void source_forget(struct source *s);
/*
 * The next byte is the first one again, once all was read: 0, or -1 with err set, where
 * there was no room to keep it.
 */
int source_rewind(struct source *s, struct err *err);
/* The next byte is this many behind the first one, and no more than its size. */
int source_seek(struct source *s, uint64_t offset, struct err *err);

#endif
