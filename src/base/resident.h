/* How much of files this process has mapped and in memory, for who watches over that. */
#ifndef PTOOL_BASE_RESIDENT_H
#define PTOOL_BASE_RESIDENT_H

#include <stdint.h>

struct resident {
	int fd;              /* /proc/self/statm, or -1 */
	uint64_t base_pages; /* that were there at the beginning */
};

/* From now on: the program and its libraries are files, too. */
void resident_begin(struct resident *r);
void resident_end(struct resident *r);
/* Bytes of files that have come since; UINT64_MAX: unknown. */
uint64_t resident_bytes(const struct resident *r);

/*
 * Asks for turns of this length for the calling thread: a short one comes soon
 * (Linux 6.12), where all cores are busy and the end of a long one would be waited for.
 */
void resident_short_turns(uint64_t ns);

#endif
