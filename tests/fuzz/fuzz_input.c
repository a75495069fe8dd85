/*
 * Decoders and archives on any bytes: no crash, errors that say something, and
 * the same bytes whatever the window, the pieces that they come in, and whether
 * the source can go back.
 * timeout: 600 s
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bundle.h"
#include "base/hash.h"

/* Bytes of one input that are looked at: a bomb is not to be told by its time. */
#define MOST        ((uint64_t)4 << 20)
#define MEMBERS_MAX 50

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says which of them does not hold, for not all that is found happens again. */
#define must(holds) must_hold(holds, __LINE__)

static void must_hold(bool holds, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: this does not hold\n", __FILE__, line);
	abort();
}

/* What was read: how much, and a sum of it. */
struct gist {
	uint64_t n, hash;
	bool is_damaged, is_refused;
};

static struct gist read_input(struct input *in)
{
	struct gist gist = { .hash = 14695981039346656037u };
	struct err err = ERR_INIT;
	struct bytes got;

	while (gist.n < MOST && (got = input_peek(in, 1, &err)).n) {
		size_t n = got.n < MOST - gist.n ? got.n : (size_t)(MOST - gist.n);
		for (size_t i = 0; i < n; i++)
			gist.hash = (gist.hash ^ got.p[i]) * 1099511628211u;
		for (size_t i = 0; i < INPUT_PADDING; i++)
			must(got.p[got.n + i] == 0);
		input_skip(in, n);
		gist.n += n;
		must(input_offset(in) == gist.n);
	}
	gist.is_damaged = input_damage(in) != NULL;
	gist.is_refused = err.kind != ERR_NONE;
	must(!gist.is_refused || err.text[0]);
	must(!gist.is_damaged || input_damage(in)[0]);
	return gist;
}

static bool is_safe(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
			return false;
	return true;
}

static void read_members(struct input *in)
{
	struct err err = ERR_INIT;
	struct bundle *b = bundle_open(in, &err);
	struct str name;
	uint64_t size;
	int rc = b ? 1 : -1;

	for (int n = 0; n < MEMBERS_MAX && rc == 1; n++) {
		rc = bundle_next(b, &name, &size, &err);
		if (rc < 1)
			break;
		must(is_safe(name));
		struct input *member = bundle_member(b);
		if (size % 3) /* others are passed over */
			(void)read_input(member);
		input_close(member);
	}
	must((rc < 0) == (err.kind != ERR_NONE));
	must(rc >= 0 || err.text[0]);
	if (rc < 0 && b)
		must(bundle_next(b, &name, &size, &err) == -1 ||
		     !str_starts_with(str_of(err.text),
				      STR_LIT("the archive is damaged")));
	bundle_close(b);
}

struct pieces {
	struct bytes left;
	size_t most;
};

static ssize_t read_piece(void *source, uint8_t *to, size_t n, struct err *err)
{
	struct pieces *s = source;

	(void)err;
	n = n < s->most ? n : s->most;
	n = n < s->left.n ? n : s->left.n;
	if (n)
		memcpy(to, s->left.p, n);
	s->left.p += n;
	s->left.n -= n;
	return (ssize_t)n;
}

/* The rest of a compressed stream that is broken may depend on what room there was. */
static void compare(struct gist whole, struct gist again)
{
	must(whole.is_refused == again.is_refused);
	if (whole.n < MOST && again.n < MOST)
		must(whole.is_damaged == again.is_damaged);
	if (!whole.is_damaged && !again.is_damaged)
		must(whole.n == again.n && whole.hash == again.hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	uint64_t choice = size ? hash_bytes((const char *)data, size) : 0;
	struct pieces pieces = { bytes, 1 + (size_t)(choice % 600) };
	struct err err = ERR_INIT;

	struct gist whole = { 0 };
	struct input *in = input_from_memory(bytes);
	struct bytes head = input_peek(in, BUNDLE_HEAD, &err);
	bool is_bundle = err.kind == ERR_NONE && bundle_is(head);
	if (is_bundle)
		read_members(in);
	else
		whole = read_input(in);
	input_close(in);

	in = input_from_source(read_piece, &pieces, 0);
	input_set_window(in, 2 + (size_t)(choice >> 32) % 3000, (size_t)1 << 20);
	if (is_bundle)
		read_members(in);
	else
		compare(whole, read_input(in));
	input_close(in);
	return 0;
}
