/*
 * Arrays and objects that one producer prints again and again: the shapes, types
 * and strides of operators.  What followed a value of the same key the last time is
 * compared with the text, which is many times faster than reading it.
 */
#ifndef PTOOL_INGEST_AGAIN_H
#define PTOOL_INGEST_AGAIN_H

#include <stdint.h>

#include "ingest/json.h"

#define AGAIN_MAX      256U
#define AGAIN_TEXT_MAX 90   /* longer ones are read each time */
#define AGAIN_SLOTS    512U /* twice as many, a power of two */

struct again_value {
	char text[AGAIN_TEXT_MAX];
	uint16_t n;
	uint16_t owner; /* whose value it is: texts of two keys are two values */
	uint16_t next;  /* what followed it; 0: nothing yet */
};

/* Zeroed is empty: value 0 is none. */
struct again {
	struct again_value all[AGAIN_MAX];
	uint16_t slots[AGAIN_SLOTS]; /* by hash */
	unsigned n;                  /* values, value 0 among them */
	unsigned tries, hits;        /* of late */
	bool is_off;                 /* they differ too often to be worth the while */
};

/*
 * As json_value, for an array or object at j->p.  *last is the owner's newest value,
 * 0 at first.
 */
enum json_status again_value(struct again *a, uint16_t owner, uint16_t *last,
			     struct json *j, struct json_value *out);

#endif
