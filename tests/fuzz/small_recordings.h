/* A recording of each kind that stores differ by, with something in each table of its kind. */
#ifndef PTOOL_TESTS_SMALL_RECORDINGS_H
#define PTOOL_TESTS_SMALL_RECORDINGS_H

#include "base/str.h"
#include "small_store.h"

#define SMALL_FILES_MAX 2

struct small_recording {
	struct bytes files[SMALL_FILES_MAX]; /* those of no bytes are none */
};

extern const struct small_recording small_recordings[NSMALL_STORES];

#endif
