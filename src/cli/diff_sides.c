/* The sides of ptool diff: see diff_sides.h. */
#include "cli/diff_sides.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "cli/baseline.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/scope_options.h"
#include "store/need.h"

struct diff_input {
	struct diff_input *next; /* owned */
	struct operand operand;
	struct scope scope;
	bool has_scope;
	enum diff_which which;
	const char *run; /* borrowed; NULL: the newest */
	struct stat file;
	bool has_file;
};

struct diff_inputs {
	struct diff_input *first; /* owned */
	struct arena arena;       /* paths that patterns gave */
};

struct opening {
	const char *command;
	const struct diff_side_opts *o;
	struct diff_sides *out;
	size_t cap[NDIFF_SIDES];
	const char **culprit;
};

static bool has_patterns(const struct diff_side_opts *o)
{
	return o->base.n || o->new_side.n;
}

/* Two runs of one store, or of the default one. */
static bool is_one_store(const struct diff_side_opts *o)
{
	return o->runs.n > 1 && o->operands.n <= 1 && !has_patterns(o);
}

static bool has_dashes(const struct diff_side_opts *o)
{
	return o->operands.nbefore > 0 && o->operands.nbefore < o->operands.n;
}

static int check_aa(const struct diff_side_opts *o, struct err *err)
{
	if (o->new_side.n || has_dashes(o))
		return err_set(err, ERR_USAGE,
			       "--aa takes one side only: runs of one program");
	if (!is_one_store(o) && o->runs.n > 1)
		return err_set(err, ERR_USAGE,
			       "--run several times names runs of one store");
	return 0;
}

int diff_sides_check(const struct diff_side_opts *o, struct err *err)
{
	const struct scope_opts scope = { .rank = o->rank };

	if (scope_options_check(&scope, err) < 0)
		return -1;
	if (has_patterns(o) && o->operands.n)
		return err_set(err, ERR_USAGE,
			       "give files, or --base and --new, but not both");
	if (o->aa)
		return check_aa(o, err);
	if (o->runs.n > 2)
		return err_set(err, ERR_USAGE, "--run is given more than twice");
	if (is_one_store(o))
		return 0;
	if (has_patterns(o))
		return o->base.n && o->new_side.n
			       ? 0
			       : err_set(err, ERR_USAGE, "--%s is missing",
					 o->base.n ? "new" : "base");
	if (o->operands.n < 2)
		return err_set(
			err, ERR_USAGE,
			"wants two sides: BASE NEW, or --run A --run B of one store");
	if (o->operands.n > 2 && !has_dashes(o))
		return err_set(err, ERR_USAGE,
			       "say where the new side begins: BASE ... -- NEW ...");
	return 0;
}

/* Is it on the side already?  A run that counts twice is no second measurement. */
static bool is_repeated(const struct diff_input *input)
{
	for (const struct diff_input *i = input->next; i; i = i->next)
		if (i->which == input->which && i->has_file && input->has_file &&
		    i->file.st_dev == input->file.st_dev &&
		    i->file.st_ino == input->file.st_ino &&
		    strcmp(i->run ? i->run : "", input->run ? input->run : "") == 0)
			return true;
	return false;
}

/* Where nobody said which run of several is meant, a person is told which it is. */
static int tell_newest(const struct opening *opening, const struct operand *operand,
		       struct err *err)
{
	const char *const *names;
	size_t n = 0;

	if (opening->o->is_quiet || opening->o->is_again)
		return 0;
	if (scope_run_names(operand->store, &opening->out->inputs->arena, &names, err) <
	    0)
		return -1;
	while (names[n])
		n++;
	if (n > 1)
		message_note(opening->command, operand->path,
			     "the newest of its %zu runs is taken, '%s'; --run names "
			     "others",
			     n, names[0]);
	return 0;
}

/* Opens one operand with its profiles, as a run of the side. */
static int add_input(struct opening *opening, enum diff_which which, const char *path,
		     const char *run, struct err *err)
{
	struct diff_sides *out = opening->out;
	struct diff_inputs *inputs = out->inputs;
	const struct scope_opts scope = { .run = run,
					  .rank = opening->o->rank,
					  .profile = opening->o->profile };
	struct diff_input *input = xcalloc(1, sizeof(*input));

	input->next = inputs->first;
	inputs->first = input;
	input->which = which;
	input->run = run;
	input->has_file = stat(operand_name(path), &input->file) == 0;
	if (is_repeated(input)) {
		if (!opening->o->is_again)
			message_note(opening->command, operand_name(path),
				     "given twice on one side; it is read only once");
		return 0;
	}
	*opening->culprit = operand_name(path);
	const struct operand_wish wish = { .command = opening->command,
					   .path = path,
					   .scope = &scope,
					   .is_quiet = opening->o->is_quiet,
					   .is_again = opening->o->is_again,
					   .need = opening->o->need,
					   .wants_slices = opening->o->wants_slices };
	if (operand_open_for(&wish, &input->operand, err) < 0 ||
	    scope_options_load(input->operand.store, &scope, &input->scope, err) < 0)
		return -1;
	input->has_scope = true;
	if (!run && tell_newest(opening, &input->operand, err) < 0)
		return -1;
	*opening->culprit = NULL;
	*ARRAY_PUSH(out->runs[which], out->n[which], opening->cap[which]) =
		(struct diff_run){
			.store = input->operand.store,
			.scope = &input->scope,
			.name = run ? run : input->operand.path,
		};
	return 0;
}

/* An operand: a store, a raw file, or all runs of a baseline. */
static int add_operand(struct opening *opening, enum diff_which which, const char *path,
		       const char *run, struct err *err)
{
	const char *name = path ? baseline_of_operand(path) : NULL;
	const char *directory = baseline_directory(opening->o->baselines);
	struct baseline baseline;

	if (!name)
		return add_input(opening, which, path, run, err);
	if (baseline_find(directory, name, &opening->out->inputs->arena, &baseline, err) <
	    0)
		return -1;
	for (size_t i = 0; i < baseline.n; i++)
		if (add_input(opening, which, baseline.paths[i], run, err) < 0)
			return -1;
	return 0;
}

/* The files of a pattern, sorted; a path without any magic is itself. */
static int add_pattern(struct opening *opening, enum diff_which which,
		       const char *pattern, const char *run, struct err *err)
{
	glob_t found = { 0 };
	int rc = 0;

	/* GLOB_NOMAGIC is glibc's alone */
	if (baseline_of_operand(pattern) || !pattern[strcspn(pattern, "*?[")])
		return add_operand(opening, which, pattern, run, err);
	switch (glob(pattern, 0, NULL, &found)) {
	case 0:
		break;
	case GLOB_NOMATCH:
		*opening->culprit = pattern;
		return err_set(err, ERR_INPUT, "no file matches");
	default:
		*opening->culprit = pattern;
		return err_set(err, ERR_IO, "the pattern cannot be read");
	}
	for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
		rc = add_input(
			opening, which,
			arena_strdup(&opening->out->inputs->arena, found.gl_pathv[i]),
			run, err);
	globfree(&found);
	return rc;
}

static const char *run_of_side(const struct diff_side_opts *o, enum diff_which which)
{
	if (o->runs.n == 0)
		return NULL;
	return o->runs.items[o->runs.n > 1 ? which : 0];
}

static int add_runs_of_store(struct opening *opening, struct err *err)
{
	const struct diff_side_opts *o = opening->o;
	const char *path = o->operands.n ? o->operands.items[0] : NULL;

	for (size_t i = 0; i < o->runs.n; i++)
		if (add_input(opening, i && !o->aa ? DIFF_NEW : DIFF_BASE, path,
			      o->runs.items[i], err) < 0)
			return -1;
	return 0;
}

static int add_patterns(struct opening *opening, enum diff_which which,
			const struct opt_strings *patterns, struct err *err)
{
	const char *run = run_of_side(opening->o, which);

	for (size_t i = 0; i < patterns->n; i++)
		if (add_pattern(opening, which, patterns->items[i], run, err) < 0)
			return -1;
	return 0;
}

static int add_operands(struct opening *opening, struct err *err)
{
	const struct diff_side_opts *o = opening->o;
	size_t nbase = has_dashes(o) ? o->operands.nbefore : 1;

	if (o->aa && o->operands.n == 0)
		return add_input(opening, DIFF_BASE, NULL, run_of_side(o, DIFF_BASE),
				 err);
	for (size_t i = 0; i < o->operands.n; i++) {
		enum diff_which which = i < nbase || o->aa ? DIFF_BASE : DIFF_NEW;
		if (add_operand(opening, which, o->operands.items[i],
				run_of_side(o, which), err) < 0)
			return -1;
	}
	return 0;
}

int diff_sides_open(const char *command, const struct diff_side_opts *o,
		    struct diff_sides *out, const char **culprit, struct err *err)
{
	struct opening opening = {
		.command = command, .o = o, .out = out, .culprit = culprit
	};

	*out = (struct diff_sides){ .inputs = xcalloc(1, sizeof(struct diff_inputs)) };
	*culprit = NULL;
	if (is_one_store(o))
		return add_runs_of_store(&opening, err);
	if (!has_patterns(o))
		return add_operands(&opening, err);
	if (add_patterns(&opening, DIFF_BASE, &o->base, err) < 0)
		return -1;
	return add_patterns(&opening, DIFF_NEW, &o->new_side, err);
}

void diff_sides_explain(const struct diff_sides *sides, struct err *err)
{
	const struct diff_input *input = sides->inputs ? sides->inputs->first : NULL;

	for (; input; input = input->next)
		if (input->operand.store)
			operand_explain(&input->operand, err);
}

bool diff_sides_widen(const struct diff_sides *sides, struct diff_side_opts *o)
{
	static const struct fetch_need everything;
	const struct diff_input *input = sides->inputs ? sides->inputs->first : NULL;
	bool missed_slices = false, missed_others = false;

	for (; input; input = input->next) {
		missed_slices |= operand_missed_slices(&input->operand);
		missed_others |=
			input->operand.store && store_missed_others(input->operand.store);
	}
	o->is_again = true;
	if (missed_slices && !o->wants_slices)
		return o->wants_slices = true;
	if (!missed_others || o->need == &everything)
		return false;
	o->need = &everything;
	return true;
}

void diff_sides_close(struct diff_sides *sides)
{
	struct diff_inputs *inputs = sides->inputs;

	while (inputs && inputs->first) {
		struct diff_input *input = inputs->first;
		inputs->first = input->next;
		if (input->has_scope)
			scope_release(&input->scope);
		if (input->operand.store)
			operand_close(&input->operand);
		free(input);
	}
	if (inputs)
		arena_release(&inputs->arena);
	free(inputs);
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		free(sides->runs[i]);
	*sides = (struct diff_sides){ .inputs = NULL };
}
