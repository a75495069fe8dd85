/*
 * timed COMMAND...: runs it with stdout dropped and prints, as one CSV line, what it cost:
 * wall seconds, user seconds, system seconds, peak resident KiB, exit status.  The cost
 * is that of the command and of the children it waited for (it is our only child).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void run(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage used;
	double began = now();
	int status;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: timed COMMAND...\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* the bench may be killed without its group */
	child = fork();
	if (child == 0)
		run(argv + 1);
	if (child < 0 || waitpid(child, &status, 0) < 0 ||
	    getrusage(RUSAGE_CHILDREN, &used) < 0) {
		perror("timed");
		return 5;
	}
	printf("%.6f,%.6f,%.6f,%ld,%d\n", now() - began, seconds(used.ru_utime),
	       seconds(used.ru_stime), used.ru_maxrss,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
