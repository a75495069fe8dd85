/*
 * Bytes from a file or standard input, with compression already removed
 * (found by magic, not by name; several gzip members are one stream).
 * Offsets count decompressed bytes.
 */
#ifndef PTOOL_BASE_INPUT_H
#define PTOOL_BASE_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Zero bytes that may be read behind what input_peek returns. */
#define INPUT_PADDING 64

struct input;

/* NULL with err set; path "-" is standard input.  input_close frees it. */
struct input *input_open(const char *path, struct err *err);
/*
 * Memory as an input, for tests and fuzzers; the bytes stay the caller's.
 * gzip in it is found and removed as in a file.
 */
struct input *input_from_memory(struct bytes bytes);
/* Accepts NULL. */
void input_close(struct input *in);
/*
 * Asked before each read and whenever a signal has interrupted one, which may
 * have waited for a pipe: -1 with err set ends the reading.  Without it signals
 * are of no account.
 */
typedef int input_stop_fn(void *to, struct err *err);
void input_set_stop(struct input *in, input_stop_fn *stop, void *to);

/*
 * At least `want` bytes from here if the input has them, else all that are
 * left (n < want is the end); does not move.  Borrowed until the next peek or
 * skip; INPUT_PADDING zero bytes lie behind the n bytes and may be read.
 * After a read error n is 0 and err is set; so it is, with the offset, when
 * `want` and what is left both pass the window's ceiling (1 GiB).  A compressed
 * stream that breaks off gives the bytes before the break (inflate.h: the last
 * two may be missing) and input_damage() tells it.  Memory grows with the bytes that are there, never with `want`.
 */
struct bytes input_peek(struct input *in, size_t want, struct err *err);
/* n is at most what the last peek gave, less what was skipped since. */
void input_skip(struct input *in, size_t n);
/* Offset of the next byte. */
uint64_t input_offset(const struct input *in);
/* Compressed bytes read so far, and the file's size (0: unknown): for progress. */
uint64_t input_consumed(const struct input *in);
uint64_t input_size(const struct input *in);
/* NULL, or what is wrong with the compressed stream ("gzip stream ends early"). */
const char *input_damage(const struct input *in);

/*
 * Bytes of the window at first and at most, before the first peek: small ones
 * let tests and fuzzers meet its ends.  Both are at least 2.
 */
void input_set_window(struct input *in, size_t size, size_t max);

#endif
