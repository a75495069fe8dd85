/*
 * Options as data: one row says what an option is called, what it takes, where
 * its value lands and what it is for.  Parsing, --help, completions and the
 * man fragment all read the same rows.
 *
 * Accepted: --name value, --name=value, -n value, -nvalue, flags in one word
 * (-fq), options and operands in any order; -- ends the options, and a lone -
 * is an operand.  Names are never abbreviated; the last of several wins.  Where a row
 * of operands says so, -- ends nothing but stands between two parts of them.
 */
#ifndef PTOOL_CLI_OPT_H
#define PTOOL_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* What an option takes, and the C type of the member at its offset. */
enum opt_type {
	OPT_FLAG,    /* bool; takes no value */
	OPT_UINT,    /* int64_t, 0 or more */
	OPT_INT,     /* int64_t */
	OPT_STRING,  /* const char *, NULL when not given */
	OPT_CHOICE,  /* const char *, one of the row's choices */
	OPT_STRINGS, /* struct opt_strings; may be given again and again */
	OPT_SEQUENCE, /* struct opt_sequence, which several rows may share; repeated likewise */
	OPT_ARG, /* operand: const char *, NULL when not given */
	OPT_ARGS /* the operands that are left: struct opt_args */
};

#define OPT_STRINGS_MAX 64
/* A value that asks for the list of values. */
#define OPT_LISTS "help"

/* The texts are argv's. */
struct opt_strings {
	const char *items[OPT_STRINGS_MAX];
	size_t n;
};

/* A part of argv, which opt_parse reorders to bring the operands together. */
struct opt_args {
	char **items;
	size_t n;
	size_t nbefore; /* of them before a lone "--"; n without one */
};

struct opt {
	const char *name; /* "limit"; of an operand a word for messages: "store" */
	const char *arg;  /* "ROWS"; of an operand what usage shows: "STORE|FILE" */
	const char *help; /* one lower-case line without a full stop */
	/* CHOICE, or STRINGS or an ARG that are checked: a NULL-terminated list ... */
	const char *const *choices;
	/* ... or a table that lives elsewhere: the name of row i, NULL at the end. */
	const char *(*choice_at)(size_t i);
	/* ... or words of what `of` points to, in the same way. */
	const char *(*choice_of)(const void *of, size_t i);
	/*
	 * Without choices, words worth completing; others may be given.  NULL: none.
	 * Where OPT_LISTS is one of them, a command line with it needs no operands.
	 */
	const char *(*value_at)(size_t i);
	const char *(*value_of)(const void *of, size_t i);
	const void *of;
	size_t offset; /* of the member in the group's struct */
	enum opt_type type;
	char short_name; /* 'n', or 0 */
	bool required;   /* operands only */
	bool is_divided; /* of ARGS: "--" behind one stands between two parts */
	/*
	 * Of STRINGS: a value is words joined by commas.  Choices are then checked word
	 * by word, up to a ':', and the command cuts the value up.
	 */
	bool is_list;
	/* Of STRING and STRINGS: files that are read, as all operands, or written. */
	bool is_read, is_written;
};

/* Values of several options in the order in which they were given. */
struct opt_sequence {
	struct {
		const struct opt *opt;
		const char *text; /* argv's */
	} items[OPT_STRINGS_MAX];
	size_t n;
};

/* What the type says of its member: see enum opt_type. */
#define OPT_MEMBER_FLAG     bool
#define OPT_MEMBER_UINT     int64_t
#define OPT_MEMBER_INT      int64_t
#define OPT_MEMBER_STRING   const char *
#define OPT_MEMBER_CHOICE   const char *
#define OPT_MEMBER_STRINGS  struct opt_strings
#define OPT_MEMBER_SEQUENCE struct opt_sequence
#define OPT_MEMBER_ARG      const char *
#define OPT_MEMBER_ARGS     struct opt_args

/* clang-format off */
/* The offset of a member; one of another type than the option writes does not compile. */
#define OPT_OFFSET(kind, into, member) \
	(offsetof(into, member) + \
	 0 * _Generic(((into *)NULL)->member, OPT_MEMBER_##kind: (size_t)1))
/* Where a value lands and what it is, in a row: OPT_INTO(FLAG, struct top_opts, tree). */
#define OPT_INTO(kind, into, member) \
	.offset = OPT_OFFSET(kind, into, member), .type = OPT_##kind
/* Ends a table of options. */
#define OPT_END { .name = NULL }
/* Ends a list of groups. */
#define OPT_GROUP_END { .opts = NULL }
/* clang-format on */

/*
 * Options that stand together in the help and land in one struct, which is a
 * member of the command's own options struct (or the whole of it: offset 0).
 */
struct opt_group {
	const char *title;      /* "Output"; NULL: "Options" */
	const struct opt *opts; /* until OPT_END */
	size_t offset;          /* of the group's struct in the command's */
	bool is_shared;         /* many commands have it: help shows examples before it */
};

enum opt_result { OPT_ERROR = -1, OPT_PARSED = 0, OPT_HELP = 1 };

/*
 * Fills the options struct, which holds the defaults, from argv[0..argc) (the
 * command's name is not among them).  OPT_HELP when -h or --help was met;
 * OPT_ERROR with err set: an unknown name is told with the nearest one and the
 * valid ones.
 */
enum opt_result opt_parse(const struct opt_group *groups, int argc, char **argv,
			  void *options, struct err *err);

bool opt_is_operand(const struct opt *opt);
/* May it be given again and again, each time with one value more? */
bool opt_repeats(const struct opt *opt);
/* Choice i of a row, from its list or its table; NULL at the end. */
const char *opt_choice(const struct opt *opt, size_t i);
/* What completion offers: the choices, or else the values; NULL at the end. */
const char *opt_value(const struct opt *opt, size_t i);
/* The place of a word in a NULL-terminated list of choices; their number: it is none. */
size_t opt_choice_place(const char *const *choices, const char *word);

/* Bytes of a --memory-limit: 0 when it was not given; ERR_USAGE when it is no size. */
int opt_memory_limit(const char *text, int64_t *bytes, struct err *err);

/* All rows of all groups in order: for (it = opt_first(g); it.opt; opt_next(&it)). */
struct opt_iter {
	const struct opt_group *group;
	const struct opt *opt; /* NULL at the end */
};
struct opt_iter opt_first(const struct opt_group *groups);
void opt_next(struct opt_iter *it);
/* The option of that long name, no operand; its opt is NULL where there is none. */
struct opt_iter opt_find(const struct opt_group *groups, struct str name);

#endif
