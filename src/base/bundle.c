/*
 * Archives through libarchive: see bundle.h.  Of a zip in a file the directory
 * at its end is read first, which knows more than what stands before each
 * member; in a pipe there is only the latter.
 */
#include "base/bundle.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/archive_lib.h"
#include "base/buf.h"
#include "base/expand.h"
#include "base/utf8.h"

/* Of a name; what is longer is cut. */
#define NAME_MAX_BYTES ((size_t)4096)
/* As each byte of it may be drawn: \u202e stands for three. */
#define NAME_MAX_DRAWN (4 * NAME_MAX_BYTES)
#define DAMAGE_MAX     256
/*
 * Bytes of the archive that are read before its first member is found: those of
 * a zip's directory, whose entries libarchive keeps in some five times as many.
 */
#define DIRECTORY_MAX ((size_t)32 << 20)

struct bundle {
	struct input *in; /* borrowed */
	const struct archive_lib *lib;
	struct archive *archive;
	locale_t utf8;         /* names are converted to it; 0: there is none */
	struct err failure;    /* it stays */
	size_t lent;           /* bytes from here that libarchive still looks at */
	struct expand *expand; /* borrowed: of the member that is read, or NULL */
	size_t before;         /* bytes read before the first member was found */
	bool began, is_over;
	uint64_t nheaders; /* of members and folders, up to here */
	char number[sizeof("member-") + 20];
	struct buf name;
	uint64_t size;
	/* Of the member: */
	const uint8_t *block; /* libarchive's; block_n bytes not yet taken */
	size_t block_n;
	int64_t at; /* behind the block */
	bool ended;
	char damage[DAMAGE_MAX]; /* "": none */
};

/* The caller is libarchive, which is told that it failed; err says why. */
static int fail_reading(struct bundle *b, const struct err *err)
{
	b->failure = *err;
	b->lib->archive_set_error(b->archive, EIO, "%s", err->text);
	return ARCHIVE_FATAL;
}

/* libarchive's read callback: it looks at the bytes until the next call. */
static la_ssize_t on_read(struct archive *archive, void *bundle, const void **p)
{
	struct bundle *b = bundle;
	struct err err = ERR_INIT;

	(void)archive;
	input_skip(b->in, b->lent);
	b->lent = 0;
	struct bytes bytes = input_peek(b->in, 1, &err);
	if (err.kind != ERR_NONE)
		return fail_reading(b, &err);
	if (!b->began && b->before > DIRECTORY_MAX) {
		err_at(&err, 0, "no member within the first %zu bytes that were read",
		       DIRECTORY_MAX);
		return fail_reading(b, &err);
	}
	b->before += bytes.n;
	if (b->expand)
		b->expand->read += bytes.n;
	b->lent = bytes.n;
	*p = bytes.p;
	return (la_ssize_t)bytes.n;
}

/* Its seek callback; the bytes that it looks at are dead then. */
static la_int64_t on_seek(struct archive *archive, void *bundle, la_int64_t offset,
			  int whence)
{
	struct bundle *b = bundle;
	struct err err = ERR_INIT;
	int64_t size = (int64_t)input_size(b->in);
	int64_t from = whence == SEEK_SET   ? 0
		       : whence == SEEK_END ? size
					    : (int64_t)(input_offset(b->in) + b->lent);

	(void)archive;
	b->lent = 0;
	if (offset < -from || offset > size - from)
		return ARCHIVE_FATAL;
	if (input_seek(b->in, (uint64_t)(from + offset), &err) < 0)
		return fail_reading(b, &err);
	return from + offset;
}

/*
 * Where libarchive has no memory for a text it ends the program with status 1.
 * What is asked at exit has nothing but globals to go by; that it is libarchive
 * that ends the program shows in the thread that does.
 */
static _Thread_local bool is_inside;
static pthread_once_t asked = PTHREAD_ONCE_INIT;

#ifdef __GLIBC__
static void on_ending(int status, void *unused)
{
	(void)unused;
	if (is_inside && status == 1)
		xdie_of_memory();
}

static void ask_at_exit(void)
{
	on_exit(on_ending, NULL);
}
#else /* musl does not tell the status, and then it is 1 without a word */
static void ask_at_exit(void)
{
}
#endif

/* Only what the first bytes are, so that nothing else is tried on damaged ones. */
static int support(struct bundle *b, bool zip, bool can_seek)
{
	struct archive *archive = b->archive;

	if (!zip)
		return b->lib->archive_read_support_format_gnutar(archive);
	if (can_seek &&
	    b->lib->archive_read_support_format_zip_seekable(archive) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	return b->lib->archive_read_support_format_zip_streamable(archive);
}

static int open_archive(struct bundle *b, struct bytes head)
{
	struct archive *archive = b->archive;
	bool can_seek = input_can_seek(b->in);

	if (!archive || support(b, bundle_is_zip(head), can_seek) != ARCHIVE_OK)
		return -1;
	b->lib->archive_read_set_read_callback(archive, on_read);
	if (can_seek)
		b->lib->archive_read_set_seek_callback(archive, on_seek);
	b->lib->archive_read_set_callback_data(archive, b);
	pthread_once(&asked, ask_at_exit);
	is_inside = true;
	int rc = b->lib->archive_read_open1(archive);
	is_inside = false;
	return rc == ARCHIVE_OK ? 0 : -1;
}

struct bundle *bundle_open(struct input *in, struct err *err)
{
	struct bytes head = input_peek(in, BUNDLE_HEAD, err);

	if (err->kind != ERR_NONE)
		return NULL;
	const struct archive_lib *lib = archive_lib(err);
	if (!lib)
		return NULL;
	struct bundle *b = xcalloc(1, sizeof(*b));
	b->in = in;
	b->lib = lib;
	b->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	b->archive = b->lib->archive_read_new();
	buf_init(&b->name, NAME_MAX_DRAWN);
	if (open_archive(b, head) == 0)
		return b;
	if (b->failure.kind != ERR_NONE)
		*err = b->failure;
	else if (!b->archive || b->lib->archive_errno(b->archive) == ENOMEM ||
		 !b->lib->archive_error_string(b->archive))
		xdie_of_memory(); /* or there was none for the reason */
	else
		err_at(err, 0, "cannot read the archive: %s",
		       b->lib->archive_error_string(b->archive));
	bundle_close(b);
	return NULL;
}

void bundle_close(struct bundle *b)
{
	if (!b)
		return;
	b->lib->archive_read_free(b->archive);
	if (b->utf8)
		freelocale(b->utf8);
	buf_release(&b->name);
	free(b);
}

/* What libarchive or the input says is wrong, for people; `otherwise` if neither does. */
static const char *reason(const struct bundle *b)
{
	const char *damage = input_damage(b->in);
	const char *text = b->lib->archive_error_string(b->archive);

	return damage ? damage : text ? text : "it is not understood";
}

static uint64_t place(const struct bundle *b)
{
	int64_t at = b->lib->archive_filter_bytes(b->archive, 0);

	return at < 0 ? 0 : (uint64_t)at;
}

/* zlib's want of memory has no number there. */
static bool is_out_of_memory(const struct bundle *b)
{
	const char *text = b->lib->archive_error_string(b->archive);

	return b->lib->archive_errno(b->archive) == ENOMEM ||
	       (text && strstr(text, "Can't initialize ZIP decompression"));
}

static int refuse(struct bundle *b, struct err *err)
{
	if (b->failure.kind == ERR_NONE && is_out_of_memory(b))
		xdie_of_memory();
	if (b->failure.kind == ERR_NONE)
		err_at(&b->failure, place(b), "the archive is damaged: %s", reason(b));
	*err = b->failure;
	return -1;
}

/* Where the name cannot be told: libarchive loses what it cannot convert. */
static struct str name_by_number(struct bundle *b)
{
	snprintf(b->number, sizeof(b->number), "member-%" PRIu64, b->nheaders);
	return str_of(b->number);
}

/*
 * libarchive makes text of the names in the encoding of the thread's locale.  A machine may
 * have none but "C", in which it can tell ASCII's alone.
 */
static int next_header(struct bundle *b, struct archive_entry **entry, struct str *name)
{
	locale_t before = uselocale(b->utf8);

	is_inside = true;
	int rc = b->lib->archive_read_next_header(b->archive, entry);
	if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		errno = 0;
		const char *text = b->lib->archive_entry_pathname(*entry);
		if (errno == ENOMEM || b->lib->archive_errno(b->archive) == ENOMEM)
			xdie_of_memory();
		b->nheaders++;
		*name = text && *text ? str_of(text) : name_by_number(b);
	}
	is_inside = false;
	uselocale(before);
	return rc;
}

static bool is_file(const struct bundle *b, struct archive_entry *entry)
{
	return b->lib->archive_entry_filetype(entry) == AE_IFREG &&
	       !b->lib->archive_entry_hardlink(entry);
}

static void set_name(struct bundle *b, struct str name)
{
	if (name.n > NAME_MAX_BYTES)
		name.n = NAME_MAX_BYTES;
	buf_clear(&b->name);
	utf8_add_visible(&b->name, name);
}

/* The member of this entry is the one to read. */
static int begin_member(struct bundle *b, struct archive_entry *entry, struct err *err)
{
	b->block_n = 0;
	b->at = 0;
	b->ended = false;
	b->damage[0] = '\0';
	b->size = 0;
	if (b->lib->archive_entry_size_is_set(entry) &&
	    b->lib->archive_entry_size(entry) > 0)
		b->size = (uint64_t)b->lib->archive_entry_size(entry);
	if (!b->lib->archive_entry_is_encrypted(entry))
		return 1;
	return err_at(err, place(b), "'" STR_FMT "' is encrypted",
		      STR_ARG(buf_str(&b->name)));
}

int bundle_next(struct bundle *b, struct str *name, uint64_t *size, struct err *err)
{
	struct archive_entry *entry = NULL;
	struct str stored = STR_LIT("");
	int rc;

	if (b->failure.kind != ERR_NONE || b->is_over)
		return b->is_over ? 0 : refuse(b, err);
	do {
		rc = next_header(b, &entry, &stored);
		b->began = b->failure.kind == ERR_NONE;
	} while ((rc == ARCHIVE_OK || rc == ARCHIVE_WARN) && !is_file(b, entry));
	b->ended = true;
	b->is_over = rc == ARCHIVE_EOF && !input_damage(b->in);
	if (b->is_over)
		return 0;
	if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
		return refuse(b, err);
	set_name(b, stored);
	rc = begin_member(b, entry, err);
	*name = buf_str(&b->name);
	*size = b->size;
	return rc;
}

static void damage_member(struct bundle *b, const char *why)
{
	snprintf(b->damage, sizeof(b->damage), "the member is damaged: %s", why);
}

/* Another block of the member, or its end, or -1. */
static int next_block(struct bundle *b, struct err *err)
{
	const void *block = NULL;
	la_int64_t at = b->at;
	is_inside = true;
	int rc = b->lib->archive_read_data_block(b->archive, &block, &b->block_n, &at);
	is_inside = false;
	bool is_there = rc == ARCHIVE_OK || rc == ARCHIVE_WARN;
	/* Petabytes of zeros are a few bytes in a tar. */
	bool is_hole = is_there && b->block_n && at != b->at;

	if (b->failure.kind != ERR_NONE) {
		*err = b->failure;
		return -1;
	}
	if (is_hole)
		damage_member(b, "it has holes");
	else if (rc < ARCHIVE_WARN && is_out_of_memory(b))
		xdie_of_memory();
	else if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF)
		damage_member(b, reason(b));
	b->ended = !is_there || is_hole;
	if (b->ended)
		b->block_n = 0;
	b->block = block;
	b->at += (int64_t)b->block_n;
	return 0;
}

/* An input_read_fn. */
static ssize_t read_member(void *bundle, uint8_t *to, size_t n, struct err *err)
{
	struct bundle *b = bundle;

	while (b->block_n == 0 && !b->ended)
		if (next_block(b, err) < 0)
			return -1;
	if (b->block_n == 0)
		return 0;
	if (n > b->block_n)
		n = b->block_n;
	memcpy(to, b->block, n);
	b->block += n;
	b->block_n -= n;
	return (ssize_t)n;
}

static const char *member_damage(const void *bundle)
{
	const struct bundle *b = bundle;

	return b->damage[0] ? b->damage : NULL;
}

void bundle_count(struct bundle *b, struct expand *member)
{
	b->expand = member;
}

struct input *bundle_member(struct bundle *b)
{
	struct input *in = input_from_source(read_member, b, b->size);

	input_set_damage(in, member_damage);
	return in;
}

#define TAR_CHECKSUM_AT     148
#define TAR_CHECKSUM_LENGTH 8
#define TAR_MAGIC_AT        257

bool bundle_is_zip(struct bytes head)
{
	return head.n >= 4 && head.p[0] == 'P' && head.p[1] == 'K' &&
	       ((head.p[2] == 3 && head.p[3] == 4) || (head.p[2] == 5 && head.p[3] == 6));
}

/* The number in spaces, octal digits and a NUL or a space; -1: it is none. */
static int64_t octal(const uint8_t *p, size_t n)
{
	int64_t value = 0;
	size_t i = 0;

	while (i < n && p[i] == ' ')
		i++;
	size_t first = i;
	for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
		value = value * 8 + (p[i] - '0');
	return i > first && (i == n || p[i] == '\0' || p[i] == ' ') ? value : -1;
}

/* As the format says, its own bytes count as blanks; old tars summed signed chars. */
static bool has_tar_checksum(const uint8_t *head)
{
	int64_t sum = 0, high = 0;

	for (size_t i = 0; i < BUNDLE_HEAD; i++) {
		bool is_own =
			i >= TAR_CHECKSUM_AT && i - TAR_CHECKSUM_AT < TAR_CHECKSUM_LENGTH;
		sum += is_own ? ' ' : head[i];
		high += !is_own && head[i] >= 0x80;
	}
	int64_t said = octal(head + TAR_CHECKSUM_AT, TAR_CHECKSUM_LENGTH);
	return said >= 0 && (said == sum || said == sum - 256 * high);
}

/* The magic of POSIX or of GNU, which both have a NUL, so that no text has them. */
static bool has_tar_magic(const uint8_t *head)
{
	return memcmp(head + TAR_MAGIC_AT, "ustar\0", 6) == 0 ||
	       memcmp(head + TAR_MAGIC_AT, "ustar  \0", 8) == 0;
}

static bool is_tar(struct bytes head)
{
	return head.n >= BUNDLE_HEAD &&
	       (has_tar_magic(head.p) || has_tar_checksum(head.p));
}

bool bundle_is(struct bytes head)
{
	return bundle_is_zip(head) || is_tar(head);
}
