/*
 * An import that goes on: what the files of import.h's implementation share.
 * import.c drives, import_file.c stores one input; at the end import_folder.c finds
 * spans and ranks of what lies in folders and archives, import_axes.c axes.  Files may
 * have been read before their turn: ahead.h.
 *
 * Their functions return 0, or -1 with err set when nothing can be stored: the
 * database or the user said no.  What became of each file they note.
 */
#ifndef PTOOL_STORE_IMPORTING_H
#define PTOOL_STORE_IMPORTING_H

#include "base/input.h"
#include "base/intern.h"
#include "base/walk.h"
#include "ingest/file_name.h"
#include "store/import.h"

struct expand;
struct spill;
struct sqlite3;
struct ahead;

enum import_end { IMPORT_REFUSED, IMPORT_PASSED, IMPORT_STORED };

/* Told when it is certain that the store is written. */
struct outcome {
	enum import_end end;
	char *path; /* owned */
	struct import_file file;
	struct err *err; /* owned; why it was not stored, else NULL */
};

/* A file to be read. */
struct import_source {
	const char *shown;          /* as messages call it */
	const char *path;           /* as the store calls it */
	bool is_found;              /* in a folder or archive: it need not be a trace */
	struct report_place report; /* read_options' */
	size_t part_bytes; /* of a report among others in a text, which may be empty; 0: none */
};

/* What the user named. */
struct import_operand {
	const char *path;
	char *resolved;           /* owned */
	bool is_folder, is_again; /* again: named before */
	struct stat st;           /* st_mode 0: nothing is known of it */
	struct walk walk;         /* of a folder */
	struct err err;           /* why it could not be listed */
};

/* A profile that is stored. */
struct import_profile {
	int64_t id;
	char *shown, *path;    /* owned */
	struct file_name name; /* borrows from `shown` */
	int64_t rank;          /* or NUMBER_NONE */
	struct axes axes;      /* as they are stored */
	bool is_alone;         /* the only rank, as it says */
};

/* What was printed of a profile, until it is known whether that lies beside it. */
struct print {
	char *shown, *path;  /* owned */
	unsigned char *text; /* in the spill */
	size_t n;
	int64_t mtime_ns;
};

struct importing {
	const struct import_options *options;
	const struct import_events *events;
	struct import_result *result;
	struct import_operand *operands;
	size_t noperands;
	struct outcome *outcomes; /* the first IMPORT_PASSED_TOLD of those passed over */
	size_t noutcomes, outcomes_cap;
	struct err first_err; /* of those refused */
	struct import_profile *profiles;
	size_t nprofiles, profiles_cap;
	struct intern seen; /* (device, inode) of the files that were read */
	bool *is_trace;     /* owned; of each of them: it was one, if a bad one */
	size_t is_trace_cap;
	size_t nrepeated;     /* traces that were met again */
	struct print *prints; /* owned; of the operand */
	size_t nprints, prints_cap;
	bool has_only_prints;   /* the operand: they are read now */
	bool is_lost;           /* nothing will be stored, and that is told */
	uint64_t beyond;        /* bytes of all files beyond what they may expand to */
	bool is_collection;     /* an operand was a folder or an archive */
	uint64_t total, before; /* bytes of all files (0: unknown), of those done */
	int64_t noted_ns;       /* when a file was noted last */
	uint64_t told;          /* the progress: it never goes back */
	struct ahead *ahead;    /* owned; reads files before their turn, or NULL */
	const char
		*file; /* borrowed; that is read now; NULL: no regular one, or a print */
	int64_t file_ns; /* when it was changed last, before it was opened; NUMBER_NONE */
	const struct input *archive; /* that the input is a member of, or NULL */
	struct expand *expand;       /* of that archive, or NULL */
	struct sqlite3 *db;
	struct spill *spill; /* of the records */
	struct intern texts;
	size_t known_texts;
	int64_t run_id;
};

/* Notes what became of a file; err is why it was not stored. */
void import_note(struct importing *i, enum import_end end, const struct import_file *file,
		 const struct err *err);
/* Those stored, refused, met again, or printed. */
size_t import_count_traces(const struct importing *i);
/*
 * Nothing is stored: all expands to too much, or with --strict when one was refused.
 * Why read on?
 */
bool import_is_lost(const struct importing *i);
/* Tells the progress: bytes of the input that is being read beside those ahead. */
int import_tell(struct importing *i, uint64_t consumed, struct err *err);
/* For input_set_stop() and walk_folder(): asks whether the user wants to stop. */
int import_wait(void *to, struct err *err);

/* What a file, or a member of an archive, may expand to: nothing is read of it yet. */
struct expand import_expand(const struct import_options *options, struct expand *archive);

struct load_source;
struct loader;
struct reading;
/* import_file.c: for readers, of an input of this import. */
int import_progress(void *to, uint64_t consumed, uint64_t size, struct err *err);
/* import_file.c: writes a profile, whose loader is settled, and notes it. */
int import_store(struct importing *i, const struct import_source *source,
		 struct loader *loader, struct load_source *about, struct err *err);
/*
 * import_split.c: reads a file again that holds several ranks, and stores each as a file in
 * a folder of its name.
 */
int import_split(struct importing *i, const struct import_source *source,
		 const struct reading *reading, const struct load_source *about,
		 struct err *err);
/* import_file.c: one input, which is no archive: each report that it holds. */
int import_input(struct importing *i, const struct import_source *source,
		 struct input *in, struct err *err);
/* Behind all of an operand: its prints, unless `stored` has grown since. */
int import_prints(struct importing *i, size_t stored_before, struct err *err);
/* A file or an archive that was named or found. */
int import_path(struct importing *i, const struct import_source *source, struct err *err);

/* import_file.c: the regular files among what the user named, read by several threads. */
struct ahead *import_ahead(const struct importing *i);

/* import_folder.c: what lies in them. */
int import_folder(struct importing *i, const struct import_operand *folder,
		  struct err *err);
int import_archive(struct importing *i, const struct import_source *source,
		   struct input *in, struct expand *expand, struct err *err);

/* import_folder.c: spans, and ranks by axes or order. */
int import_place(struct importing *i, struct err *err);
/*
 * import_axes.c: stores the axes that only all names together tell, and numbers ranks by
 * axes where nothing else does.  1: it did; 0: axes tell no rank.
 */
int import_place_axes(struct importing *i, struct err *err);
/* Sets a column of a profile by one of statements.sql: set_span, set_rank_by_order or _by_axes. */
int import_set_number(struct importing *i, const char *statement, int64_t profile_id,
		      int64_t value, struct err *err);

#endif
