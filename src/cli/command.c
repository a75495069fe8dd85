/* Commands: finding one, and its options. See command.h. */
#include "cli/command.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/message.h"
#include "cli/operand.h"

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

/* "-" is what standard input comes from. */
static bool is_same_file(const char *read, const char *written)
{
	struct stat x, y;
	int rc = strcmp(read, "-") == 0 ? fstat(STDIN_FILENO, &x) : stat(read, &x);

	return rc == 0 && stat(written, &y) == 0 && S_ISREG(x.st_mode) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* One file, or those of a pattern. */
static bool names_file(const char *value, const char *written)
{
	glob_t found = { 0 };
	bool does = is_same_file(value, written);

	if (!does && value[strcspn(value, "*?[")] && glob(value, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && !does; i++)
			does = is_same_file(found.gl_pathv[i], written);
	globfree(&found);
	return does;
}

struct values {
	const char *const *items;
	size_t n;
};

/* Of a row that names files; `only` has room for one.  Without an operand it is the store. */
static struct values values_of(const struct opt *opt, const void *member,
			       const char **only)
{
	const struct opt_args *args = member;
	const struct opt_strings *strings = member;

	if (opt->type == OPT_ARGS && args->n)
		return (struct values){ (const char *const *)args->items, args->n };
	if (opt->type == OPT_STRINGS)
		return (struct values){ strings->items, strings->n };
	*only = opt->type == OPT_ARGS ? NULL : *(const char *const *)member;
	if (!*only && !opt->is_read && !opt->required && strstr(opt->arg, "STORE"))
		*only = operand_default_store();
	return (struct values){ only, *only != NULL };
}

/* What the iterator is at lands there. */
static const void *member_of(const struct opt_iter *it, const void *options)
{
	return (const char *)options + it->group->offset + it->opt->offset;
}

static bool is_read(const struct command *self, const void *options, const char *path)
{
	for (struct opt_iter it = opt_first(self->groups); it.opt; opt_next(&it)) {
		const char *only;
		if (!it.opt->is_read && it.opt->type != OPT_ARG &&
		    it.opt->type != OPT_ARGS)
			continue;
		struct values values = values_of(it.opt, member_of(&it, options), &only);
		for (size_t i = 0; i < values.n; i++)
			if (names_file(values.items[i], path))
				return true;
	}
	return false;
}

/* What is read would be gone.  A store that is made of others is no such file. */
static int check_written(const struct command *self, const void *options, struct err *err)
{
	for (struct opt_iter it = opt_first(self->groups); it.opt; opt_next(&it)) {
		if (!it.opt->is_written)
			continue;
		const char *path = *(const char *const *)member_of(&it, options);
		if (path && strcmp(path, "-") != 0 && is_read(self, options, path))
			return err_set(
				err, ERR_USAGE,
				"'%s' is what is read: %s%s writes to another file", path,
				it.opt->short_name ? "-" : "--",
				it.opt->short_name ? "o" : it.opt->name);
	}
	return 0;
}

bool command_parse(const struct command *self, int argc, char **argv, void *options,
		   int *code)
{
	struct err err = ERR_INIT;

	if (self->options_size > 0)
		memcpy(options, self->defaults, self->options_size);
	switch (opt_parse(self->groups, argc, argv, options, &err)) {
	case OPT_PARSED:
		if (check_written(self, options, &err) == 0)
			return true;
		break;
	case OPT_HELP:
		help_command(self, stdout);
		*code = EXIT_OK;
		return false;
	case OPT_ERROR:
		break;
	}
	*code = message_error(self->name, NULL, &err);
	return false;
}

void command_default(const struct command *command, struct opt_iter row, struct buf *out)
{
	const char *base = command->defaults;
	int64_t number;

	/* --help is every command's and lands in nobody's struct */
	if (!base || row.opt->type == OPT_FLAG)
		return;
	const void *member = base + row.group->offset + row.opt->offset;
	switch (row.opt->type) {
	case OPT_UINT:
	case OPT_INT:
		number = *(const int64_t *)member;
		if (number < 0) /* as view_options.h has it */
			buf_addf(out, "%" PRId64 " in people's tables, else all",
				 -number);
		else if (number)
			buf_addf(out, "%" PRId64, number);
		break;
	case OPT_STRING:
	case OPT_CHOICE:
		if (*(const char *const *)member)
			buf_add_text(out, *(const char *const *)member);
		break;
	case OPT_FLAG:
	case OPT_STRINGS:
	case OPT_SEQUENCE:
	case OPT_ARG:
	case OPT_ARGS:
		break;
	}
}
