/* Threads and what they wait for: see workers.h. */
#include "base/workers.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"

#define SECOND_NS 1000000000L

void workers_init(struct workers *w)
{
	pthread_condattr_t attributes;

	*w = (struct workers){ 0 };
	pthread_mutex_init(&w->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

unsigned workers_start(struct workers *w, unsigned n, void *(*run)(void *), void *to)
{
	/* what an instruction of the thread itself causes: blocked, it kills without a word */
	static const int own[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL };
	sigset_t all, before;

	if (n <= w->n)
		return w->n;
	w->threads = xrealloc_array(w->threads, n, sizeof(*w->threads));
	sigfillset(&all);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (w->n < n && pthread_create(&w->threads[w->n], NULL, run, to) == 0)
		w->n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return w->n;
}

/* Waits until all of them have returned. */
static void workers_join(struct workers *w)
{
	while (w->n)
		pthread_join(w->threads[--w->n], NULL);
}

void workers_release(struct workers *w)
{
	workers_lock(w);
	w->is_stopping = true;
	workers_wake(w);
	workers_unlock(w);
	workers_join(w);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->mutex);
	free(w->threads);
}

void workers_wait_ns(struct workers *w, long ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / SECOND_NS;
	until.tv_nsec %= SECOND_NS;
	pthread_cond_timedwait(&w->changed, &w->mutex, &until);
}
