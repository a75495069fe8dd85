/* Options and operands: what a command line may look like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/opt.h"

struct shared_opts {
	const char *format;
	const char *path;
	bool force;
};

struct fetch_opts {
	bool quiet;
	int64_t limit, offset;
	struct opt_strings labels;
	struct shared_opts shared;
	const char *kind;
	struct opt_args files;
};

static const char *const formats[] = { "table", "csv", NULL };

static const char *kind_at(size_t i)
{
	static const char *const kinds[] = { "cpu", "gpu", NULL };

	return kinds[i];
}

/* clang-format off */
static const struct opt shared_options[] = {
	{ .name = "format", .arg = "FORMAT", .choices = formats,
	  .type = OPT_CHOICE, .offset = offsetof(struct shared_opts, format) },
	{ .name = "output", .arg = "FILE", .short_name = 'o',
	  .type = OPT_STRING, .offset = offsetof(struct shared_opts, path) },
	{ .name = "force", .short_name = 'f',
	  .type = OPT_FLAG, .offset = offsetof(struct shared_opts, force) },
	OPT_END
};

static const struct opt fetch_options[] = {
	{ .name = "kind", .arg = "KIND", .choice_at = kind_at, .required = true,
	  .type = OPT_ARG, .offset = offsetof(struct fetch_opts, kind) },
	{ .name = "files", .arg = "FILE",
	  .type = OPT_ARGS, .offset = offsetof(struct fetch_opts, files) },
	{ .name = "quiet", .short_name = 'q',
	  .type = OPT_FLAG, .offset = offsetof(struct fetch_opts, quiet) },
	{ .name = "limit", .arg = "ROWS", .short_name = 'n',
	  .type = OPT_UINT, .offset = offsetof(struct fetch_opts, limit) },
	{ .name = "offset", .arg = "NS",
	  .type = OPT_INT, .offset = offsetof(struct fetch_opts, offset) },
	{ .name = "label", .arg = "KEY=VALUE",
	  .type = OPT_STRINGS, .offset = offsetof(struct fetch_opts, labels) },
	OPT_END
};
/* clang-format on */

static const struct opt_group groups[] = { { NULL, fetch_options, 0, false },
					   { "Output", shared_options,
					     offsetof(struct fetch_opts, shared), true },
					   OPT_GROUP_END };

#define ARGS_MAX 80

/* Parses words that are separated by blanks; the words live until the next call. */
static enum opt_result parse(const char *line, struct fetch_opts *o, struct err *err)
{
	static char text[1024];
	static char *argv[ARGS_MAX];
	int argc = 0;

	*o = (struct fetch_opts){ .limit = 20 };
	snprintf(text, sizeof(text), "%s", line);
	for (char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
		assert_in_range(argc, 0, ARGS_MAX - 1);
		argv[argc++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	return opt_parse(groups, argc, argv, o, err);
}

static struct fetch_opts parsed(const char *line)
{
	struct err err = ERR_INIT;
	struct fetch_opts o;

	if (parse(line, &o, &err) != OPT_PARSED)
		fail_msg("%s: %s", line, err.text);
	return o;
}

static void assert_refused(const char *line, const char *message)
{
	struct err err = ERR_INIT;
	struct fetch_opts o;

	assert_int_equal(OPT_ERROR, parse(line, &o, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_string_equal(message, err.text);
}

static void what_is_not_given_keeps_its_default(void **state)
{
	(void)state;
	struct fetch_opts o = parsed("cpu");
	assert_int_equal(20, o.limit);
	assert_false(o.quiet);
	assert_null(o.shared.format);
	assert_int_equal(0, o.files.n);
}

static void a_value_stands_behind_a_blank_or_an_equals_sign(void **state)
{
	(void)state;
	assert_int_equal(5, parsed("cpu --limit 5").limit);
	assert_int_equal(5, parsed("cpu --limit=5").limit);
	assert_string_equal("a=b", parsed("cpu --output=a=b").shared.path);
	assert_string_equal("", parsed("cpu --output=").shared.path);
}

static void a_short_option_takes_its_value_with_or_without_a_blank(void **state)
{
	(void)state;
	assert_int_equal(5, parsed("cpu -n 5").limit);
	assert_int_equal(5, parsed("cpu -n5").limit);
	assert_string_equal("-", parsed("cpu -o -").shared.path);
}

static void short_flags_may_share_a_word(void **state)
{
	(void)state;
	struct fetch_opts o = parsed("cpu -qfn7");
	assert_true(o.quiet);
	assert_true(o.shared.force);
	assert_int_equal(7, o.limit);
}

static void operands_and_options_come_in_any_order(void **state)
{
	(void)state;
	struct fetch_opts o = parsed("--limit 3 gpu a.json -q b.json --format csv -");
	assert_string_equal("gpu", o.kind);
	assert_int_equal(3, o.files.n);
	assert_string_equal("a.json", o.files.items[0]);
	assert_string_equal("b.json", o.files.items[1]);
	assert_string_equal("-", o.files.items[2]);
	assert_string_equal("csv", o.shared.format);
	assert_true(o.quiet);
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	struct fetch_opts o = parsed("cpu -- --limit -q --");
	assert_int_equal(3, o.files.n);
	assert_string_equal("--limit", o.files.items[0]);
	assert_string_equal("--", o.files.items[2]);
	assert_false(o.quiet);
}

static void the_last_of_several_wins(void **state)
{
	(void)state;
	assert_int_equal(9, parsed("cpu --limit 5 -n9").limit);
}

static void a_repeatable_option_keeps_all_its_values(void **state)
{
	(void)state;
	struct fetch_opts o = parsed("cpu --label a=1 --label=b=2");
	assert_int_equal(2, o.labels.n);
	assert_string_equal("a=1", o.labels.items[0]);
	assert_string_equal("b=2", o.labels.items[1]);
}

static void a_repeatable_option_has_an_end(void **state)
{
	char line[1024] = "cpu";
	size_t n = 3;

	(void)state;
	for (int i = 0; i < OPT_STRINGS_MAX; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, " --label=x");
	assert_int_equal(OPT_STRINGS_MAX, parsed(line).labels.n);
	snprintf(line + n, sizeof(line) - n, " --label=x");
	assert_refused(line, "--label is given more than 64 times");
}

static void an_unknown_option_is_told_with_the_nearest_and_all(void **state)
{
	(void)state;
#define ALL \
	"(valid: --quiet, --limit, --offset, --label, --format, --output, --force, --help)"
	assert_refused("cpu --limt 5",
		       "unknown option '--limt'; did you mean '--limit'? " ALL);
	assert_refused("cpu --fromat=csv",
		       "unknown option '--fromat'; did you mean '--format'? " ALL);
	assert_refused("cpu -x", "unknown option '-x' " ALL);
}

static void a_long_name_behind_one_dash_is_no_bundle_of_letters(void **state)
{
	(void)state;
	assert_refused("cpu -format csv",
		       "unknown option '-format'; did you mean '--format'? " ALL);
}

static void names_are_not_abbreviated(void **state)
{
	(void)state;
	assert_refused("cpu --lim 5",
		       "unknown option '--lim'; did you mean '--limit'? " ALL);
#undef ALL
}

static void a_wrong_choice_is_told_with_the_nearest_and_all(void **state)
{
	(void)state;
	assert_refused("cpu --format cvs",
		       "unknown --format 'cvs'; did you mean 'csv'? (valid: table, csv)");
	assert_refused("gup",
		       "unknown kind 'gup'; did you mean 'gpu'? (valid: cpu, gpu)");
}

static void numbers_are_whole_and_in_range(void **state)
{
	(void)state;
	assert_int_equal(INT64_MAX, parsed("cpu -n 9223372036854775807").limit);
	assert_int_equal(-5, parsed("cpu --offset -5").offset);
	assert_refused("cpu -n 9223372036854775808",
		       "--limit 9223372036854775808 is too large");
	assert_refused("cpu -n ten", "--limit wants a non-negative number, not 'ten'");
	assert_refused("cpu -n 5x", "--limit wants a non-negative number, not '5x'");
	assert_refused("cpu --limit=", "--limit wants a non-negative number, not ''");
	assert_refused("cpu -n -5", "--limit wants a non-negative number, not '-5'");
	assert_refused("cpu -n +5", "--limit wants a non-negative number, not '+5'");
	assert_refused("cpu --offset=-", "--offset wants a number, not '-'");
}

static void a_value_that_is_missing_or_too_many_is_refused(void **state)
{
	(void)state;
	assert_refused("cpu --limit", "--limit wants ROWS");
	assert_refused("cpu -o", "--output wants FILE");
	assert_refused("cpu --quiet=yes", "--quiet takes no value");
	assert_refused("--quiet", "KIND is missing");
}

static void an_operand_too_many_is_refused(void **state)
{
	static const struct opt_group only_shared[] = {
		{ NULL, shared_options, 0, false }, OPT_GROUP_END
	};
	char word[] = "extra";
	char *argv[] = { word };
	struct shared_opts o = { 0 };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(OPT_ERROR, opt_parse(only_shared, 1, argv, &o, &err));
	assert_string_equal("unexpected operand 'extra'", err.text);
}

static void help_is_an_option_of_every_command(void **state)
{
	struct err err = ERR_INIT;
	struct fetch_opts o;

	(void)state;
	assert_int_equal(OPT_HELP, parse("--help", &o, &err));
	assert_int_equal(OPT_HELP, parse("cpu -qh", &o, &err));
	assert_int_equal(OPT_HELP, parse("--limit 5 -h --limt", &o, &err));
	/* a value and an operand are not options */
	assert_string_equal("-h", parsed("cpu -o -h").shared.path);
	assert_string_equal("-h", parsed("cpu -- -h").files.items[0]);
}

static void all_rows_of_all_groups_are_walked_and_help_last(void **state)
{
	const char *last = NULL;
	size_t n = 0;

	(void)state;
	for (struct opt_iter it = opt_first(groups); it.opt; opt_next(&it)) {
		last = it.opt->name;
		n++;
	}
	assert_int_equal(6 + 3 + 1, n);
	assert_string_equal("help", last);
}

static void options_of_a_sequence_keep_the_order_in_which_they_came(void **state)
{
	static const struct opt rows[] = {
		{ .name = "first", .arg = "N", .type = OPT_SEQUENCE },
		{ .name = "match", .arg = "RE", .type = OPT_SEQUENCE, .short_name = 'm' },
		OPT_END
	};
	static const struct opt_group cuts[] = { { NULL, rows, 0, false },
						 OPT_GROUP_END };
	char words[][12] = { "-m", "a", "--first", "2", "--match=b", "--first=-1" };
	char *argv[] = { words[0], words[1], words[2], words[3], words[4], words[5] };
	struct opt_sequence o = { .n = 0 };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(OPT_PARSED, opt_parse(cuts, 6, argv, &o, &err));
	assert_int_equal(4, o.n);
	assert_ptr_equal(&rows[1], o.items[0].opt);
	assert_string_equal("a", o.items[0].text);
	assert_ptr_equal(&rows[0], o.items[1].opt);
	assert_string_equal("2", o.items[1].text);
	assert_string_equal("b", o.items[2].text);
	assert_string_equal("-1", o.items[3].text);
	assert_true(opt_repeats(&rows[0]));
}

static void a_choice_has_the_place_of_its_word(void **state)
{
	static const char *const words[] = { "start", "dur", NULL };

	(void)state;
	assert_int_equal(0, opt_choice_place(words, "start"));
	assert_int_equal(1, opt_choice_place(words, "dur"));
	assert_int_equal(2, opt_choice_place(words, "du"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_of_a_sequence_keep_the_order_in_which_they_came),
		cmocka_unit_test(what_is_not_given_keeps_its_default),
		cmocka_unit_test(a_value_stands_behind_a_blank_or_an_equals_sign),
		cmocka_unit_test(a_short_option_takes_its_value_with_or_without_a_blank),
		cmocka_unit_test(short_flags_may_share_a_word),
		cmocka_unit_test(operands_and_options_come_in_any_order),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(the_last_of_several_wins),
		cmocka_unit_test(a_repeatable_option_keeps_all_its_values),
		cmocka_unit_test(a_repeatable_option_has_an_end),
		cmocka_unit_test(an_unknown_option_is_told_with_the_nearest_and_all),
		cmocka_unit_test(a_long_name_behind_one_dash_is_no_bundle_of_letters),
		cmocka_unit_test(names_are_not_abbreviated),
		cmocka_unit_test(a_wrong_choice_is_told_with_the_nearest_and_all),
		cmocka_unit_test(a_choice_has_the_place_of_its_word),
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(a_value_that_is_missing_or_too_many_is_refused),
		cmocka_unit_test(an_operand_too_many_is_refused),
		cmocka_unit_test(help_is_an_option_of_every_command),
		cmocka_unit_test(all_rows_of_all_groups_are_walked_and_help_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
