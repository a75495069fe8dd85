/* Taking runs out of a database: at once for readers, later from the disks. */
#ifndef PTOOL_REMOTE_REMOVE_H
#define PTOOL_REMOTE_REMOVE_H

#include <stdint.h>

#include "base/err.h"
#include "remote/http.h"
#include "remote/push.h"

/*
 * The run's profiles are seen no longer; what they were stays until remove_dead().
 * ERR_EMPTY: there is no such run.
 */
int remove_run(struct pusher *pusher, const char *run, uint64_t *nprofiles,
	       struct err *err);

/*
 * Tells the server to delete the rows of pushes that were made before the moment (ns since
 * 1970), and that are no profile's newest: replaced, deleted, or never completed.  It does
 * so in a while.  Of a cluster only the rows of the server that is asked.
 */
int remove_dead(struct http *http, uint64_t before, uint64_t *npushes, struct err *err);

#endif
