/*
 * Many small pieces made one write, as those of a row: stdio locks and looks at its
 * state for each, which costs more than the piece does.
 */
#ifndef PTOOL_REPORT_WRITER_H
#define PTOOL_REPORT_WRITER_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define WRITER_ROOM 4096

struct writer {
	FILE *out; /* borrowed */
	size_t n;  /* bytes that wait; writer_flush() behind each row */
	char bytes[WRITER_ROOM];
};

/* A write that fails is known by ferror(). */
static inline void writer_flush(struct writer *w)
{
	fwrite(w->bytes, 1, w->n, w->out);
	w->n = 0;
}

/* Room for `most` bytes, which are not in the stream until w->n counts them; NULL: too many. */
static inline char *writer_room(struct writer *w, size_t most)
{
	if (most > WRITER_ROOM - w->n)
		writer_flush(w);
	return most <= WRITER_ROOM ? w->bytes + w->n : NULL;
}

static inline void writer_byte(struct writer *w, char byte)
{
	*writer_room(w, 1) = byte;
	w->n++;
}

static inline void writer_str(struct writer *w, struct str text)
{
	char *room = writer_room(w, text.n);

	if (!room) {
		fwrite(text.p, 1, text.n, w->out);
	} else if (text.n) {
		memcpy(room, text.p, text.n);
		w->n += text.n;
	}
}

#endif
