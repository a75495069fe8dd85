/* Errors as the user sees them, and their exit codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/message.h"

/* What message_error prints on stderr; the code goes to *code. */
static void told(const char *command, const char *file, const struct err *err, int *code,
		 char text[1024])
{
	FILE *capture = tmpfile();
	int saved = dup(STDERR_FILENO);

	assert_non_null(capture);
	dup2(fileno(capture), STDERR_FILENO);
	*code = message_error(command, file, err);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(capture);
	size_t n = fread(text, 1, 1023, capture);
	text[n] = '\0';
	fclose(capture);
}

static void an_error_is_one_line_that_names_command_file_and_byte(void **state)
{
	struct err err = ERR_INIT;
	char text[1024];
	int code;

	(void)state;
	err_at(&err, 4, "string wants %d bytes, %d left", 5, 2);
	told("ingest", "run7.prof", &err, &code, text);
	assert_string_equal(
		"ptool: ingest: run7.prof: byte 4: string wants 5 bytes, 2 left\n", text);
	assert_int_equal(EXIT_INPUT, code);
}

static void what_is_not_known_is_not_named(void **state)
{
	struct err err = ERR_INIT;
	char text[1024];
	int code;

	(void)state;
	err_set(&err, ERR_USAGE, "unknown command 'tpo'");
	told(NULL, NULL, &err, &code, text);
	assert_string_equal("ptool: unknown command 'tpo'\n", text);
	assert_int_equal(EXIT_USAGE, code);
}

static void names_from_outside_cannot_speak_to_the_terminal(void **state)
{
	struct err err = ERR_INIT;
	char text[1024];
	int code;

	(void)state;
	err_set(&err, ERR_INPUT, "event '\x1b[31m' at\nline 2");
	told("ingest", "a\r\x1b]0;x\x07.json", &err, &code, text);
	assert_string_equal("ptool: ingest: a\\r\\x1b]0;x\\x07.json: "
			    "event '\\x1b[31m' at\\nline 2\n",
			    text);
}

static void kinds_of_errors_have_the_documented_exit_codes(void **state)
{
	(void)state;
	assert_int_equal(0, message_exit_code(ERR_NONE));
	assert_int_equal(2, message_exit_code(ERR_USAGE));
	assert_int_equal(3, message_exit_code(ERR_EMPTY));
	assert_int_equal(4, message_exit_code(ERR_INPUT));
	assert_int_equal(5, message_exit_code(ERR_IO));
	assert_int_equal(130, message_exit_code(ERR_INTERRUPT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_one_line_that_names_command_file_and_byte),
		cmocka_unit_test(what_is_not_known_is_not_named),
		cmocka_unit_test(names_from_outside_cannot_speak_to_the_terminal),
		cmocka_unit_test(kinds_of_errors_have_the_documented_exit_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
