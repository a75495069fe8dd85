/*
 * Numbers as traces spell them, exactly: never through a double, which steps
 * by 250 ns at PyTorch's epoch microseconds.  The texts stand in a window:
 * DECIMAL_PADDING bytes behind them may be read.
 */
#ifndef PTOOL_BASE_DECIMAL_H
#define PTOOL_BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define DECIMAL_PADDING 8

enum decimal_status {
	DECIMAL_OK,
	DECIMAL_BAD,    /* no number: "abc", "", "1x" */
	DECIMAL_TOO_BIG /* beyond int64: the value is the end of the range on its side */
};

/*
 * Decimal microseconds ("4311020981081.440", "1.5e3", "-3") to nanoseconds;
 * digits below 1 ns round half to even.
 */
enum decimal_status decimal_us_to_ns(struct str text, int64_t *ns);
/* Any number, as a multiple of 10^-digits; what is below that rounds half to even. */
enum decimal_status decimal_scaled(struct str text, int digits, int64_t *value);
/* An integer; a fraction of zeros is accepted ("7.0"). */
enum decimal_status decimal_int(struct str text, int64_t *value);
/* An id that is a number: an integer, or hexadecimal digits behind "0x". */
bool decimal_id(struct str text, int64_t *value);
/*
 * The same for text that stands elsewhere and has nothing readable behind it: an
 * option, a name.  Longer than DECIMAL_TEXT_MAX is none.
 */
#define DECIMAL_TEXT_MAX 512
enum decimal_status decimal_text_us_to_ns(struct str text, int64_t *ns);
enum decimal_status decimal_text_int(struct str text, int64_t *value);
/* A real number; false when the text is none. */
bool decimal_real(struct str text, double *value);

#endif
