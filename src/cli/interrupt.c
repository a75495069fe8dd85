/* Ctrl-C: see interrupt.h. */
#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* A signal handler has nothing but globals to go by. */
static volatile sig_atomic_t pending;
static const char *volatile doomed;
static const struct interrupt_leave *volatile leaving;
static const struct interrupt_alarm *volatile alarmed;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void set_handler(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup and background jobs of plain shells ignore them: so be it */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

/* The temporary file goes first: who cannot remove it has come too late. */
static bool remove_files(const struct interrupt_leave *leave)
{
	if (!leave || unlink(leave->temporary) < 0)
		return false;
	if (leave->lock)
		unlink(leave->lock);
	if (leave->folder)
		rmdir(leave->folder);
	return true;
}

/* Out of memory: see alloc.c. */
static void on_quick_exit(void)
{
	remove_files(leaving);
	if (doomed)
		unlink(doomed);
}

static void on_signal_note(int number)
{
	const struct interrupt_leave *leave = leaving;
	int before = errno;

	(void)number;
	pending = 1;
	if (remove_files(leave)) {
		if (write(STDERR_FILENO, leave->last_words, leave->nlast_words) < 0)
			_exit(leave->exit_code); /* nobody hears it */
		_exit(leave->exit_code);
	}
	errno = before;
}

/* SA_RESETHAND has put the default back: raised again, the signal kills. */
static void on_signal_unlink(int number)
{
	if (doomed)
		unlink(doomed);
	raise(number);
}

void interrupt_tidy_without_memory(void)
{
	(void)at_quick_exit(on_quick_exit); /* or the file stays, as after a crash */
}

void interrupt_catch(void)
{
	set_handler(on_signal_note, (int)SA_RESETHAND);
}

int interrupt_check(struct err *err)
{
	return pending ? err_set(err, ERR_INTERRUPT, "interrupted") : 0;
}

int interrupt_asked(void *unused, struct err *err)
{
	(void)unused;
	return interrupt_check(err);
}

static void on_alarm(int number)
{
	const struct interrupt_alarm *a = alarmed;
	int before = errno;

	(void)number;
	if (a && *a->is_running) {
		remove_files(leaving);
		if (doomed)
			unlink(doomed);
		if (write(STDERR_FILENO, a->last_words, a->nlast_words) < 0)
			_exit(a->exit_code); /* nobody hears it */
		_exit(a->exit_code);
	}
	if (a)
		alarm(1); /* between two of its steps: perhaps the next one lasts */
	errno = before;
}

void interrupt_alarm(const struct interrupt_alarm *a)
{
	struct sigaction action = { .sa_handler = a ? on_alarm : SIG_DFL,
				    .sa_flags = SA_RESTART };

	alarm(0);
	alarmed = a;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	if (a)
		alarm(a->seconds);
}

void interrupt_leave(const struct interrupt_leave *leave)
{
	leaving = leave;
}

void interrupt_unlink(const char *path)
{
	doomed = path;
	if (path)
		set_handler(on_signal_unlink, (int)SA_RESETHAND);
	else
		set_handler(SIG_DFL, 0);
}
