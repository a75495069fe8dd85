/* The program: see cli.h. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "cli/bad_page.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/table_command.h"
#include "cli/version.h"
#include "store/sql.h"

/*
 * A closed standard stream would be given to the next file that is opened, and
 * a message would land in somebody's store.  The wrong direction keeps reading
 * and writing them the errors that they should be.
 */
static void reserve_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int unknown_option(const char *name)
{
	static const char *const names[] = { "--help", "--version", NULL };
	struct err err = ERR_INIT;

	suggest_unknown(&err, "option", name, names);
	return message_error(NULL, NULL, &err);
}

static int unknown_command(const char *name)
{
	struct err err = ERR_INIT;
	size_t n = 0;

	while (commands[n])
		n++;
	const char **names = xcalloc(n + 1, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = commands[i]->name;
	suggest_unknown(&err, "command", name, names);
	free(names);
	return message_error(NULL, NULL, &err);
}

extern const struct command cmd_overview;

/* Under a sanitizer, as the tests run, an exit status that help does not list ends us. */
static int run(const struct command *command, int argc, char **argv)
{
	bad_page_catch(command->name);
	sql_count_memory(command->limits_memory);
	int code = command->run ? command->run(command, argc, argv)
				: table_command_run(command, argc, argv);
#ifdef __SANITIZE_ADDRESS__
	const struct command_exit *e = command->exits;
	while (e->text && (int)e->code != code)
		e++;
	if (!e->text) {
		fprintf(stderr, "%s does not list exit status %d\n", command->name, code);
		abort();
	}
#endif
	return code;
}

/* No command has a dot or a slash in its name: it is a file, also when it is missing. */
static bool is_path(const char *name)
{
	return strpbrk(name, "./") || access(name, F_OK) == 0;
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2 && access(operand_default_store(), F_OK) == 0)
		return run(&cmd_overview, 0, NULL);
	if (argc < 2) {
		help_short(stderr);
		return EXIT_USAGE;
	}
	const char *name = argv[1];
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		version_print(stdout);
		return EXIT_OK;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		help_overview(stdout);
		return EXIT_OK;
	}
	if (name[0] == '-')
		return unknown_option(name);
	const struct command *command = command_find(name);
	if (!command && is_path(name))
		return run(&cmd_overview, argc - 1, argv + 1);
	if (!command)
		return unknown_command(name);
	return run(command, argc - 2, argv + 2);
}

/*
 * Another program that shares a pipe or terminal may have made it non-blocking.  stdio would
 * lose what does not fit at once, and take a request that is yet to come for an error.
 */
static void wait_for_others(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fcntl(fd, F_GETFL);
		if (flags >= 0 && (flags & O_NONBLOCK))
			(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	}
}

int cli_main(int argc, char **argv)
{
	struct err err = ERR_INIT;

	hash_begin();
	/* writing fails with EPIPE instead, which output.c takes for what it is */
	signal(SIGPIPE, SIG_IGN);
	/* and with EFBIG where `ulimit -f` ends: as on a full disk, we clean up */
	signal(SIGXFSZ, SIG_IGN);
	reserve_standard_streams();
	wait_for_others();
	interrupt_tidy_without_memory();
	int code = dispatch(argc, argv);
	if (code != EXIT_OK || output_flush_stdout(&err) == 0)
		return code;
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	return message_error(command ? command->name : NULL, NULL, &err);
}
