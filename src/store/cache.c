/*
 * The cache of raw traces' stores: see cache.h.  The time a store was last used
 * is its modification time, because many file systems do not keep access times.
 */
#include "store/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/walk.h"
#include "store/cache_note.h"
#include "store/publish.h"
#include "store/sources.h" /* made from all of src */
#include "store/store.h"

/* "<16 hexadecimal digits>.db" */
#define HASH_DIGITS 16
#define NAME_LEN    (HASH_DIGITS + 3)

struct cached {
	char name[NAME_LEN + 1];
	uint64_t size_bytes;
	struct timespec used;
};

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* NULL when no variable says where; the caller frees it. */
static char *cache_folder(void)
{
	const char *own = env("PTOOL_CACHE");
	const char *xdg = env("XDG_CACHE_HOME");
	const char *home = env("HOME");

	if (own)
		return xstrdup(own);
	if (xdg && xdg[0] == '/') /* the XDG specification: others are ignored */
		return xasprintf("%s/ptool", xdg);
	return home ? xasprintf("%s/.cache/ptool", home) : NULL;
}

/* With its parents; what fails shows when the folder is used. */
static void make_folders(const char *path)
{
	char *part = xstrdup(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0700);
		*slash = '/';
	}
	mkdir(part, 0700);
	free(part);
}

#define SECOND_NS      INT64_C(1000000000)
#define TICK_NS        (SECOND_NS / 100)
#define COARSE_TICK_NS (2 * SECOND_NS) /* where times are whole seconds */

/*
 * File systems tell times by ticks.  A file that is changed again within one has the same
 * key, under which the store of what it held before would be found: so whoever reads it
 * waits until the tick of its change is over.
 */
static void wait_for_tick(const struct stat *st)
{
	const struct timespec *changed = &st->st_ctim;
	int64_t tick_ns = changed->tv_nsec ? TICK_NS : COARSE_TICK_NS;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (now.tv_sec < changed->tv_sec || now.tv_sec - changed->tv_sec > 2)
		return;
	int64_t age_ns = (now.tv_sec - changed->tv_sec) * SECOND_NS + now.tv_nsec -
			 changed->tv_nsec;
	if (age_ns < 0 || age_ns >= tick_ns)
		return;
	const struct timespec rest = { (tick_ns - age_ns) / SECOND_NS,
				       (tick_ns - age_ns) % SECOND_NS };
	nanosleep(&rest, NULL);
}

/*
 * The change time is in the key too: it is the one that no copying or unpacking
 * program sets back, and a stale store would give wrong numbers, as might one that a
 * program of other sources has made.
 */
static uint64_t key_of(const char *real_path, const struct stat *st, uint64_t before)
{
	char *key =
		xasprintf("%016" PRIx64 "%s\n%ju:%ju %jd %jd.%09ld %jd.%09ld %d %s",
			  before, real_path, (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
			  (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec,
			  st->st_mtim.tv_nsec, (intmax_t)st->st_ctim.tv_sec,
			  st->st_ctim.tv_nsec, STORE_SCHEMA_VERSION, PTOOL_SOURCES);
	uint64_t hash = hash_fixed(key, strlen(key));

	wait_for_tick(st);
	free(key);
	return hash;
}

/*
 * Of a folder: of the files below it, but for our stores, of which the cache may
 * be one.  0, or -1 when they cannot be listed, which who reads them will tell.
 */
static int key_of_folder(const char *real_path, uint64_t *key)
{
	struct err ignored = ERR_INIT;
	struct walk walk;
	int rc = walk_folder(real_path, &walk, NULL, NULL, &ignored);

	*key = hash_fixed(real_path, strlen(real_path));
	for (size_t i = 0; i < walk.n; i++) {
		const struct walk_file *file = &walk.files[i];
		if (!store_is_own(file->path))
			*key = key_of(file->path, &file->st, *key);
	}
	walk_release(&walk);
	return rc;
}

static int find_key(const char *real_path, const struct stat *st, uint64_t *key)
{
	if (S_ISDIR(st->st_mode))
		return key_of_folder(real_path, key);
	*key = key_of(real_path, st, 0);
	return S_ISREG(st->st_mode) ? 0 : -1;
}

/* Nobody else can have put a file there, nor have changed one. */
static bool is_private(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Without following links and without waiting: a named pipe may have our name. */
static bool has_sound_header(const char *path)
{
	struct err ignored = ERR_INIT;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return false;
	struct store_header header = store_read_header(fd);
	bool is_sound = store_check_header(&header, &ignored) == 0 &&
			fstat(fd, &st) == 0 && is_private(&st) &&
			(uint64_t)st.st_size >= header.size_bytes;
	close(fd);
	return is_sound;
}

/*
 * What another program left beside the store, which SQLite would play into it, or has put
 * in the place of its lock.  Counts them, or removes each that it can.
 */
static int beside(const char *path, int (*act)(const char *path))
{
	static const char *const suffixes[] = { "-journal", "-wal", ".lock" };
	int n = 0;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *other = xasprintf("%s%s", path, suffixes[i]);
		struct stat st;
		bool is_lock = suffixes[i][0] == '.';
		if (lstat(other, &st) == 0 && !(is_lock && S_ISREG(st.st_mode)))
			n += act ? act(other) != 0 : 1;
		free(other);
	}
	return n;
}

/*
 * What has our name and is no store of ours is damaged, or in the way.  A store that
 * something lies beside is none either: it goes first, as without its journal it may hold
 * half of a change.
 */
static bool is_ready(const char *path)
{
	if (beside(path, NULL) == 0 && has_sound_header(path))
		return true;
	unlink(path);
	return false;
}

/* Nothing is where a store is to be made. */
static bool is_free(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 && beside(path, unlink) == 0;
}

/* NULL, or why a folder that is there is not to be trusted. */
static const char *distrust(const char *folder)
{
	struct stat st;

	if (stat(folder, &st) < 0 || !S_ISDIR(st.st_mode))
		return NULL;
	if (st.st_uid != geteuid())
		return "it belongs to another user";
	return is_private(&st) ? NULL : "other users may write in it";
}

static int find_temporary(struct cache_entry *out, struct err *err)
{
	const char *tmp = env("TMPDIR");
	char *folder = xasprintf("%s/ptool-XXXXXX", tmp ? tmp : "/tmp");
	int rc = 0;

	if (mkdtemp(folder)) {
		out->path = xasprintf("%s/ptool.db", folder);
		out->is_temporary = true;
	} else {
		rc = err_set(err, ERR_IO, "cannot create '%s': %s", folder,
			     strerror(errno));
	}
	free(folder);
	return rc;
}

/* In a folder that is the user's own.  False when the cache cannot keep it. */
static bool find_in(const char *folder, uint64_t key, struct cache_entry *out)
{
	const char *why = distrust(folder);

	if (why) {
		out->unused = xasprintf("the cache '%s' is not used: %s", folder, why);
		return false;
	}
	out->path = xasprintf("%s/%016" PRIx64 ".db", folder, key);
	out->is_ready = is_ready(out->path);
	if (out->is_ready)
		utimensat(AT_FDCWD, out->path, NULL, AT_SYMLINK_NOFOLLOW);
	else
		make_folders(folder);
	return out->is_ready || (access(folder, W_OK | X_OK) == 0 && is_free(out->path));
}

/* A cached place for the key, or false. */
static bool find_by_key(uint64_t key, struct cache_entry *out)
{
	char *folder = cache_folder();
	bool is_found = folder && find_in(folder, key, out);

	if (!is_found) {
		free(out->path);
		out->path = NULL;
	}
	free(folder);
	return is_found;
}

/* False when the cache cannot keep it. */
static bool find_cached(const char *raw_path, const struct stat *st,
			struct cache_entry *out)
{
	char *real_path = realpath(raw_path, NULL);
	uint64_t key;
	bool is_found =
		real_path && find_key(real_path, st, &key) == 0 && find_by_key(key, out);

	free(real_path);
	return is_found;
}

int cache_find_many(const char *what, const struct cache_file *files, size_t n,
		    struct cache_entry *out, struct err *err)
{
	uint64_t key = hash_fixed(what, strlen(what));

	*out = (struct cache_entry){ 0 };
	for (size_t i = 0; i < n; i++) {
		char *real_path = realpath(files[i].path, NULL);
		key = key_of(real_path ? real_path : files[i].path, &files[i].st, key);
		free(real_path);
	}
	if (find_by_key(key, out) || find_temporary(out, err) == 0)
		return 0;
	cache_discard(out);
	return -1;
}

int cache_find(const char *raw_path, struct cache_entry *out, struct err *err)
{
	struct stat st;

	*out = (struct cache_entry){ 0 };
	if (strcmp(raw_path, "-") == 0)
		return find_temporary(out, err);
	if (stat(raw_path, &st) < 0)
		return err_set(err, err_kind_of(errno), "%s", strerror(errno));
	if (find_cached(raw_path, &st, out))
		return 0;
	if (find_temporary(out, err) == 0)
		return 0;
	cache_discard(out);
	return -1;
}

void cache_forget(struct cache_entry *entry)
{
	entry->is_forgotten = true;
}

void cache_drop_damaged(struct cache_entry *entry)
{
	unlink(entry->path);
	entry->is_ready = false;
}

void cache_discard(struct cache_entry *entry)
{
	if (entry->path && entry->is_forgotten && !entry->is_temporary) {
		unlink(entry->path);
		cache_note_remove(entry->path);
	}
	if (entry->path && entry->is_temporary) {
		publish_clear_leftovers(entry->path);
		unlink(entry->path);
		*strrchr(entry->path, '/') = '\0';
		rmdir(entry->path);
	}
	free(entry->path);
	free(entry->unused);
	*entry = (struct cache_entry){ 0 };
}

/* True when the name begins with that of a store of ours. */
static bool has_our_name(const char *name)
{
	return strspn(name, "0123456789abcdef") == HASH_DIGITS &&
	       str_starts_with(str_of(name + HASH_DIGITS), STR_LIT(".db"));
}

static bool is_leftover(const char *name)
{
	struct str rest = str_of(name + NAME_LEN);

	return str_is(rest, ".lock") || str_starts_with(rest, STR_LIT(".tmp."));
}

static int by_last_use(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void clear_leftover(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%.*s", folder, NAME_LEN, name);

	publish_clear_leftovers(path);
	free(path);
}

/* One whose store is gone. */
static void clear_note(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%.*s", folder, NAME_LEN, name);
	struct stat st;

	if (lstat(path, &st) < 0)
		cache_note_remove(path);
	free(path);
}

/* The stores of the folder, oldest first; the caller frees them. */
static struct cached *list_stores(DIR *dir, const char *folder, size_t *n)
{
	struct cached *stores = NULL;
	size_t cap = 0;
	struct dirent *entry;
	struct stat st;

	*n = 0;
	while ((entry = readdir(dir))) {
		if (!has_our_name(entry->d_name))
			continue;
		if (is_leftover(entry->d_name))
			clear_leftover(folder, entry->d_name);
		if (str_is(str_of(entry->d_name + NAME_LEN), CACHE_NOTE_SUFFIX))
			clear_note(folder, entry->d_name);
		if (entry->d_name[NAME_LEN] != '\0' ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		stores = xgrow(stores, &cap, *n + 1, sizeof(*stores));
		struct cached *store = &stores[(*n)++];
		memcpy(store->name, entry->d_name, sizeof(store->name));
		store->size_bytes = (uint64_t)st.st_size;
		store->used = st.st_mtim;
	}
	if (*n)
		qsort(stores, *n, sizeof(*stores), by_last_use);
	return stores;
}

bool cache_has(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *folder =
		has_our_name(name) && name[NAME_LEN] == '\0' ? cache_folder() : NULL;
	char *cached = folder ? xasprintf("%s/%s", folder, name) : NULL;
	struct stat a, b;
	bool is_in = cached && stat(cached, &a) == 0 && stat(path, &b) == 0 &&
		     a.st_dev == b.st_dev && a.st_ino == b.st_ino;

	free(cached);
	free(folder);
	return is_in;
}

void cache_trim(uint64_t max_bytes)
{
	char *folder = cache_folder();
	DIR *dir = folder ? opendir(folder) : NULL;
	uint64_t total_bytes = 0;
	size_t n;

	if (dir) {
		struct cached *stores = list_stores(dir, folder, &n);
		for (size_t i = 0; i < n; i++)
			total_bytes += stores[i].size_bytes;
		for (size_t i = 0; i + 1 < n && total_bytes > max_bytes; i++) {
			unlinkat(dirfd(dir), stores[i].name, 0);
			total_bytes -= stores[i].size_bytes;
		}
		free(stores);
		closedir(dir);
	}
	free(folder);
}
