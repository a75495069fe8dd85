/* Counts and times: see pstats_dump.h. */
#include <math.h>

#include "ingest/pstats_dump.h"

#define COUNT_MAX 9e18 /* that a float may tell */

static bool is_number(enum marshal_type type)
{
	return type == MARSHAL_INT || type == MARSHAL_BOOL || type == MARSHAL_FLOAT;
}

static int not_a_number(struct dump *d, const struct marshal_value *value,
			const char *what, struct err *err)
{
	struct str name = dump_entry(d);

	return err_at(err, value->at, "the %s of %.*s is %s, not a number", what,
		      (int)name.n, name.p, marshal_type_name(value->type));
}

/* `d->digits` takes the digits of a big one: they last until it is cleared. */
static int read_count(struct dump *d, size_t at, struct count *count, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);

	if (!is_number(value.type))
		return not_a_number(d, &value, "count of calls", err);
	*count = (struct count){ value.number, { NULL, 0 } };
	if (value.type == MARSHAL_FLOAT) {
		if (!(fabs(value.real) < COUNT_MAX))
			return not_a_number(d, &value, "count of calls", err);
		count->n = (int64_t)llrint(value.real);
		return dump_finding(d, FINDING_COUNT_NOT_WHOLE, value.at, err);
	}
	if (count->n == NUMBER_NONE)
		count->n++;
	if (!value.is_big)
		return 0;
	size_t before = d->digits.n;
	if (!marshal_add_digits(&d->marshal, &value, &d->digits))
		return err_at(err, value.at, "a count of calls with too many digits");
	count->digits = (struct str){ NULL, d->digits.n - before };
	return dump_finding(d, FINDING_COUNT_RANGE, value.at, err);
}

static int read_seconds(struct dump *d, size_t at, double *seconds, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);

	if (!is_number(value.type))
		return not_a_number(d, &value, "time", err);
	*seconds = value.real;
	return 0;
}

/* Digits were noted by their length, as the buffer may have moved since. */
static void find_digits(const struct dump *d, struct call_sums *sums)
{
	const char *p = d->digits.p;

	sums->calls.digits.p = p;
	sums->primitive.digits.p = p ? p + sums->calls.digits.n : p;
}

int dump_sums(struct dump *d, const size_t *places, struct call_sums *sums,
	      struct err *err)
{
	buf_clear(&d->digits);
	if (read_count(d, places[0], &sums->calls, err) < 0 ||
	    read_count(d, places[1], &sums->primitive, err) < 0 ||
	    read_seconds(d, places[2], &sums->self_s, err) < 0 ||
	    read_seconds(d, places[3], &sums->total_s, err) < 0)
		return -1;
	sums->has_times = true;
	find_digits(d, sums);
	return 0;
}

static int bad_caller(struct dump *d, const struct marshal_value *value, struct err *err)
{
	struct str name = dump_entry(d);

	return err_at(
		err, value->at,
		"a caller of %.*s has %s; a count or (calls, primitive calls, self, "
		"total) is expected",
		(int)name.n, name.p, marshal_type_name(value->type));
}

/* Fours that Python 2.6 and 3.0 put behind each other where they should add. */
static int add_up(struct dump *d, const struct marshal_value *value,
		  struct call_sums *sums, struct err *err)
{
	size_t at = value->items;

	*sums = (struct call_sums){ .has_times = true };
	for (size_t i = 0; i < value->n; i += 4) {
		size_t places[4];
		struct call_sums one;
		for (int k = 0; k < 4; k++) {
			places[k] = at;
			if (!(at = marshal_behind(&d->marshal, at)))
				return bad_caller(d, value, err);
		}
		if (dump_sums(d, places, &one, err) < 0)
			return -1;
		if (one.calls.digits.n || one.primitive.digits.n ||
		    __builtin_add_overflow(sums->calls.n, one.calls.n, &sums->calls.n) ||
		    __builtin_add_overflow(sums->primitive.n, one.primitive.n,
					   &sums->primitive.n))
			return err_at(err, value->at, "counts of calls beyond 64 bits");
		sums->self_s += one.self_s;
		sums->total_s += one.total_s;
	}
	return dump_finding(d, FINDING_CALLERS_CONCATENATED, value->at, err);
}

int dump_caller(struct dump *d, size_t at, struct call_sums *sums, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);
	size_t places[4];

	*sums = (struct call_sums){ .primitive.n = NUMBER_NONE };
	if (is_number(value.type)) {
		buf_clear(&d->digits);
		if (read_count(d, at, &sums->calls, err) < 0)
			return -1;
		find_digits(d, sums);
		return 0;
	}
	d->has_pairs = true;
	if (value.type != MARSHAL_TUPLE && value.type != MARSHAL_LIST)
		return bad_caller(d, &value, err);
	if (value.n && value.n % 4 == 0 && value.n > 4)
		return add_up(d, &value, sums, err);
	if (!dump_items(d, &value, 4, places))
		return bad_caller(d, &value, err);
	return dump_sums(d, places, sums, err);
}
