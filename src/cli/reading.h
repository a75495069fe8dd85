/*
 * What reading commands do alike: open the operand, find the profiles, make a
 * table, draw it, tell what went wrong.
 */
#ifndef PTOOL_CLI_READING_H
#define PTOOL_CLI_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/table.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/scope_options.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

/* The operand STORE|FILE: a const char * at `member`, NULL when not given. */
/* clang-format off */
#define OPERAND_GROUP(type, member) { "Operands", reading_operand, offsetof(type, member), false }
/* clang-format on */
extern const struct opt reading_operand[];

/* What a command makes its table from; all borrowed. */
struct reading {
	struct store *store;
	const char *path; /* what the user calls it */
	const struct scope *scope;
	bool for_people;     /* a table that people read */
	const void *options; /* the command's */
};

struct reading_plan {
	const char *command;
	const char *operand; /* NULL: the default store */
	const struct scope_opts *scope;
	const struct output_opts *output;
	bool all_runs; /* without --run: those of every run, not of the newest */
	/* *out is freed by who asked; 0, or -1 with err set. */
	int (*open)(const struct reading *r, void *request, struct table **out,
		    struct err *err);
	const void *options;
	const struct fetch_need *need; /* of a database; NULL: what the command reads */
	void *request;                 /* for open() */
	const struct filter *filter;   /* what it read by; NULL: the command has none */
	const char *
		nothing; /* said, with exit 3, when no row came; NULL: that is an answer */
	const char *lacks; /* said to be lacking where no filter was given; or NULL */
};

/* All of it; returns the exit code. */
int reading_run(const struct reading_plan *plan);

/* Who gets the table where no output does. */
struct reading_taker {
	const struct operand *operand; /* open already: the plan's is only its name */
	/* Pulls every row: 0, or -1 with err set. */
	int (*take)(const struct reading_taker *taker, struct table *t, struct err *err);
};
/* The same as reading_run(), for it; 0, or -1 with err set.  No message is printed. */
int reading_take(const struct reading_plan *plan, const struct reading_taker *taker,
		 struct err *err);

/* Will these options draw a table for people?  False also when they are wrong. */
bool reading_is_for_people(const struct output_opts *o);

#endif
