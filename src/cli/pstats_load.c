/* Profiles added as pstats adds them: see pstats_load.h. */
#include "cli/pstats_load.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "query/recorded.h"
#include "query/samples/sample_choose.h"

#define NS_PER_S 1000000000

/* time.ctime(): local time, English names whatever the locale. */
static const char *ctime_of(struct arena *arena, int64_t mtime_ns)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t ns = mtime_ns % NS_PER_S, whole = mtime_ns / NS_PER_S;
	struct tm at;

	if (ns < 0) {
		ns += NS_PER_S;
		whole--;
	}
	/* os.stat() rounds the nanoseconds into a double, which may reach a second. */
	time_t seconds = (time_t)floor((double)whole + (double)ns * 1e-9);
	if (!localtime_r(&seconds, &at))
		return "";
	return arena_printf(arena, "%.3s %.3s %2d %02d:%02d:%02d %d",
			    days + 3 * (size_t)at.tm_wday, months + 3 * (size_t)at.tm_mon,
			    at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec,
			    1900 + at.tm_year);
}

/* A raw file is called what the user called it, all else what the store calls it. */
static void add_file(struct pstats_profiles *p, const struct scope_profile *profile,
		     const char *operand)
{
	const char *name = operand ? operand : profile->path;

	*ARRAY_PUSH(p->files, p->nfiles, p->files_cap) =
		profile->has_mtime && recorded_as_file(profile)
			? arena_printf(&p->arena, "%s    %s",
				       ctime_of(&p->arena, profile->mtime_ns), name)
			: arena_strdup(&p->arena, name);
}

struct loading {
	const struct pstats_load_request *request;
	struct pstats_profiles *out;
	bool is_alone; /* one profile, to which nothing is added */
};

static int add_profile(const struct loading *l, const struct operand *operand,
		       const struct scope *scope, size_t i, struct err *err)
{
	struct pstats_profiles *p = l->out;
	const struct scope_profile *profile = &scope->profiles[i];
	bool is_file = operand->is_raw && scope->n == 1;
	struct callgraph one;

	if (sample_choice_check(&l->request->filter->samples, scope, err) < 0)
		return -1;
	if (l->request->wants_self && !scope_has_self(scope))
		return scope_lacks_self("self times, which pstats lists", err);
	if (l->is_alone && callgraph_load(operand->store, profile, l->request->filter,
					  l->request->parts, &p->graph, err) < 0)
		return -1;
	if (!l->is_alone) {
		callgraph_init(&one);
		int rc = callgraph_load(operand->store, profile, l->request->filter,
					l->request->parts | CALLGRAPH_NAMES, &one, err);
		if (rc == 0)
			callgraph_add(&p->graph, &one);
		callgraph_release(&one);
		if (rc < 0)
			return -1;
	}
	if (p->graph.is_sampled && p->graph.unit != UNIT_NS)
		return err_set(err, ERR_EMPTY,
			       "pstats lists seconds, and these samples weigh %s: 'ptool "
			       "top' lists them",
			       p->graph.unit == UNIT_BYTES ? "bytes" : "counts");
	add_file(p, profile, is_file ? operand->path : NULL);
	return 0;
}

/* Profiles last to first of those in scope: added behind others, in reverse. */
static int add_reversed(const struct loading *l, const struct operand *operand,
			const struct scope *scope, size_t first, struct err *err)
{
	for (size_t i = scope->n; i-- > first;)
		if (add_profile(l, operand, scope, i, err) < 0)
			return -1;
	return 0;
}

static int open_operand(const struct pstats_load_request *request, const char *path,
			struct operand *out, struct err *err)
{
	const struct operand_wish wish = { .command = request->command,
					   .path = path,
					   .is_quiet = request->is_quiet,
					   .scope = request->scope,
					   .wants_slices = true };

	return operand_open_for(&wish, out, err);
}

static int add_operand(const struct loading *l, size_t i, const char **failed,
		       struct err *err)
{
	const char *path = l->request->operands->items[i];
	struct operand operand;
	struct scope scope;

	*failed = path;
	if (open_operand(l->request, path, &operand, err) < 0)
		return -1;
	int rc = scope_options_load(operand.store, l->request->scope, &scope, err);
	if (rc == 0) {
		rc = add_reversed(l, &operand, &scope, 0, err);
		scope_release(&scope);
	}
	if (rc < 0)
		operand_explain(&operand, err);
	operand_close(&operand);
	return rc;
}

/* Stats(first, second, ..., last): the first, then the others, the last one first. */
static int add_all(struct loading *l, const struct scope *scope, const char **failed,
		   struct err *err)
{
	size_t n = l->request->operands->n;
	const char *first = *failed;

	l->is_alone = scope->n == 1 && n < 2;
	if (add_profile(l, &l->out->first, scope, 0, err) < 0)
		return -1;
	while (n-- > 1)
		if (add_operand(l, n, failed, err) < 0)
			return -1;
	*failed = first;
	return add_reversed(l, &l->out->first, scope, 1, err);
}

int pstats_load(const struct pstats_load_request *request, struct pstats_profiles *out,
		const char **failed, struct err *err)
{
	struct loading l = { .request = request, .out = out };
	const char *path = request->operands->n ? request->operands->items[0] : NULL;
	struct scope scope;

	*out = (struct pstats_profiles){ .nfiles = 0 };
	callgraph_init(&out->graph);
	*failed = operand_name(path);
	if (open_operand(request, path, &out->first, err) < 0)
		return -1;
	if (scope_options_load(out->first.store, request->scope, &scope, err) < 0) {
		operand_explain(&out->first, err);
		return -1;
	}
	int rc = add_all(&l, &scope, failed, err);
	scope_release(&scope);
	if (rc < 0 && *failed == operand_name(path))
		operand_explain(&out->first, err);
	if (l.is_alone)
		out->store = out->first.store;
	return rc;
}

void pstats_release(struct pstats_profiles *p)
{
	callgraph_release(&p->graph);
	operand_close(&p->first);
	free(p->files);
	arena_release(&p->arena);
}
