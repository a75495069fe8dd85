/* What a file expands to: see expand.h. */
#include "base/expand.h"

#include <inttypes.h>

/* Bytes of `made` beyond the factor. */
static uint64_t beyond(const struct expand *e, uint64_t made)
{
	uint64_t most;

	if (__builtin_mul_overflow(e->factor, e->read, &most) || made <= most)
		return 0;
	return made - most;
}

static uint64_t note(struct expand *e, uint64_t made)
{
	uint64_t more = beyond(e, made);

	if (more > e->beyond)
		e->beyond = more;
	return more;
}

void expand_set_read(struct expand *e, uint64_t read)
{
	if (read > e->read)
		e->read = read;
}

bool expand_is_over_inside(const struct expand *e)
{
	return beyond(e, e->inside) > e->limits->expand_bytes;
}

int expand_tell(const struct expand *e, const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT,
		       "%s to more than %" PRIu64 " times its size; if you trust it, "
		       "use 'ptool ingest --max-expand N'",
		       what, e->factor);
}

int expand_add(struct expand *e, uint64_t n, bool is_nested, struct err *err)
{
	const struct limits *limits = e->limits;

	e->made += n;
	if (note(e, e->made) >
	    (is_nested ? limits->expand_nested_bytes : limits->expand_bytes))
		return expand_tell(e, "it expands", err);
	if (!e->archive)
		return 0;
	e->archive->inside += n;
	if (note(e->archive, e->archive->inside) > limits->expand_bytes)
		return expand_tell(e->archive, "the members of its archive expand", err);
	return 0;
}
