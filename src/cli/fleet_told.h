/* What a user is told of the stores of a fleet (store/fleet.h). */
#ifndef PTOOL_CLI_FLEET_TOLD_H
#define PTOOL_CLI_FLEET_TOLD_H

#include <stddef.h>

#include "base/buf.h"
#include "store/fleet.h"
#include "store/merge.h"

/* "64 stores, 64 profiles, 4,796,096 slices" of the store that was made. */
void fleet_told_merged(const char *command, const char *store,
		       const struct merge_result *result);
/* The same in one line of a command that reads them, with what else is in the folder. */
void fleet_told_read(const char *command, const char *folder, const struct fleet *fleet,
		     const struct merge_result *result);
/* Files in the folders that are no stores. */
void fleet_told_others(const char *command, const struct fleet *fleet);
/* That the stores may be of two runs, which are one now; false: nothing says so. */
bool fleet_told_runs(const char *command, const struct fleet *fleet);
/* An error for each store that is left out; how many these are. */
size_t fleet_told_left_out(const char *command, const struct fleet *fleet);
/*
 * Adds to `note` what the two functions above print.  fleet_told_again() prints it once more,
 * of a fleet whose stores were found but not opened.
 */
void fleet_told_note(const struct fleet *fleet, struct buf *note);
void fleet_told_again(const char *command, const struct fleet *fleet, struct str note);

#endif
