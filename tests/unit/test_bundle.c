/* Members of archives that libarchive's own writer made, whole, cut and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bundle.h"

#define VIEW(p, n) ((struct bytes){ (p), (n) })
#define ROOM       ((size_t)256 * 1024)
#define LONG_TEXT  40000

/* An archive under construction. */
struct packing {
	struct archive *writer;
	uint8_t *p;
	size_t n;
};

typedef int format_fn(struct archive *writer);

static int zip_stored(struct archive *writer)
{
	return archive_write_set_format_zip(writer) |
	       archive_write_zip_set_compression_store(writer);
}

struct flavour {
	const char *name;
	format_fn *format;
};

static const struct flavour flavours[] = {
	{ "zip", archive_write_set_format_zip },
	{ "zip, stored", zip_stored },
	{ "POSIX tar", archive_write_set_format_ustar },
	{ "pax tar", archive_write_set_format_pax },
	{ "GNU tar", archive_write_set_format_gnutar },
	{ "old tar", archive_write_set_format_v7tar },
};

#define NFLAVOURS (sizeof(flavours) / sizeof(*flavours))

static struct packing pack_begin(format_fn *format)
{
	struct packing a = { .writer = archive_write_new(), .p = xmalloc(ROOM) };

	assert_int_equal(ARCHIVE_OK, format(a.writer));
	archive_write_set_bytes_per_block(a.writer, 512);
	return a;
}

static void pack_open(struct packing *a)
{
	assert_int_equal(ARCHIVE_OK,
			 archive_write_open_memory(a->writer, a->p, ROOM, &a->n));
}

static void pack(struct packing *a, const char *name, mode_t type, struct bytes bytes)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)bytes.n);
	if (type == AE_IFLNK)
		archive_entry_set_symlink(entry, "where");
	assert_true(archive_write_header(a->writer, entry) >= ARCHIVE_WARN);
	assert_int_equal(bytes.n, archive_write_data(a->writer, bytes.p, bytes.n));
	archive_entry_free(entry);
}

static void pack_text(struct packing *a, const char *name, const char *text)
{
	pack(a, name, AE_IFREG, VIEW((const uint8_t *)text, strlen(text)));
}

static struct bytes pack_end(struct packing *a)
{
	assert_int_equal(ARCHIVE_OK, archive_write_free(a->writer));
	return VIEW(a->p, a->n);
}

/* The bytes of a magic, which ends without a NUL. */
static void put(uint8_t *p, const char *magic)
{
	while (*magic)
		*p++ = (uint8_t)*magic++;
}

/* A source that cannot go back, as a pipe. */
static ssize_t trickle(void *source, uint8_t *to, size_t n, struct err *err)
{
	(void)err;
	struct bytes *left = source;

	n = n < 700 ? n : 700;
	n = n < left->n ? n : left->n;
	memcpy(to, left->p, n);
	left->p += n;
	left->n -= n;
	return (ssize_t)n;
}

static struct bundle *must_open(struct input *in)
{
	struct err err = ERR_INIT;
	struct bundle *b = bundle_open(in, &err);

	if (!b)
		fail_msg("not opened: %s", err.text);
	return b;
}

/* The next member has this name, and its bytes are `text`. */
static void assert_member(struct bundle *b, const char *name, struct bytes text)
{
	struct err err = ERR_INIT;
	struct str got_name;
	uint64_t size;

	if (bundle_next(b, &got_name, &size, &err) != 1)
		fail_msg("%s: not there: %s", name, err.text);
	assert_string_equal(name, got_name.p);
	assert_int_equal(strlen(name), got_name.n);
	assert_true(size == text.n || size == 0);
	struct input *in = bundle_member(b);
	struct bytes got = input_peek(in, text.n + 1, &err);
	assert_int_equal(text.n, got.n);
	assert_memory_equal(text.p, got.p, got.n);
	assert_null(input_damage(in));
	input_close(in);
}

static void assert_text(struct bundle *b, const char *name, const char *text)
{
	assert_member(b, name, VIEW((const uint8_t *)text, strlen(text)));
}

static void assert_over(struct bundle *b)
{
	struct err err = ERR_INIT;
	struct str name;
	uint64_t size;

	for (int again = 0; again <= 1; again++)
		if (bundle_next(b, &name, &size, &err) != 0)
			fail_msg("more than there should be: %s", err.text);
}

static uint8_t *long_text(void)
{
	uint8_t *p = xmalloc(LONG_TEXT);
	uint32_t x = 1;

	for (size_t i = 0; i < LONG_TEXT; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)('a' + (x >> 24) % 3);
	}
	return p;
}

static struct bytes pack_example(struct packing *a, format_fn *format,
				 const uint8_t *text)
{
	*a = pack_begin(format);
	pack_open(a);
	pack(a, "folder", AE_IFDIR, VIEW(NULL, 0));
	pack_text(a, "folder/first.json", "[1]");
	pack_text(a, "empty", "");
	pack(a, "second.json", AE_IFREG, VIEW(text, LONG_TEXT));
	pack_text(a, "last", "{}");
	return pack_end(a);
}

static void assert_example(struct input *in, const uint8_t *text)
{
	struct bundle *b = must_open(in);

	assert_text(b, "folder/first.json", "[1]");
	assert_text(b, "empty", "");
	assert_member(b, "second.json", VIEW(text, LONG_TEXT));
	assert_text(b, "last", "{}");
	assert_over(b);
	bundle_close(b);
	input_close(in);
}

static void regular_files_of_every_flavour_are_members_in_their_order(void **state)
{
	(void)state;
	uint8_t *text = long_text();

	for (size_t i = 0; i < NFLAVOURS; i++) {
		struct packing a;
		struct bytes archive = pack_example(&a, flavours[i].format, text);
		struct bytes left = archive;
		print_message("# %s\n", flavours[i].name);
		assert_true(bundle_is(archive));
		assert_int_equal(i < 2, bundle_is_zip(archive));
		assert_example(input_from_memory(archive), text);
		assert_example(input_from_source(trickle, &left, 0), text);
		struct input *small = input_from_memory(archive);
		input_set_window(small, 2, ROOM);
		assert_example(small, text);
		free(a.p);
	}
	free(text);
}

/* What stands before a zip's member does not say that it is a link. */
static void links_are_passed_over_unless_a_zip_comes_through_a_pipe(void **state)
{
	(void)state;
	for (size_t i = 0; i < NFLAVOURS; i++) {
		for (int pipe = 0; pipe <= 1; pipe++) {
			struct packing a = pack_begin(flavours[i].format);
			pack_open(&a);
			pack(&a, "link", AE_IFLNK, VIEW(NULL, 0));
			pack_text(&a, "file", "[]");
			struct bytes left = pack_end(&a);
			struct input *in = pipe ? input_from_source(trickle, &left, 0)
						: input_from_memory(left);
			struct bundle *b = must_open(in);
			if (pipe && i < 2)
				assert_text(b, "link", "where");
			assert_text(b, "file", "[]");
			assert_over(b);
			bundle_close(b);
			input_close(in);
			free(a.p);
		}
	}
}

static void an_archive_without_members_is_at_its_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct packing a = pack_begin(flavours[i].format);
		pack_open(&a);
		struct bytes archive = pack_end(&a);
		assert_true(bundle_is(archive));
		struct input *in = input_from_memory(archive);
		struct bundle *b = must_open(in);
		assert_over(b);
		bundle_close(b);
		input_close(in);
		free(a.p);
	}
}

static void members_that_nobody_reads_are_passed_over(void **state)
{
	(void)state;
	uint8_t *text = long_text();

	for (size_t i = 0; i < NFLAVOURS; i++) {
		for (int looks = 0; looks <= 1; looks++) {
			struct packing a;
			struct err err = ERR_INIT;
			struct input *in = input_from_memory(
				pack_example(&a, flavours[i].format, text));
			struct bundle *b = must_open(in);
			struct str name;
			uint64_t size;
			for (int n = 0; n < 3; n++)
				assert_int_equal(1, bundle_next(b, &name, &size, &err));
			assert_string_equal("second.json", name.p);
			if (looks) {
				struct input *member = bundle_member(b);
				assert_true(input_peek(member, 5, &err).n >= 5);
				input_close(member);
			}
			assert_text(b, "last", "{}");
			assert_over(b);
			bundle_close(b);
			input_close(in);
			free(a.p);
		}
	}
	free(text);
}

static void what_is_no_archive_is_known_by_its_first_bytes(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"", "P", "PK", "PK\1\2", "{\"traceEvents\": []}", "PK\3"
	};
	uint8_t block[BUNDLE_HEAD] = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(
			bundle_is(VIEW((const uint8_t *)texts[i], strlen(texts[i]))));
	assert_false(bundle_is(VIEW(block, sizeof(block))));
	memset(block, ' ', sizeof(block));
	put(block + 257, "ustar "); /* a text may have it there */
	assert_false(bundle_is(VIEW(block, sizeof(block))));
	memset(block, '7', sizeof(block));
	assert_false(bundle_is(VIEW(block, sizeof(block))));
	assert_true(bundle_is(VIEW((const uint8_t *)"PK\5\6", 4)));
}

static void a_tar_is_known_by_its_checksum_or_its_magic(void **state)
{
	(void)state;
	for (size_t i = 2; i < NFLAVOURS; i++) {
		struct packing a = pack_begin(flavours[i].format);
		bool has_magic = i < 5;
		pack_open(&a);
		pack_text(&a, "trace\xe9.json", "[]");
		struct bytes archive = pack_end(&a);
		assert_true(bundle_is(VIEW(a.p, BUNDLE_HEAD)));
		assert_false(bundle_is(VIEW(a.p, BUNDLE_HEAD - 1)));
		a.p[0] ^= 1;
		assert_int_equal(has_magic, bundle_is(archive));
		a.p[0] ^= 1;
		/* as old programs for signed characters did it */
		memcpy(a.p + 257, "\0\0\0\0\0\0\0\0", 8);
		long sum = 8L * ' ';
		for (size_t at = 0; at < BUNDLE_HEAD; at++)
			if (at < 148 || at >= 156)
				sum += a.p[at] < 0x80 ? a.p[at] : a.p[at] - 256;
		snprintf((char *)a.p + 148, 8, "%06lo", sum);
		assert_true(bundle_is(archive));
		snprintf((char *)a.p + 148, 8, "%06lo", sum + 1);
		assert_false(bundle_is(archive));
		free(a.p);
	}
}

static void names_are_safe_to_print_and_else_as_stored(void **state)
{
	(void)state;
	for (size_t i = 0; i < NFLAVOURS; i++) {
		locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
		locale_t before = uselocale(utf8); /* the writer's */
		struct packing a = pack_begin(flavours[i].format);
		pack_open(&a);
		pack_text(&a, "sp\xc3\xa4t \xe2\x82\xac.json", "[]");
		pack_text(&a, "a\n\x1b[31mb", "{}");
		struct input *in = input_from_memory(pack_end(&a));
		uselocale(before);
		freelocale(utf8);
		struct bundle *b = must_open(in);
		assert_text(b, "sp\xc3\xa4t \xe2\x82\xac.json", "[]");
		assert_text(b, "a\\n\\x1b[31mb", "{}");
		assert_over(b);
		bundle_close(b);
		input_close(in);
		free(a.p);
	}
}

static void a_name_is_cut_at_4096_bytes(void **state)
{
	char name[4096 + 2];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[4097] = '\0';
	struct packing a = pack_begin(archive_write_set_format_pax);
	pack_open(&a);
	pack_text(&a, name, "[]");
	struct input *in = input_from_memory(pack_end(&a));
	struct bundle *b = must_open(in);
	name[4096] = '\0';
	assert_text(b, name, "[]");
	assert_over(b);
	bundle_close(b);
	input_close(in);
	free(a.p);
}

/* "[]" through gzip -n. */
static const uint8_t gz[] = { 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
			      0x00, 0x03, 0x8b, 0x8e, 0x05, 0x00, 0x29, 0xbb,
			      0x4c, 0x0d, 0x02, 0x00, 0x00, 0x00 };

static void compression_inside_is_removed_and_its_damage_told(void **state)
{
	(void)state;
	struct packing a = pack_begin(archive_write_set_format_ustar);
	struct err err = ERR_INIT;
	struct str name;
	uint64_t size;

	pack_open(&a);
	pack(&a, "whole.gz", AE_IFREG, VIEW(gz, sizeof(gz)));
	pack(&a, "cut.gz", AE_IFREG, VIEW(gz, sizeof(gz) - 1));
	struct input *in = input_from_memory(pack_end(&a));
	struct bundle *b = must_open(in);
	assert_int_equal(1, bundle_next(b, &name, &size, &err));
	assert_int_equal(sizeof(gz), size);
	struct input *member = bundle_member(b);
	assert_int_equal(2, input_peek(member, 3, &err).n);
	assert_null(input_damage(member));
	input_close(member);
	assert_int_equal(1, bundle_next(b, &name, &size, &err));
	member = bundle_member(b);
	assert_int_equal(2, input_peek(member, 3, &err).n);
	assert_string_equal("gzip stream ends early", input_damage(member));
	input_close(member);
	assert_over(b);
	bundle_close(b);
	input_close(in);
	free(a.p);
}

/*
 * Reads all that is left of an archive.  How many members came out whole; what
 * came out is always what went in.
 */
struct salvage {
	unsigned whole, damaged;
	bool is_refused;
	struct err err;
};

static struct salvage salvage(struct input *in, const uint8_t *text)
{
	struct salvage s = { .err = ERR_INIT };
	struct bundle *b = bundle_open(in, &s.err);
	struct str name;
	uint64_t size;
	int rc = b ? 1 : -1;

	while (b && (rc = bundle_next(b, &name, &size, &s.err)) == 1) {
		struct err err = ERR_INIT;
		struct bytes is = str_is(name, "folder/first.json")
					  ? VIEW((const uint8_t *)"[1]", 3)
				  : str_is(name, "second.json") ? VIEW(text, LONG_TEXT)
				  : str_is(name, "last") ? VIEW((const uint8_t *)"{}", 2)
							 : VIEW((const uint8_t *)"", 0);
		struct input *member = bundle_member(b);
		struct bytes got = input_peek(member, LONG_TEXT + 1, &err);
		assert_int_equal(ERR_NONE, err.kind);
		assert_true(got.n <= is.n);
		assert_memory_equal(is.p, got.p, got.n);
		if (input_damage(member))
			s.damaged++;
		else
			s.whole += got.n == is.n;
		input_close(member);
	}
	s.is_refused = rc < 0;
	assert_int_equal(s.is_refused, s.err.kind == ERR_INPUT);
	bundle_close(b);
	input_close(in);
	return s;
}

/* A tar without its end, and a zip without its directory, may pass for whole. */
static void an_archive_cut_anywhere_gives_the_members_before_the_cut(void **state)
{
	(void)state;
	uint8_t *text = long_text();

	for (size_t i = 0; i < NFLAVOURS; i++) {
		struct packing a;
		struct bytes archive = pack_example(&a, flavours[i].format, text);
		unsigned most = 0;
		for (size_t cut = 4; cut < archive.n; cut += 1 + cut / 700) {
			struct bytes left = VIEW(a.p, cut);
			struct salvage s = salvage(input_from_memory(left), text);
			assert_true(s.whole >= most);
			most = s.whole;
			if (s.whole < 4 && !s.damaged && !s.is_refused)
				assert_int_equal(0, cut % 512); /* between two members */
			if (s.is_refused)
				assert_in_range(s.err.offset, 0, cut);
			struct salvage again =
				salvage(input_from_source(trickle, &left, 0), text);
			assert_int_equal(s.whole, again.whole);
		}
		assert_int_equal(4, most);
		free(a.p);
	}
	free(text);
}

static void a_cut_member_gives_what_is_before_the_cut_and_says_why(void **state)
{
	(void)state;
	uint8_t *text = long_text();

	for (size_t i = 0; i < NFLAVOURS; i++) {
		struct packing a;
		struct bytes archive = pack_example(&a, flavours[i].format, text);
		struct bytes half = VIEW(archive.p, i == 0 ? archive.n / 2 : LONG_TEXT);
		struct input *in = input_from_memory(half);
		struct bundle *b = must_open(in);
		struct err err = ERR_INIT;
		struct str name;
		uint64_t size;
		assert_text(b, "folder/first.json", "[1]");
		assert_text(b, "empty", "");
		assert_int_equal(1, bundle_next(b, &name, &size, &err));
		struct input *member = bundle_member(b);
		struct bytes got = input_peek(member, LONG_TEXT, &err);
		assert_in_range(got.n, i == 0 ? 1 : LONG_TEXT - 5000, LONG_TEXT - 1);
		assert_memory_equal(text, got.p, got.n);
		assert_non_null(strstr(input_damage(member), "the member is damaged: "));
		input_close(member);
		assert_int_equal(-1, bundle_next(b, &name, &size, &err));
		assert_non_null(strstr(err.text, "the archive is damaged: "));
		bundle_close(b);
		input_close(in);
		free(a.p);
	}
	free(text);
}

static void a_zip_with_a_wrong_checksum_costs_that_member_only(void **state)
{
	(void)state;
	uint8_t *text = long_text();
	struct packing a;
	struct bytes archive = pack_example(&a, zip_stored, text);

	a.p[archive.n / 2] ^= 1; /* within second.json */
	text[0] = 0;             /* whatever it says now is no prefix of it */
	struct input *in = input_from_memory(archive);
	struct bundle *b = must_open(in);
	struct err err = ERR_INIT;
	struct str name;
	uint64_t size;
	assert_text(b, "folder/first.json", "[1]");
	assert_text(b, "empty", "");
	assert_int_equal(1, bundle_next(b, &name, &size, &err));
	struct input *member = bundle_member(b);
	assert_int_equal(LONG_TEXT, input_peek(member, LONG_TEXT + 1, &err).n);
	assert_non_null(strstr(input_damage(member), "CRC"));
	input_close(member);
	assert_text(b, "last", "{}");
	assert_over(b);
	bundle_close(b);
	input_close(in);
	free(a.p);
	free(text);
}

static void an_encrypted_member_is_refused_by_its_name(void **state)
{
	(void)state;
	struct packing a = pack_begin(archive_write_set_format_zip);
	struct err err = ERR_INIT;
	struct str name;
	uint64_t size;

	assert_int_equal(ARCHIVE_OK, archive_write_set_options(
					     a.writer, "zip:encryption=traditional"));
	assert_int_equal(ARCHIVE_OK, archive_write_set_passphrase(a.writer, "open"));
	pack_open(&a);
	pack_text(&a, "secret.json", "[]");
	struct input *in = input_from_memory(pack_end(&a));
	struct bundle *b = must_open(in);
	assert_int_equal(-1, bundle_next(b, &name, &size, &err));
	assert_string_equal("'secret.json' is encrypted", err.text);
	bundle_close(b);
	input_close(in);
	free(a.p);
}

#define HOLE 65536

/* What a few bytes say may be a petabyte. */
static void a_sparse_member_ends_at_its_first_hole(void **state)
{
	(void)state;
	struct packing a = pack_begin(archive_write_set_format_pax);
	struct archive_entry *entry = archive_entry_new();
	struct err err = ERR_INIT;
	struct str name;
	uint64_t size;

	pack_open(&a);
	archive_entry_set_pathname(entry, "sparse");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, HOLE + 1024);
	archive_entry_sparse_add_entry(entry, 0, 512);
	archive_entry_sparse_add_entry(entry, HOLE + 512, 512);
	assert_int_equal(ARCHIVE_OK, archive_write_header(a.writer, entry));
	archive_entry_free(entry);
	uint8_t *all = xcalloc(1, HOLE + 1024);
	memset(all, 'x', 512);
	assert_int_equal(HOLE + 1024, archive_write_data(a.writer, all, HOLE + 1024));
	free(all);
	struct input *in = input_from_memory(pack_end(&a));
	struct bundle *b = must_open(in);
	assert_int_equal(1, bundle_next(b, &name, &size, &err));
	struct input *member = bundle_member(b);
	size_t got = input_peek(member, 2 * ROOM, &err).n;
	assert_in_range(got, 0, 512);
	assert_non_null(input_damage(member));
	input_close(member);
	bundle_close(b);
	input_close(in);
	free(a.p);
}

struct broken {
	struct bytes left;
	size_t good;
};

static ssize_t broken_read(void *source, uint8_t *to, size_t n, struct err *err)
{
	struct broken *s = source;

	n = n < 512 ? n : 512;
	n = n < s->left.n ? n : s->left.n;
	if (n > s->good)
		return err_set(err, ERR_INTERRUPT, "interrupted");
	memcpy(to, s->left.p, n);
	s->left.p += n;
	s->left.n -= n;
	s->good -= n;
	return (ssize_t)n;
}

/* -1 with the source's own error, not with what libarchive makes of it. */
static void a_source_that_fails_is_no_damage(void **state)
{
	(void)state;
	uint8_t *text = long_text();

	for (size_t i = 0; i < NFLAVOURS; i++) {
		struct packing a;
		struct bytes archive = pack_example(&a, flavours[i].format, text);
		for (size_t good = 0; good + 512 < archive.n; good += 1024) {
			struct broken source = { archive, good };
			struct err err = ERR_INIT;
			struct str name;
			uint64_t size;
			struct input *in = input_from_source(broken_read, &source, 0);
			input_set_window(in, 512, ROOM);
			struct bundle *b = bundle_open(in, &err);
			int rc = b ? 1 : -1;
			while (rc == 1 &&
			       (rc = bundle_next(b, &name, &size, &err)) == 1) {
				struct input *member = bundle_member(b);
				struct bytes all =
					input_peek(member, LONG_TEXT + 1, &err);
				if (err.kind != ERR_NONE)
					rc = -1;
				assert_true(all.n == 0 || err.kind == ERR_NONE);
				assert_null(input_damage(member));
				input_close(member);
			}
			if (rc < 0) {
				assert_int_equal(ERR_INTERRUPT, err.kind);
				assert_string_equal("interrupted", err.text);
			}
			bundle_close(b);
			input_close(in);
		}
		free(a.p);
	}
	free(text);
}

static void put_le(uint8_t *p, uint32_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* libarchive keeps all of a zip's directory in memory. */
static void a_zip_that_is_all_directory_is_refused(void **state)
{
	(void)state;
	const uint32_t n = 1000000, local = 30, entry = 46, end = 22;
	size_t size = local + (size_t)n * entry + end;
	uint8_t *zip = xcalloc(size, 1), *p = zip + local;
	struct err err = ERR_INIT;
	struct str name;
	uint64_t member_size;

	put(zip, "PK\3\4");
	for (uint32_t i = 0; i < n; i++, p += entry)
		put(p, "PK\1\2");
	put(p, "PK\5\6");
	put_le(p + 8, 0xffff, 2);
	put_le(p + 10, 0xffff, 2);
	put_le(p + 12, n * entry, 4);
	put_le(p + 16, local, 4);
	struct input *in = input_from_memory(VIEW(zip, size));
	struct bundle *b = must_open(in);
	assert_int_equal(-1, bundle_next(b, &name, &member_size, &err));
	assert_string_equal("no member within the first 33554432 bytes that were read",
			    err.text);
	bundle_close(b);
	input_close(in);
	free(zip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			regular_files_of_every_flavour_are_members_in_their_order),
		cmocka_unit_test(links_are_passed_over_unless_a_zip_comes_through_a_pipe),
		cmocka_unit_test(an_archive_without_members_is_at_its_end),
		cmocka_unit_test(members_that_nobody_reads_are_passed_over),
		cmocka_unit_test(what_is_no_archive_is_known_by_its_first_bytes),
		cmocka_unit_test(a_tar_is_known_by_its_checksum_or_its_magic),
		cmocka_unit_test(names_are_safe_to_print_and_else_as_stored),
		cmocka_unit_test(a_name_is_cut_at_4096_bytes),
		cmocka_unit_test(compression_inside_is_removed_and_its_damage_told),
		cmocka_unit_test(
			an_archive_cut_anywhere_gives_the_members_before_the_cut),
		cmocka_unit_test(a_cut_member_gives_what_is_before_the_cut_and_says_why),
		cmocka_unit_test(a_zip_with_a_wrong_checksum_costs_that_member_only),
		cmocka_unit_test(an_encrypted_member_is_refused_by_its_name),
		cmocka_unit_test(a_sparse_member_ends_at_its_first_hole),
		cmocka_unit_test(a_source_that_fails_is_no_damage),
		cmocka_unit_test(a_zip_that_is_all_directory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
