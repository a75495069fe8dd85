/* Reading files, pipes, memory and gzip through one window. */
#include "decoding.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/decoder.h"
#include "base/input.h"
#include "base/spill.h"
#include "scratch.h"

#define KIB          ((size_t)1024)
#define TRAILER_SIZE 8

/* Text that compresses and does not repeat itself; the caller frees it. */
static uint8_t *some_text(size_t n)
{
	uint8_t *p = xmalloc(n);
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)('a' + (x >> 24) % 11);
	}
	return p;
}

/* A gzip stream under construction: owned bytes, zlib's strategy. */
struct gzip {
	uint8_t *p;
	size_t n;
	int strategy;
};

/* Appends a member; `header` may be NULL. */
static void add_member(struct gzip *gz, const void *plain, size_t n, gz_header *header)
{
	const int gzip = 16 + MAX_WBITS;
	size_t room = n + 4 * KIB;
	uint8_t *in = xmalloc(n);
	z_stream z = { .next_in = in, .avail_in = (uInt)n, .avail_out = (uInt)room };

	memcpy(in, plain, n);
	gz->p = xrealloc_array(gz->p, gz->n + room, 1);
	z.next_out = gz->p + gz->n;
	assert_int_equal(Z_OK, deflateInit2(&z, 6, Z_DEFLATED, gzip, 8, gz->strategy));
	if (header)
		deflateSetHeader(&z, header);
	assert_int_equal(Z_STREAM_END, deflate(&z, Z_FINISH));
	gz->n += z.total_out;
	deflateEnd(&z);
	free(in);
}

static struct gzip gzip_of(const void *plain, size_t n)
{
	struct gzip gz = { .strategy = Z_DEFAULT_STRATEGY };

	add_member(&gz, plain, n, NULL);
	return gz;
}

/* What zlib makes of n bytes of gzip, whole or not: how many bytes at `out`. */
static size_t zlib_makes(uint8_t *gz, size_t n, uint8_t *out, size_t room)
{
	z_stream z = { .next_in = gz, .avail_in = (uInt)n };

	z.next_out = out;
	z.avail_out = (uInt)room;
	assert_int_equal(Z_OK, inflateInit2(&z, 16 + MAX_WBITS));
	(void)inflate(&z, Z_NO_FLUSH);
	size_t made = z.total_out;
	inflateEnd(&z);
	return made;
}

static void assert_reads(struct input *in, struct bytes plain)
{
	assert_non_null(in);
	assert_int_equal(plain.n, read_to_end(in, plain));
	assert_int_equal(plain.n, input_offset(in));
	assert_null(input_damage(in));
	input_close(in);
}

/* How many bytes of `plain` come out of gzip with this damage. */
static size_t read_damaged(const uint8_t *gz, size_t gz_n, struct bytes plain,
			   const char *damage)
{
	struct input *in = input_from_memory(VIEW(gz, gz_n));

	input_set_window(in, 64 * KIB, 64 * KIB);
	size_t n = read_to_end(in, plain);
	assert_non_null(input_damage(in));
	assert_string_equal(damage, input_damage(in));
	assert_int_equal(gz_n, input_consumed(in));
	input_close(in);
	return n;
}

static char *write_file(void **state, const char *name, struct bytes b)
{
	char *path = scratch_path(state, name);
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(b.p, 1, b.n, out) != b.n || fclose(out) != 0)
		abort();
	return path;
}

static void a_peek_does_not_move_and_a_skip_does(void **state)
{
	(void)state;
	struct err err = ERR_INIT;
	struct input *in = input_from_memory(BYTES("abcdefgh"));

	assert_memory_equal("abcdefgh", input_peek(in, 3, &err).p, 8);
	assert_memory_equal("abcdefgh", input_peek(in, 8, &err).p, 8);
	assert_int_equal(0, input_offset(in));
	input_skip(in, 5);
	assert_int_equal(5, input_offset(in));
	assert_memory_equal("fgh", input_peek(in, 1, &err).p, 3);
	input_close(in);
}

static void at_the_end_a_peek_gives_what_is_left_and_then_nothing(void **state)
{
	(void)state;
	struct err err = ERR_INIT;
	struct input *in = input_from_memory(BYTES("abcdefgh"));

	assert_int_equal(8, input_peek(in, 100, &err).n);
	input_skip(in, 6);
	assert_int_equal(2, input_peek(in, SIZE_MAX, &err).n);
	input_skip(in, 2);
	assert_int_equal(0, input_peek(in, 1, &err).n);
	assert_int_equal(ERR_NONE, err.kind);
	assert_int_equal(8, input_offset(in));
	input_close(in);
}

static void zero_bytes_may_be_read_behind_every_peek(void **state)
{
	(void)state;
	struct err err = ERR_INIT;
	uint8_t *text = some_text(10000);
	struct input *in = input_from_memory(VIEW(text, 10000));

	input_set_window(in, 100, 400);
	assert_padded(input_peek(in, 0, &err));
	for (size_t want = 1; want <= 400; want++) {
		assert_padded(input_peek(in, want, &err));
		input_skip(in, 7);
	}
	assert_int_equal(0, input_peek(in, 401, &err).n); /* over the ceiling */
	assert_padded(input_peek(in, 1, &err));
	input_close(in);
	free(text);
}

static void peeks_of_every_size_reach_across_the_windows_end(void **state)
{
	(void)state;
	const size_t most = 70000;
	struct err err = ERR_INIT;
	uint8_t *text = some_text(2 * most);

	for (size_t n = 1; n <= most; n++) {
		size_t at = n - n / 3;
		struct input *in = input_from_memory(VIEW(text, 2 * n));
		input_set_window(in, n + 1, n + 1);
		assert_in_range(input_peek(in, at, &err).n, at, n + 1);
		input_skip(in, at);
		struct bytes got = input_peek(in, n, &err);
		assert_in_range(got.n, n, n + 1);
		assert_memory_equal(got.p, text + at, got.n);
		input_close(in);
	}
	assert_int_equal(ERR_NONE, err.kind);
	free(text);
}

static void the_window_grows_to_what_is_asked(void **state)
{
	const size_t n = 5000 * KIB;
	struct err err = ERR_INIT;
	uint8_t *text = some_text(n);
	char *path = write_file(state, "large", VIEW(text, n));
	struct input *in = input_open(path, &err);

	assert_non_null(in);
	input_skip(in, input_peek(in, 1000, &err).n - 1);
	size_t at = input_offset(in);
	struct bytes got = input_peek(in, 3000 * KIB, &err);
	assert_in_range(got.n, 3000 * KIB, n);
	assert_memory_equal(got.p, text + at, got.n);
	input_close(in);
	assert_reads(input_open(path, &err), VIEW(text, n));
	free(path);
	free(text);
}

static void a_piece_beyond_the_ceiling_names_its_offset(void **state)
{
	(void)state;
	struct err err = ERR_INIT;
	uint8_t *text = some_text(1300);
	struct input *in = input_from_memory(VIEW(text, 1300));

	input_set_window(in, 64, 1000);
	assert_in_range(input_peek(in, 200, &err).n, 200, 1000);
	input_skip(in, 200);
	assert_int_equal(1000, input_peek(in, 1000, &err).n);
	assert_int_equal(0, input_peek(in, 1001, &err).n);
	assert_int_equal(ERR_INPUT, err.kind);
	assert_int_equal(200, err.offset);
	assert_string_equal("one piece of more than 1000 bytes", err.text);
	input_skip(in, 1000);
	assert_int_equal(100, input_peek(in, 1001, &err).n); /* all that are left */
	input_close(in);
	free(text);
}

static void a_probe_sees_the_first_64_kib_and_the_reader_all(void **state)
{
	(void)state;
	const size_t n = 300 * KIB;
	struct err err = ERR_INIT;
	uint8_t *text = some_text(n);
	struct gzip gz = gzip_of(text, n);
	struct input *in = input_from_memory(VIEW(gz.p, gz.n));

	struct bytes head = input_peek(in, 64 * KIB, &err);
	assert_in_range(head.n, 64 * KIB, n);
	assert_memory_equal(head.p, text, head.n);
	assert_reads(in, VIEW(text, n));
	free(gz.p);
	free(text);
}

static void progress_counts_compressed_bytes(void **state)
{
	struct err err = ERR_INIT;
	uint8_t *text = some_text(3000 * KIB);
	struct gzip gz = gzip_of(text, 3000 * KIB);
	char *path = write_file(state, "trace", VIEW(gz.p, gz.n));
	struct input *in = input_open(path, &err);

	assert_int_equal(gz.n, input_size(in));
	assert_int_equal(0, input_consumed(in));
	assert_int_equal(0, input_offset(in));
	input_peek(in, 1, &err);
	assert_in_range(input_consumed(in), 1, gz.n - 1);
	assert_int_equal(3000 * KIB, read_to_end(in, VIEW(text, 3000 * KIB)));
	assert_int_equal(gz.n, input_consumed(in));
	assert_int_equal(3000 * KIB, input_offset(in));
	input_close(in);
	free(path);
	free(gz.p);
	free(text);
}

static void reads_and_peeks_take_turns(void **state)
{
	uint8_t *plain = some_text(100000), *got = xcalloc(1, 100001);
	struct gzip gz = gzip_of(plain, 100000);

	(void)state;
	for (size_t piece = 1; piece < 40000; piece = piece * 3 + 1) {
		struct err err = ERR_INIT;
		struct input *in = input_from_memory((struct bytes){ gz.p, gz.n });
		ssize_t n = 1;
		size_t at = 0;
		input_set_window(in, 1000, 1 << 20);
		while (n > 0) {
			struct bytes seen = input_peek(in, piece, &err);
			assert_int_equal(input_offset(in), at);
			size_t skipped = seen.n < piece / 2 ? seen.n : piece / 2;
			memcpy(got + at, seen.p, skipped);
			input_skip(in, skipped);
			at += skipped;
			for (int i = 0; i < 2 && n > 0; i++) {
				size_t most = 100000 - at < piece ? 100000 - at : piece;
				n = input_read(in, got + at, most ? most : 1, &err);
				assert_true(n >= 0);
				at += (size_t)n;
			}
		}
		assert_int_equal(at, 100000);
		assert_memory_equal(got, plain, 100000);
		input_close(in);
	}
	free(gz.p);
	free(plain);
	free(got);
}

static void gzip_is_known_by_its_first_bytes_not_by_its_name(void **state)
{
	struct err err = ERR_INIT;
	struct gzip gz = gzip_of("traceEvents", 11);
	char *zipped = write_file(state, "trace.json", VIEW(gz.p, gz.n));
	char *plain = write_file(state, "trace.json.gz", BYTES("not compressed"));

	assert_reads(input_open(zipped, &err), BYTES("traceEvents"));
	assert_reads(input_open(plain, &err), BYTES("not compressed"));
	assert_reads(input_from_memory(BYTES("\x1f")), BYTES("\x1f"));
	free(zipped);
	free(plain);
	free(gz.p);
}

static void several_gzip_members_are_one_stream(void **state)
{
	(void)state;
	struct gzip gz = gzip_of("one ", 4);

	add_member(&gz, "", 0, NULL);
	add_member(&gz, "two ", 4, NULL);
	add_member(&gz, "three", 5, NULL);
	assert_reads(input_from_memory(VIEW(gz.p, gz.n)), BYTES("one two three"));
	free(gz.p);
}

static void gzip_may_come_and_go_in_pieces_of_any_size(void **state)
{
	(void)state;
	uint8_t extra[] = "extra", name[] = "trace.json", comment[] = "a comment";
	gz_header header = { .extra = extra,
			     .extra_len = sizeof(extra),
			     .name = name,
			     .comment = comment,
			     .hcrc = 1 };
	uint8_t *text = some_text(3000);
	struct gzip gz = gzip_of(text, 1000);

	add_member(&gz, text + 1000, 2000, &header);
	for (size_t most = 1; most <= gz.n; most += 1 + most / 20) {
		for (size_t room = 1; room <= 4000; room *= 3)
			assert_decodes(&inflate_decoder,
				       (struct dribble){ VIEW(gz.p, gz.n), most }, room,
				       VIEW(text, 3000));
	}
	free(gz.p);
	free(text);
}

/* Two bytes less than zlib's at most: decoder.h. */
static void a_gzip_stream_cut_anywhere_gives_the_bytes_before_the_cut(void **state)
{
	(void)state;
	uint8_t *text = some_text(5000), *out = xmalloc(5000);
	struct gzip gz = gzip_of(text, 5000);

	for (size_t cut = 2; cut < gz.n; cut++) {
		size_t most = zlib_makes(gz.p, cut, out, 5000);
		size_t n = read_damaged(gz.p, cut, VIEW(text, 5000),
					"gzip stream ends early");
		assert_in_range(n, most < 2 ? 0 : most - 2, most);
	}
	free(gz.p);
	free(text);
	free(out);
}

static void a_cut_in_a_later_member_leaves_the_earlier_ones_whole(void **state)
{
	(void)state;
	struct gzip gz = gzip_of("whole ", 6);
	size_t first = gz.n;

	add_member(&gz, "cut", 3, NULL);
	for (size_t cut = first + 1; cut < gz.n; cut++) {
		size_t n = read_damaged(gz.p, cut, BYTES("whole cut"),
					"gzip stream ends early");
		assert_in_range(n, 6, 9);
	}
	free(gz.p);
}

static void a_wrong_trailer_is_told_after_the_bytes(void **state)
{
	(void)state;
	uint8_t *text = some_text(5000);
	struct gzip gz = gzip_of(text, 5000);

	for (size_t i = gz.n - TRAILER_SIZE; i < gz.n; i++) {
		const char *damage = i < gz.n - 4 ? "gzip checksum does not match"
						  : "gzip length does not match";
		gz.p[i] ^= 0x10;
		assert_int_equal(5000,
				 read_damaged(gz.p, gz.n, VIEW(text, 5000), damage));
		gz.p[i] ^= 0x10;
	}
	free(gz.p);
	free(text);
}

static void what_follows_the_last_member_is_told(void **state)
{
	(void)state;
	static const struct {
		struct bytes tail;
		const char *damage;
	} tails[] = {
		{ { (const uint8_t *)"\0", 1 }, "gzip stream is followed by zero bytes" },
		{ { (const uint8_t *)"\0\0\0", 3 },
		  "gzip stream is followed by zero bytes" },
		{ { (const uint8_t *)"\0\0x", 3 }, "gzip stream is followed by garbage" },
		{ { (const uint8_t *)"junk", 4 }, "gzip stream is followed by garbage" },
		{ { (const uint8_t *)"\x1fjunk", 5 },
		  "gzip stream is followed by garbage" },
	};

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		struct gzip gz = gzip_of("trace", 5);
		memcpy(gz.p + gz.n, tails[i].tail.p, tails[i].tail.n);
		assert_int_equal(5, read_damaged(gz.p, gz.n + tails[i].tail.n,
						 BYTES("trace"), tails[i].damage));
		free(gz.p);
	}
}

static void a_header_that_is_not_understood_is_told(void **state)
{
	(void)state;
	gz_header header = { .hcrc = 1 };
	struct gzip gz = { .strategy = Z_DEFAULT_STRATEGY };

	add_member(&gz, "trace", 5, &header);
	gz.p[4] ^= 1; /* the time, which the header's checksum covers */
	read_damaged(gz.p, gz.n, BYTES(""), "gzip header checksum does not match");
	gz.p[3] = 0x80;
	read_damaged(gz.p, gz.n, BYTES(""), "gzip header has unknown flags");
	gz.p[2] = 7;
	read_damaged(gz.p, gz.n, BYTES(""), "gzip method is not deflate");
	free(gz.p);
}

/*
 * A match may then reach back to before the first byte: nothing of what lies
 * there may be seen.  Fixed codes, because zlib and igzip agree where they break.
 */
static void a_flipped_bit_is_told_and_gives_no_bytes_that_zlib_does_not(void **state)
{
	(void)state;
	const size_t from = (size_t)8 * 11; /* behind the header and the block's type */
	const size_t room = 16 * KIB;
	uint8_t *text = some_text(1500), *out = xmalloc(room);
	struct gzip gz = { .strategy = Z_FIXED };

	add_member(&gz, text, 1500, NULL);
	for (size_t bit = from; bit < 8 * gz.n; bit++) {
		gz.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		size_t n = zlib_makes(gz.p, gz.n, out, room);
		struct input *in = input_from_memory(VIEW(gz.p, gz.n));
		read_to_end(in, VIEW(out, n));
		/* Only the bits that fill up the last byte mean nothing. */
		if (!input_damage(in))
			assert_int_equal(gz.n - TRAILER_SIZE - 1, bit / 8);
		input_close(in);
		gz.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(gz.p);
	free(text);
	free(out);
}

static void an_empty_file_has_no_bytes(void **state)
{
	struct err err = ERR_INIT;
	char *path = write_file(state, "empty", BYTES(""));

	assert_reads(input_open(path, &err), BYTES(""));
	assert_reads(input_from_memory(VIEW(NULL, 0)), BYTES(""));
	free(path);
}

static void a_file_that_shrinks_while_read_is_shorter(void **state)
{
	struct err err = ERR_INIT;
	uint8_t *text = some_text(1000 * KIB);
	char *path = write_file(state, "shrinks", VIEW(text, 1000 * KIB));
	struct input *in = input_open(path, &err);

	assert_in_range(input_peek(in, 1, &err).n, 1, 500 * KIB);
	assert_int_equal(0, truncate(path, (off_t)(500 * KIB)));
	assert_int_equal(500 * KIB, read_to_end(in, VIEW(text, 1000 * KIB)));
	input_close(in);
	free(path);
	free(text);
}

static void assert_not_opened(const char *path, enum err_kind kind, const char *text)
{
	struct err err = ERR_INIT;

	assert_null(input_open(path, &err));
	assert_int_equal(kind, err.kind);
	assert_int_equal(ERR_NO_OFFSET, err.offset);
	assert_string_equal(text, err.text);
}

static void a_missing_file_and_a_directory_are_refused(void **state)
{
	char *missing = scratch_path(state, "missing");
	char *file = write_file(state, "file", BYTES("x"));
	char *below = xasprintf("%s/below", file);

	assert_not_opened(missing, ERR_INPUT, "cannot open: No such file or directory");
	assert_not_opened(*state, ERR_INPUT, "cannot open: Is a directory");
	assert_not_opened(below, ERR_INPUT, "cannot open: Not a directory");
	free(missing);
	free(file);
	free(below);
}

static void an_unreadable_file_is_refused(void **state)
{
	if (geteuid() == 0)
		skip(); /* root may read everything */
	char *path = write_file(state, "secret", BYTES("x"));

	assert_int_equal(0, chmod(path, 0));
	assert_not_opened(path, ERR_INPUT, "cannot open: Permission denied");
	free(path);
}

static int use_as_stdin(int fd)
{
	int saved = dup(STDIN_FILENO);

	assert_int_equal(STDIN_FILENO, dup2(fd, STDIN_FILENO));
	close(fd);
	return saved;
}

static void restore_stdin(int saved)
{
	dup2(saved, STDIN_FILENO);
	close(saved);
}

/* Linux refuses to read a program's memory at address 0. */
static void a_read_error_is_told_and_stays(void **state)
{
	struct err err = ERR_INIT, again = ERR_INIT;
	char *path = write_file(state, "good", BYTES("too late"));
	int bad = open("/proc/self/mem", O_RDONLY);

	if (bad < 0)
		skip();
	int saved = use_as_stdin(bad);
	struct input *in = input_open("-", &err);
	assert_int_equal(0, input_peek(in, 1, &err).n);
	assert_int_equal(ERR_IO, err.kind);
	assert_string_equal("cannot read: Input/output error", err.text);
	close(use_as_stdin(open(path, O_RDONLY)));
	assert_int_equal(0, input_peek(in, 1, &again).n);
	assert_string_equal(err.text, again.text);
	input_close(in);
	restore_stdin(saved);
	free(path);
}

static void a_dash_is_standard_input_from_where_it_stands(void **state)
{
	struct err err = ERR_INIT;
	char *path = write_file(state, "stdin", BYTES("read before, and the rest"));
	int saved = use_as_stdin(open(path, O_RDONLY));

	assert_int_equal(13, lseek(STDIN_FILENO, 13, SEEK_SET));
	struct input *in = input_open("-", &err);
	assert_int_equal(12, input_size(in));
	assert_reads(in, BYTES("and the rest"));
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* still open */
	restore_stdin(saved);
	free(path);
}

static volatile sig_atomic_t interrupts;

static void on_signal(int number)
{
	(void)number;
	interrupts++;
}

/* Writes gzip a few bytes at a time, and sends the reader a signal before each. */
struct slow_writer {
	pthread_t reader;
	const char *fifo; /* or NULL: write to fd */
	int fd;
	struct gzip gz;
};

static void *write_slowly(void *arg)
{
	struct slow_writer *w = arg;
	const struct timespec pause = { 0, 3000000 };
	size_t part = w->gz.n / 10 + 1;
	int fd = w->fifo ? open(w->fifo, O_WRONLY) : w->fd;

	for (size_t at = 0; at < w->gz.n; at += part) {
		size_t n = part < w->gz.n - at ? part : w->gz.n - at;
		nanosleep(&pause, NULL);
		pthread_kill(w->reader, SIGUSR1);
		nanosleep(&pause, NULL);
		if (write(fd, w->gz.p + at, n) != (ssize_t)n)
			break;
	}
	close(fd);
	return NULL;
}

static void read_slow(struct slow_writer *w, const char *path, struct bytes plain)
{
	struct err err = ERR_INIT;
	struct sigaction action = { .sa_handler = on_signal }, before;
	pthread_t thread;

	interrupts = 0;
	w->reader = pthread_self();
	assert_int_equal(0, sigaction(SIGUSR1, &action, &before)); /* no SA_RESTART */
	assert_int_equal(0, pthread_create(&thread, NULL, write_slowly, w));
	struct input *in = input_open(path, &err);
	assert_int_equal(0, input_size(in));
	assert_reads(in, plain);
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &before, NULL);
	assert_int_equal(10, interrupts);
}

static void a_fifo_is_read_in_spite_of_signals(void **state)
{
	uint8_t *text = some_text(30000);
	char *path = scratch_path(state, "fifo");
	struct slow_writer w = { .fifo = path, .gz = gzip_of(text, 30000) };

	assert_int_equal(0, mkfifo(path, 0600));
	read_slow(&w, path, VIEW(text, 30000));
	free(path);
	free(w.gz.p);
	free(text);
}

static void a_non_blocking_standard_input_is_waited_for(void **state)
{
	(void)state;
	uint8_t *text = some_text(30000);
	int ends[2];

	assert_int_equal(0, pipe(ends));
	assert_int_equal(0, fcntl(ends[0], F_SETFL, O_NONBLOCK));
	struct slow_writer w = { .fd = ends[1], .gz = gzip_of(text, 30000) };
	int saved = use_as_stdin(ends[0]);
	read_slow(&w, "-", VIEW(text, 30000));
	restore_stdin(saved);
	free(w.gz.p);
	free(text);
}

/* A pipe that has this text and ends, as an input that is kept. */
static struct input *kept_pipe(const char *text, struct spill *spill)
{
	char path[32];
	struct err err = ERR_INIT;
	int ends[2];

	assert_int_equal(0, pipe(ends));
	assert_int_equal((ssize_t)strlen(text), write(ends[1], text, strlen(text)));
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	struct input *in = input_open(path, &err);
	close(ends[0]);
	input_set_spill(in, spill);
	input_keep(in);
	return in;
}

static void what_a_pipe_gave_is_read_again(void **state)
{
	struct spill *spill = spill_open(1 << 20, "./again."),
		     *nowhere = spill_open(1 << 20, "no such folder/again.");
	struct err err = ERR_INIT;

	(void)state;
	struct input *in = kept_pipe("once and again", spill);
	input_skip(in, input_peek(in, 5, &err).n);
	assert_int_equal(0, input_peek(in, 1, &err).n);
	struct input *again = input_again(in, &err);
	struct bytes bytes = input_peek(again, 100, &err);
	assert_int_equal(14, bytes.n);
	assert_memory_equal("once and again", bytes.p, bytes.n);
	input_close(again);
	input_close(in);

	in = kept_pipe("once", nowhere); /* it is read, but only once */
	assert_int_equal(4, input_peek(in, 100, &err).n);
	input_skip(in, 4);
	assert_null(input_again(in, &err));
	assert_non_null(strstr(err.text, "cannot keep it to read it again"));
	input_close(in);
	spill_close(spill);
	spill_close(nowhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peek_does_not_move_and_a_skip_does),
		cmocka_unit_test(at_the_end_a_peek_gives_what_is_left_and_then_nothing),
		cmocka_unit_test(zero_bytes_may_be_read_behind_every_peek),
		cmocka_unit_test(peeks_of_every_size_reach_across_the_windows_end),
		cmocka_unit_test(the_window_grows_to_what_is_asked),
		cmocka_unit_test(a_piece_beyond_the_ceiling_names_its_offset),
		cmocka_unit_test(a_probe_sees_the_first_64_kib_and_the_reader_all),
		cmocka_unit_test(progress_counts_compressed_bytes),
		cmocka_unit_test(reads_and_peeks_take_turns),
		cmocka_unit_test(gzip_is_known_by_its_first_bytes_not_by_its_name),
		cmocka_unit_test(several_gzip_members_are_one_stream),
		cmocka_unit_test(gzip_may_come_and_go_in_pieces_of_any_size),
		cmocka_unit_test(
			a_gzip_stream_cut_anywhere_gives_the_bytes_before_the_cut),
		cmocka_unit_test(a_cut_in_a_later_member_leaves_the_earlier_ones_whole),
		cmocka_unit_test(a_wrong_trailer_is_told_after_the_bytes),
		cmocka_unit_test(what_follows_the_last_member_is_told),
		cmocka_unit_test(a_header_that_is_not_understood_is_told),
		cmocka_unit_test(
			a_flipped_bit_is_told_and_gives_no_bytes_that_zlib_does_not),
		cmocka_unit_test(an_empty_file_has_no_bytes),
		cmocka_unit_test(what_a_pipe_gave_is_read_again),
		cmocka_unit_test(a_file_that_shrinks_while_read_is_shorter),
		cmocka_unit_test(a_missing_file_and_a_directory_are_refused),
		cmocka_unit_test(an_unreadable_file_is_refused),
		cmocka_unit_test(a_read_error_is_told_and_stays),
		cmocka_unit_test(a_dash_is_standard_input_from_where_it_stands),
		cmocka_unit_test(a_fifo_is_read_in_spite_of_signals),
		cmocka_unit_test(a_non_blocking_standard_input_is_waited_for),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
