/*
 * Threads that share one mutex and wake each other: the only place that starts any.
 * A signal goes to the threads that were there before, one of which may wait for input.
 */
#ifndef PTOOL_BASE_WORKERS_H
#define PTOOL_BASE_WORKERS_H

#include <pthread.h>
#include <stdbool.h>

struct workers {
	pthread_mutex_t mutex; /* for all that they share, is_stopping too */
	pthread_cond_t changed;
	pthread_t *threads;
	unsigned n;
	bool is_stopping; /* they are to come to their end */
};

void workers_init(struct workers *w);
/* Tells them to stop, waits for them, and frees what there is. */
void workers_release(struct workers *w);
/*
 * Starts threads that run that function once each, until there are n of them or the
 * system gives no more: how many there are.  The caller can do all of the work alone.
 */
unsigned workers_start(struct workers *w, unsigned n, void *(*run)(void *), void *to);

static inline void workers_lock(struct workers *w)
{
	pthread_mutex_lock(&w->mutex);
}

static inline void workers_unlock(struct workers *w)
{
	pthread_mutex_unlock(&w->mutex);
}

/* With the mutex held: what was changed may be what others wait for. */
static inline void workers_wake(struct workers *w)
{
	pthread_cond_broadcast(&w->changed);
}

/* With the mutex held, which is let go meanwhile: until somebody wakes them. */
static inline void workers_wait(struct workers *w)
{
	pthread_cond_wait(&w->changed, &w->mutex);
}

/* Likewise, but no longer than `ns`, which is below a second. */
void workers_wait_ns(struct workers *w, long ns);

#endif
