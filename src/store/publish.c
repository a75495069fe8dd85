/*
 * Writing a store, all or nothing: see publish.h.  The order matters: lock,
 * look at the old file, clear, create; and at the end close, fsync, rename,
 * fsync of the directory, unlock.
 */
#include "store/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/beside.h"
#include "base/str.h"
#include "store/lift.h"
#include "store/lockfile.h"
#include "store/schema_check.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/tree_check.h"

#define CHUNK_SIZE   ((size_t)1 << 20)
#define SENDFILE_MAX ((size_t)16 << 20) /* a signal is not heard before the call ends */

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* From wherever the two files' offsets are. */
static int copy_by_hand(int from, int into)
{
	char *chunk = xmalloc(CHUNK_SIZE);
	int rc = 0;

	for (;;) {
		ssize_t n = read(from, chunk, CHUNK_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rc = (int)n;
			break;
		}
		rc = write_all(into, chunk, (size_t)n);
		if (rc < 0)
			break;
	}
	free(chunk);
	return rc;
}

/* Both at their beginning.  0, or -1 with errno set. */
static int copy_file(int from, int into)
{
	ssize_t n;

	if (ioctl(into, FICLONE, from) == 0)
		return 0;
	do {
		n = sendfile(into, from, NULL, SENDFILE_MAX);
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n == 0)
		return 0;
	/* Not between these two file systems; what was sent has moved both offsets. */
	return errno == EINVAL || errno == ENOSYS ? copy_by_hand(from, into) : -1;
}

/*
 * Nothing ends a call of fsync(), not even Ctrl-C, and of a large store it lasts as long
 * as the disk takes.  So its pages are sent off and waited for piece by piece, and little
 * is left for fsync() itself.
 */
#define PIECE_SIZE ((off_t)8 << 20)

/* 0, or -1 with errno set: a page could not be written, which nobody is told twice. */
static int each_piece(int fd, off_t size, unsigned flags)
{
	for (off_t at = 0; at < size; at += PIECE_SIZE) {
		int rc;
		do {
			rc = sync_file_range(fd, at, PIECE_SIZE, flags);
		} while (rc < 0 && errno == EINTR);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int write_pages(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (each_piece(fd, st.st_size, SYNC_FILE_RANGE_WRITE) < 0 ||
	    each_piece(fd, st.st_size, SYNC_FILE_RANGE_WAIT_BEFORE) < 0)
		return -1;
	return 0;
}

/* As fsync(): 0, or -1 with errno set. */
static int flush_file(int fd)
{
	/* Where there is no such call fsync() does it all. */
	if (write_pages(fd) < 0 && errno != ENOSYS && errno != EINVAL && errno != ESPIPE)
		return -1;
	return fsync(fd);
}

/* Digits of a process, of chance, and those that spill.h puts behind them. */
#define TEMP_ROOM     24
#define CHANCE_DIGITS 9
#define CHANCE_END    1000000000

struct publish {
	char *path; /* what is replaced: symbolic links are followed */
	struct lockfile lock;
	char *temp_path; /* NULL: not there, or renamed already */
	int temp_fd;     /* flock()ed as long as its writer lives; -1 */
	int old_fd;      /* the old store, to copy its bytes and its mode; -1: none */
	sqlite3 *db;
};

/*
 * NORMAL, without locks: each transaction looks whether the file was changed, by
 * bulk_writer.h.  secure_delete would write zeroes over every run that is replaced.
 */
static const char writing_pragmas[] = "PRAGMA locking_mode = NORMAL;"
				      "PRAGMA page_size = 4096;"
				      "PRAGMA journal_mode = OFF;"
				      "PRAGMA synchronous = OFF;"
				      "PRAGMA secure_delete = OFF;"
				      "PRAGMA cache_size = -4096;";

/* Output that cannot be written is ERR_IO, whatever the reason. */
static int output_errno(struct err *err, const char *path)
{
	return err_set(err, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
}

/* True for "<prefix><digits>". */
static bool is_temp_name(const char *name, struct str prefix)
{
	if (!str_starts_with(str_of(name), prefix))
		return false;
	name += prefix.n;
	return *name && name[strspn(name, "0123456789")] == '\0';
}

static void remove_if_dead(int folder_fd, const char *name)
{
	int fd = lockfile_open(folder_fd, name);

	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder_fd, name, 0);
	close(fd);
}

/* The temporary files of all writers of a store; owned. */
struct temps {
	char *folder, *prefix;
};

static struct temps temps_of(const char *path)
{
	char *name = beside_name(path, ".tmp.", TEMP_ROOM);
	struct temps temps = { beside_folder(path), xstrdup(beside_base(name)) };

	free(name);
	return temps;
}

static void temps_release(struct temps *temps)
{
	free(temps->folder);
	free(temps->prefix);
}

/* The lock is held, so that no writer is between creating its file and locking it. */
static void clear_dead_temps(const struct temps *temps)
{
	DIR *dir = opendir(*temps->folder ? temps->folder : ".");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_temp_name(entry->d_name, str_of(temps->prefix)))
			remove_if_dead(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
}

static char *lock_path_of(const char *path)
{
	return beside_name(path, ".lock", 0);
}

void publish_clear_leftovers(const char *path)
{
	struct err ignored = ERR_INIT;
	struct lockfile lock;
	char *lock_path = lock_path_of(path);
	struct temps temps = temps_of(path);

	if (lockfile_try(&lock, lock_path, &ignored) == 0) {
		clear_dead_temps(&temps);
		lockfile_release(&lock);
	}
	temps_release(&temps);
	free(lock_path);
}

static int open_old(struct publish *p, bool keep_old, struct err *err)
{
	p->old_fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (p->old_fd < 0)
		return errno == ENOENT ? 0 : output_errno(err, p->path);

	struct store_header header = store_read_header(p->old_fd);
	if (header.error)
		return store_check_header(&header, err);
	if (!header.is_store)
		return err_set(err, ERR_USAGE, "exists and is not a ptool store");
	if (!keep_old)
		return 0;
	if (header.schema != STORE_SCHEMA_VERSION && !lift_knows(header.schema))
		return err_set(
			err, ERR_INPUT,
			"store has schema %u, this ptool writes %d; move it away first",
			(unsigned)header.schema, STORE_SCHEMA_VERSION);
	return store_check_header(&header, err);
}

/*
 * A journal of another program belongs to the old bytes; beside the new file
 * SQLite would play it into that one.
 */
static int check_no_journal(const char *path, const char *suffix, struct err *err)
{
	char *journal = xasprintf("%s%s", path, suffix);
	struct stat st;
	int rc = 0;

	if (stat(journal, &st) == 0 && (st.st_size > 0 || !S_ISREG(st.st_mode)))
		rc = err_set(err, ERR_IO,
			     "another program is changing the store: '%s' exists",
			     journal);
	free(journal);
	return rc;
}

/* Nobody may read it who may not read what it replaces. */
static mode_t temp_mode(const struct publish *p)
{
	struct stat old;

	return stat(p->path, &old) == 0 ? (old.st_mode & 0666) | 0600 : 0666;
}

/* Moves `temp_path` in. */
static int make_temp(struct publish *p, char *temp_path, struct err *err)
{
	p->temp_fd = open(temp_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, temp_mode(p));
	if (p->temp_fd < 0) {
		output_errno(err, temp_path);
		free(temp_path);
		return -1;
	}
	p->temp_path = temp_path;
	if (flock(p->temp_fd, LOCK_EX | LOCK_NB) < 0 && !lockfile_is_missing(errno))
		return output_errno(err, temp_path);
	return 0;
}

/*
 * Processes of two containers may have one number.  One that waits for the lock and is
 * ended must not remove what the other one writes.
 */
static char *temp_path_of(const struct temps *temps)
{
	uint32_t chance;

	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != (ssize_t)sizeof(chance))
		chance = 0;
	return xasprintf("%s%s%ld%0*u", temps->folder, temps->prefix, (long)getpid(),
			 CHANCE_DIGITS, (unsigned)(chance % CHANCE_END));
}

/*
 * Lock and temporary file.  Who removes them when the program ends at once is told
 * before they are there, and no memory is asked for between the two.
 */
static int make_files(struct publish *p, const struct publish_keep *keep, struct err *err)
{
	char *lock_path = lock_path_of(p->path);
	struct temps temps = temps_of(p->path);
	char *temp_path = temp_path_of(&temps);
	int rc = 0;

	if (keep->made)
		rc = keep->made(temp_path, lock_path, keep->to, err);
	if (rc == 0)
		rc = lockfile_acquire(&p->lock, lock_path, err);
	if (rc == 0) {
		clear_dead_temps(&temps);
		rc = make_temp(p, temp_path, err);
	} else {
		free(temp_path);
	}
	temps_release(&temps);
	free(lock_path);
	return rc;
}

/* Without SQLite's own locks, which a network file system would run into ours. */
static int open_temp(struct publish *p, struct err *err)
{
	char *uri = sql_uri(p->temp_path, "mode=rw&nolock=1");
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
	int code = sqlite3_open_v2(uri, &p->db, flags, NULL);

	free(uri);
	if (code != SQLITE_OK)
		return sql_error(p->db, err);
	int rc = sql_exec(p->db, writing_pragmas, err);
	sql_harden(p->db);
	return rc;
}

static int begin(struct publish *p, const struct publish_keep *keep, struct err *err)
{
	if (make_files(p, keep, err) < 0)
		return -1;
	if (keep->is_new && access(p->path, F_OK) == 0)
		return err_set(err, ERR_USAGE, "exists; -f replaces it");
	/* Asked under the lock: nobody changes the store between the answer and the copy. */
	bool keep_old = keep->decide ? keep->decide(p->path, keep->to) : keep->always;
	if (open_old(p, keep_old, err) < 0)
		return -1;
	if (check_no_journal(p->path, "-journal", err) < 0 ||
	    check_no_journal(p->path, "-wal", err) < 0)
		return -1;
	if (keep_old && p->old_fd >= 0 && copy_file(p->old_fd, p->temp_fd) < 0)
		return output_errno(err, p->temp_path);
	if (keep->is_bytes)
		return 0;
	if (open_temp(p, err) < 0)
		return -1;
	if (!keep_old || p->old_fd < 0)
		return 0;
	return schema_check(p->db, err) < 0 ? -1 : tree_check_for_adding(p->db, err);
}

int publish_begin(const char *path, bool keep_old, struct publish **out, struct err *err)
{
	return publish_begin_keep(path, &(struct publish_keep){ .always = keep_old }, out,
				  err);
}

int publish_begin_keep(const char *path, const struct publish_keep *keep,
		       struct publish **out, struct err *err)
{
	*out = NULL;
	if (!*beside_base(path))
		return err_set(err, ERR_USAGE, "'%s' is not the name of a file", path);
	char *target = beside_target(path);
	if (!target)
		return output_errno(err, path);

	struct publish *p = xmalloc(sizeof(*p));
	*p = (struct publish){ .path = target, .temp_fd = -1, .old_fd = -1 };
	if (begin(p, keep, err) < 0) {
		publish_abort(p);
		return -1;
	}
	*out = p;
	return 0;
}

struct sqlite3 *publish_db(struct publish *p)
{
	return p->db;
}

int publish_fd(const struct publish *p)
{
	return p->temp_fd;
}

const char *publish_temp_path(const struct publish *p)
{
	return p->temp_path;
}

/* Only now is it a store: one that somebody finds half-made is refused. */
static int seal(struct publish *p, struct err *err)
{
	char *ids = xasprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;",
			      STORE_APPLICATION_ID, STORE_SCHEMA_VERSION);
	int rc = 0;

	if (!sqlite3_get_autocommit(p->db))
		rc = sql_exec(p->db, "COMMIT", err);
	if (rc == 0)
		rc = sql_exec(p->db, ids, err);
	free(ids);
	if (rc < 0)
		return -1;
	if (sqlite3_close(p->db) != SQLITE_OK)
		return sql_error(p->db, err);
	p->db = NULL;
	return 0;
}

static int sync_folder(const char *folder, struct err *err)
{
	int fd = open(*folder ? folder : ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	int rc = 0;

	/* A folder that may be written and not read, or has no fsync, is no failure. */
	if (fd >= 0 && fsync(fd) < 0 && errno != EINVAL)
		rc = err_set(err, ERR_IO,
			     "the new store is in place, but a power cut may undo it: "
			     "cannot sync its folder: %s",
			     strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int replace(struct publish *p, struct err *err)
{
	struct stat old;

	if (p->old_fd >= 0 &&
	    (fstat(p->old_fd, &old) < 0 || fchmod(p->temp_fd, old.st_mode & 0777) < 0))
		return output_errno(err, p->temp_path);
	if (flush_file(p->temp_fd) < 0)
		return output_errno(err, p->temp_path);
	char *folder = beside_folder(
		p->path); /* while running out of memory leaves the old store */
	int rc = rename(p->temp_path, p->path);
	if (rc < 0) {
		output_errno(err, p->path);
	} else {
		free(p->temp_path);
		p->temp_path = NULL;
		rc = sync_folder(folder, err);
	}
	free(folder);
	return rc;
}

int publish_commit(struct publish *p, struct err *err)
{
	int rc = p->db ? seal(p, err) : 0;

	if (rc == 0)
		rc = replace(p, err);
	publish_abort(p);
	return rc;
}

void publish_abort(struct publish *p)
{
	if (!p)
		return;
	sqlite3_close_v2(p->db); /* its statements may still be finalized later */
	if (p->temp_path)
		unlink(p->temp_path);
	if (p->temp_fd >= 0)
		close(p->temp_fd);
	if (p->old_fd >= 0)
		close(p->old_fd);
	lockfile_release(&p->lock);
	free(p->temp_path);
	free(p->path);
	free(p);
}
