/* pstats' restrictions: see callgraph_cut.h.  Python: Stats.eval_print_amount(). */
#include "query/calls/callgraph_cut.h"

#include "base/python_repr.h"
#include "query/calls/python_re.h"

#define NAME_MAX_BYTES ((size_t)1 << 30)

static int cut_match(const struct callgraph *g, const struct python_re *re,
		     struct callgraph_list *list, struct err *err)
{
	struct buf name;
	size_t kept = 0;
	int rc = 0;

	buf_init(&name, NAME_MAX_BYTES);
	for (size_t i = 0; i < list->n && rc >= 0; i++) {
		buf_clear(&name);
		callgraph_add_name(g, g->rows[list->rows[i]].function, &name);
		rc = python_re_search(re, buf_str(&name), err);
		if (rc > 0)
			list->rows[kept++] = list->rows[i];
	}
	buf_release(&name);
	list->n = kept;
	return rc < 0 ? -1 : 0;
}

static void add_restriction(const struct callgraph_cut *cut, struct buf *message)
{
	switch (cut->kind) {
	case CUT_COUNT:
		buf_addf(message, "%lld", (long long)cut->n);
		break;
	case CUT_FRACTION:
		python_repr_real(message, cut->fraction);
		break;
	case CUT_MATCH:
		python_repr_text(message, str_of(cut->pattern));
		break;
	}
}

/* 1: it was cut, or could have been; 0: the expression is none; -1. */
static int apply(const struct callgraph *g, const struct callgraph_cut *cut,
		 struct callgraph_list *list, struct err *err)
{
	struct python_re *re;
	size_t n = list->n;
	int rc;

	switch (cut->kind) {
	case CUT_COUNT:
		if (cut->n >= 0 && (uint64_t)cut->n < n)
			list->n = (size_t)cut->n;
		return 1;
	case CUT_FRACTION:
		if (cut->fraction >= 0 && cut->fraction < 1)
			list->n = (size_t)((double)n * cut->fraction + .5);
		return 1;
	case CUT_MATCH:
		break;
	}
	re = python_re_new(str_of(cut->pattern));
	if (!re)
		return 0;
	rc = cut_match(g, re, list, err);
	python_re_free(re);
	list->is_emptied_by_match |= n > 0 && list->n == 0;
	return rc < 0 ? -1 : 1;
}

int callgraph_cut_list(const struct callgraph *g, const struct callgraph_cut *cuts,
		       size_t ncuts, struct callgraph_list *list, struct buf *message,
		       struct err *err)
{
	for (size_t i = 0; i < ncuts; i++) {
		size_t before = list->n;
		int rc = apply(g, &cuts[i], list, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			buf_add_text(message, "   <Invalid regular expression ");
		else if (list->n != before)
			buf_addf(message,
				 "   List reduced from %zu to %zu due to restriction <",
				 before, list->n);
		else
			continue;
		add_restriction(&cuts[i], message);
		buf_add_text(message, ">\n");
	}
	return 0;
}
