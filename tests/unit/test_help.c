/* Help, manual page and completions: all say what the tables say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/mdoc.h"
#include <cmocka.h>

struct fetch_opts {
	int64_t limit, min_ns;
	const char *sort, *where;
	struct opt_strings labels;
	struct opt_args files;
	bool quiet;
};

static const char *const sort_keys[] = { "self",        "total",        "calls",
					 "device_self", "device_total", "peak_bytes",
					 NULL };
static const struct fetch_opts defaults = { .limit = 20, .sort = "self" };

/* clang-format off */
static const struct opt options[] = {
	{ .name = "files", .arg = "FILE", .help = "what to read", .type = OPT_ARGS,
	  .required = true, .offset = offsetof(struct fetch_opts, files) },
	{ .name = "limit", .arg = "ROWS", .help = "rows to show, 0 for all", .short_name = 'n',
	  .type = OPT_UINT, .offset = offsetof(struct fetch_opts, limit) },
	{ .name = "min-dur", .arg = "NS", .help = "leave out what is shorter", .type = OPT_UINT,
	  .offset = offsetof(struct fetch_opts, min_ns) },
	{ .name = "sort", .arg = "KEY", .help = "largest first", .choices = sort_keys,
	  .type = OPT_CHOICE, .offset = offsetof(struct fetch_opts, sort) },
	{ .name = "where-in-the-program", .arg = "EXPRESSION", .help = "only there",
	  .type = OPT_STRING, .offset = offsetof(struct fetch_opts, where) },
	{ .name = "label", .arg = "KEY=VALUE", .help = "name what it's for",
	  .type = OPT_STRINGS, .offset = offsetof(struct fetch_opts, labels) },
	OPT_END
};
static const struct opt more[] = {
	{ .name = "quiet", .help = "say nothing", .short_name = 'q', .type = OPT_FLAG,
	  .offset = offsetof(struct fetch_opts, quiet) },
	OPT_END
};
/* clang-format on */
static const struct opt_group groups[] = { { NULL, options, 0, false },
					   { "More", more, 0, true },
					   OPT_GROUP_END };
static const char *const examples[] = { "ptool fetch --limit 3 a.json", NULL };
static const struct command_exit exits[] = { { EXIT_OK, "all is fetched" },
					     { EXIT_INTERRUPT, "interrupted" },
					     EXITS_END };
static const struct command fetch = {
	.name = "fetch",
	.summary = "Fetch what is there",
	.groups = groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
};

/* What a printer prints; valid until the next call. */
static char printed[256 * 1024];

#define PRINTED(call)                                                \
	do {                                                         \
		FILE *out = fmemopen(printed, sizeof(printed), "w"); \
		assert_non_null(out);                                \
		call;                                                \
		fclose(out);                                         \
	} while (0)

static void assert_printed(const char *part)
{
	if (!strstr(printed, part))
		fail_msg("'%s' is not in:\n%s", part, printed);
}

static void help_shows_usage_options_defaults_and_examples(void **state)
{
	static const char expected[] =
		"usage: ptool fetch [options] FILE...\n"
		"\n"
		"Fetch what is there.\n"
		"\n"
		"Options:\n"
		"  FILE                    what to read\n"
		"  -n, --limit ROWS        rows to show, 0 for all (default 20)\n"
		"      --min-dur NS        leave out what is shorter\n"
		"      --sort KEY          largest first: self, total, calls, device_self,\n"
		"                          device_total, peak_bytes (default self)\n"
		"      --where-in-the-program EXPRESSION\n"
		"                          only there\n"
		"      --label KEY=VALUE   name what it's for; may be repeated\n"
		"\n"
		"Examples:\n"
		"  ptool fetch --limit 3 a.json\n"
		"\n"
		"More:\n"
		"  -q, --quiet             say nothing\n"
		"  -h, --help              show this help\n"
		"\n"
		"Exit status:\n"
		"  0    all is fetched\n"
		"  130  interrupted\n";

	(void)state;
	PRINTED(help_command(&fetch, out));
	assert_memory_equal(expected, printed, sizeof(expected) - 1);
}

static void assert_fits_80_columns(void)
{
	for (const char *line = printed; *line;) {
		size_t n = strcspn(line, "\n");
		if (n >= 80)
			fail_msg("%zu columns: %.*s", n, (int)n, line);
		line += n + (line[n] ? 1 : 0);
	}
}

static void help_of_every_command_fits_80_columns(void **state)
{
	(void)state;
	PRINTED(help_overview(out));
	assert_fits_80_columns();
	for (size_t i = 0; commands[i]; i++) {
		PRINTED(help_command(commands[i], out));
		assert_fits_80_columns();
	}
}

static void the_overview_names_every_command(void **state)
{
	(void)state;
	PRINTED(help_overview(out));
	for (size_t i = 0; commands[i]; i++) {
		assert_printed(commands[i]->name);
		assert_ptr_equal(commands[i], command_find(commands[i]->name));
	}
	assert_null(command_find("no-such-command"));
}

static void mdoc_has_the_same_rows(void **state)
{
	(void)state;
	PRINTED(mdoc_command(&fetch, out));
	assert_printed(".Sh SYNOPSIS\n.Nm ptool fetch\n.Op Ar options\n.Ar FILE ...\n");
	assert_printed(".It Fl n , Fl -limit Ar ROWS\nRows to show, 0 for all.\n"
		       "The default is\n.Cm 20 .\n");
	assert_printed(
		".It Fl -sort Ar KEY\nLargest first.\nOne of\n.Cm self ,\n.Cm total ,\n");
	assert_printed(
		".It Fl -label Ar KEY=VALUE\nName what it's for.\nMay be repeated.\n");
	assert_printed(".It Fl q , Fl -quiet\nSay nothing.\n");
	assert_printed(".It Fl h , Fl -help\n");
	assert_printed(".It 130\nInterrupted.\n");
}

/* Every command, long option and choice must be somewhere in the script. */
static void assert_complete(const char *dashes)
{
	char text[256];
	const char *choice;

	for (size_t i = 0; commands[i]; i++) {
		assert_printed(commands[i]->name);
		for (struct opt_iter it = opt_first(commands[i]->groups); it.opt;
		     opt_next(&it)) {
			for (size_t j = 0; (choice = opt_choice(it.opt, j)) != NULL; j++)
				assert_printed(choice);
			if (opt_is_operand(it.opt))
				continue;
			snprintf(text, sizeof(text), "%s%s", dashes, it.opt->name);
			assert_printed(text);
		}
	}
}

static void completions_know_every_command_option_and_choice(void **state)
{
	(void)state;
	PRINTED(complete_bash(out));
	assert_complete("--");
	PRINTED(complete_zsh(out));
	assert_complete("--");
	PRINTED(complete_fish(out));
	assert_complete("-l ");
}

static void every_command_is_described_in_the_same_way(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		const char *summary = commands[i]->summary;
		assert_in_range(summary[0], 'A', 'Z');
		assert_int_not_equal('.', summary[strlen(summary) - 1]);
		for (struct opt_iter it = opt_first(commands[i]->groups); it.opt;
		     opt_next(&it)) {
			assert_non_null(it.opt->help);
			assert_int_not_equal('.', it.opt->help[strlen(it.opt->help) - 1]);
			if (it.opt->type != OPT_FLAG)
				assert_non_null(it.opt->arg);
		}
	}
}

/* Two options of one command that share a name would hide each other. */
static void no_command_has_a_name_twice(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		for (struct opt_iter a = opt_first(commands[i]->groups); a.opt;
		     opt_next(&a)) {
			struct opt_iter b = a;
			for (opt_next(&b); b.opt; opt_next(&b)) {
				assert_string_not_equal(a.opt->name, b.opt->name);
				if (a.opt->short_name)
					assert_int_not_equal(a.opt->short_name,
							     b.opt->short_name);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_shows_usage_options_defaults_and_examples),
		cmocka_unit_test(help_of_every_command_fits_80_columns),
		cmocka_unit_test(the_overview_names_every_command),
		cmocka_unit_test(mdoc_has_the_same_rows),
		cmocka_unit_test(completions_know_every_command_option_and_choice),
		cmocka_unit_test(every_command_is_described_in_the_same_way),
		cmocka_unit_test(no_command_has_a_name_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
