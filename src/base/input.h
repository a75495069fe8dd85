/*
 * Bytes from a file, standard input or any other source, with compression
 * already removed and UTF-16 made UTF-8: found by the first bytes, not by name.
 * gzip and zstd may lie within each other a few levels deep; several members or
 * frames are one stream.  Offsets count the bytes that are given: decompressed,
 * and converted.
 */
#ifndef PTOOL_BASE_INPUT_H
#define PTOOL_BASE_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decoder.h"
#include "base/err.h"
#include "base/str.h"

/* Zero bytes that may be read behind what input_peek returns. */
#define INPUT_PADDING 64

struct input;

/* NULL with err set; path "-" is standard input.  input_close frees it. */
struct input *input_open(const char *path, struct err *err);
/*
 * Memory as an input, for tests and fuzzers; the bytes stay the caller's.
 * Compression in it is found and removed as in a file.
 */
struct input *input_from_memory(struct bytes bytes);
/*
 * What `read` gives as an input; `from` is borrowed.  size: of all that it will
 * give, 0: unknown, for progress.
 */
struct input *input_from_source(input_read_fn *read, void *from, uint64_t size);
/* Before the first peek: the bytes are to be given as they are, whatever they look like. */
void input_set_plain(struct input *in);
/*
 * Before the first peek: counts what the input gives, which fails where that is too
 * much; borrowed.  What is read it counts, too, but of a member of an archive.
 */
struct expand;
void input_set_expand(struct input *in, struct expand *expand);
/* Where a window lies that has to grow; borrowed. */
struct spill;
void input_set_spill(struct input *in, struct spill *spill);
/* Before the first peek: whom input_damage() asks about what that source gives. */
void input_set_damage(struct input *in, input_damage_fn *damage);
/*
 * Before the first peek, and behind input_set_spill(): keeps what a pipe gives, as it
 * comes, in a file, so that input_again() can be asked for; or no longer.
 */
void input_keep(struct input *in);
void input_forget(struct input *in);
/*
 * The same bytes from the beginning, once all were read, as a new input of which nothing
 * is set; NULL with err set.  `in` gives nothing from then on.
 */
struct input *input_again(struct input *in, struct err *err);
/* Accepts NULL. */
void input_close(struct input *in);
/*
 * Asked before each read and whenever a signal has interrupted one, which may
 * have waited for a pipe: -1 with err set ends the reading.  Without it signals
 * are of no account.  What was made by input_from_source() leaves it to that.
 */
typedef int input_stop_fn(void *to, struct err *err);
void input_set_stop(struct input *in, input_stop_fn *stop, void *to);

/*
 * At least `want` bytes from here if the input has them, else all that are
 * left (n < want is the end); does not move.  Borrowed until the next peek or
 * skip; INPUT_PADDING zero bytes lie behind the n bytes and may be read.
 * After a read error n is 0 and err is set; so it is, with the offset, when
 * `want` and what is left both pass the window's ceiling (1 GiB).  A compressed
 * stream that breaks off gives the bytes before the break (decoder.h, decoder.h:
 * not always the last ones) and input_damage() tells it.  Memory grows with the
 * bytes that are there, never with `want`.
 */
struct bytes input_peek(struct input *in, size_t want, struct err *err);

#define INPUT_WHOLE_MAX ((size_t)1 << 30) /* bytes */
/*
 * All that is left, likewise: 0, or -1 with err set and no bytes, also where `what` ("a
 * profile") has INPUT_WHOLE_MAX of them or more.
 */
int input_whole(struct input *in, const char *what, struct bytes *out, struct err *err);
/* n is at most what the last peek gave, less what was skipped since. */
void input_skip(struct input *in, size_t n);
/*
 * 1 to n bytes from here, at `to`, which are passed, and how many; 0 at the end; -1
 * with err set.  What is not in the window yet goes there without it.
 */
ssize_t input_read(struct input *in, uint8_t *to, size_t n, struct err *err);
/* Offset of the next byte. */
uint64_t input_offset(const struct input *in);
/*
 * Whether what is given is what lies in a file or in memory, where any byte can
 * be gone to; false before the first peek.
 */
bool input_can_seek(const struct input *in);
/* Makes the byte at `offset`, at most input_size(), the next.  0, or -1 with err set. */
int input_seek(struct input *in, uint64_t offset, struct err *err);
/* Bytes of the source read so far, and its size (0: unknown): for progress. */
uint64_t input_consumed(const struct input *in);
uint64_t input_size(const struct input *in);
/* NULL, or what is wrong with the compressed stream ("gzip stream ends early"). */
const char *input_damage(const struct input *in);
/* Whether the text was UTF-16 and is converted; false before the first peek. */
bool input_is_utf16(const struct input *in);

/*
 * Bytes of the window at first and at most, before the first peek: small ones
 * let tests and fuzzers meet its ends.  Both are at least 2.
 */
void input_set_window(struct input *in, size_t size, size_t max);

#endif
