/*
 * Python's marshal, written so that Python 2.7 and every Python from 3.4 on read
 * the same: no references but of long texts, as 2.7 does not know them, and texts as
 * interned ones ('t'), the only code that is a str in both.
 *
 * What fails shows in the stream, as with printf(); nothing else can.
 */
#ifndef PTOOL_REPORT_MARSHAL_PUT_H
#define PTOOL_REPORT_MARSHAL_PUT_H

#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* Keys and values follow, then marshal_put_end(). */
void marshal_put_dict(FILE *out);
void marshal_put_end(FILE *out);
/* n items follow. */
void marshal_put_tuple(FILE *out, uint32_t n);
/*
 * Text in UTF-8.  A byte that is none of it, as names of files have, becomes the
 * surrogate that Python's "surrogateescape" makes of it.
 */
void marshal_put_text(FILE *out, struct str text);
/* The same, of which marshal_put_ref() writes the n-th, from 0, again. */
void marshal_put_shared(FILE *out, struct str text);
void marshal_put_ref(FILE *out, uint32_t n);
void marshal_put_int(FILE *out, int64_t value);
/* An integer of any size as decimal digits, with a '-' in front of a negative one. */
void marshal_put_digits(FILE *out, struct str digits);
void marshal_put_real(FILE *out, double value);

#endif
