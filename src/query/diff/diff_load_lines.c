/* Functions and lines of line profiles for a comparison. */
#include "query/diff/diff_load.h"

#include <inttypes.h>

#include "query/lines/line_profile.h"
#include "trace/fact.h"

static int64_t known(int64_t number)
{
	return number == NUMBER_NONE ? 0 : number;
}

/* What the line added; Scalene tells how much of what was added there was at once. */
static int64_t memory_of(const struct line_row *row)
{
	return row->increment_bytes == NUMBER_NONE ? row->memory_bytes
						   : row->increment_bytes;
}

static int check(const struct diff_loading *l, const struct line_profile *p,
		 struct err *err)
{
	if (l->metric == DIFF_MEMORY ? p->has_memory : p->has_times)
		return 0;
	return err_set(err, ERR_EMPTY,
		       p->has_times ? "line_profiler records no memory"
				    : "memory_profiler records no times: compare its "
				      "lines with --by line --metric memory");
}

static void add_lines(const struct diff_loading *l, const struct line_profile *p,
		      const struct line_function *f, struct diff_place place)
{
	struct buf name;

	buf_init(&name, SIZE_MAX);
	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct line_row *row = &p->rows[i];
		int64_t amount = l->metric == DIFF_CALLS    ? row->hits
				 : l->metric == DIFF_MEMORY ? memory_of(row)
							    : row->self_ns;
		if (row->hits == NUMBER_NONE && row->memory_bytes == NUMBER_NONE &&
		    row->self_ns == NUMBER_NONE)
			continue;
		buf_clear(&name);
		buf_add_str(&name, f->file);
		buf_addf(&name, ":%" PRId64 "(", row->line);
		buf_add_str(&name, f->name);
		buf_add_char(&name, ')');
		diff_loading_add(l, buf_str(&name), place, known(row->hits),
				 known(amount));
	}
	buf_release(&name);
}

static void add_function(const struct diff_loading *l, const struct line_function *f,
			 struct diff_place place)
{
	struct buf name;

	buf_init(&name, SIZE_MAX);
	line_profile_add_name(f, &name);
	diff_loading_add(l, buf_str(&name), place, known(f->calls),
			 known(l->metric == DIFF_CALLS ? f->calls : f->total_ns));
	buf_release(&name);
}

static int load(const struct diff_loading *l, bool by_line, struct err *err)
{
	struct line_profile p;
	int rc = line_profile_load(l->store, l->scope, l->filter, &p, err);
	struct diff_place place = { .profile_id = l->scope->profiles[0].id };

	if (rc == 0)
		rc = check(l, &p, err);
	for (size_t i = 0; rc == 0 && i < p.nfunctions; i++) {
		if (!p.functions[i].is_wanted)
			continue;
		if (by_line)
			add_lines(l, &p, &p.functions[i], place);
		else
			add_function(l, &p.functions[i], place);
	}
	line_profile_release(&p);
	return rc;
}

int diff_load_line_functions(const struct diff_loading *l, struct err *err)
{
	return load(l, false, err);
}

int diff_load_lines(const struct diff_loading *l, struct err *err)
{
	return load(l, true, err);
}
