/* Which series of samples count: see sample_choose.h. */
#include "query/samples/sample_choose.h"

#include <stdlib.h>
#include <string.h>

/* "time", "bytes", "counts": what weights are. */
static const char *unit_name(const struct sample_series *s)
{
	return s->unit == UNIT_NS ? "time" : s->unit == UNIT_BYTES ? "bytes" : "counts";
}

/* What messages call a kind, and --series takes for it. */
static const char *kind_name(const struct sample_series *s)
{
	return *s->measure ? s->measure : *s->mode ? s->mode : unit_name(s);
}

static bool is_one_kind(const struct sample_series *a, const struct sample_series *b)
{
	return a->unit == b->unit && strcmp(a->measure, b->measure) == 0 &&
	       strcmp(a->mode, b->mode) == 0;
}

static bool contains(const char *text, const char *part)
{
	return str_contains(str_of(text), str_of(part));
}

/* What --series and --mode leave. */
static bool is_wanted(const struct sample_set *set, size_t i,
		      const struct sample_choice *choice)
{
	const struct sample_series *s = &set->series[i];
	char *end;

	if (choice->mode && strcmp(choice->mode, s->mode) != 0)
		return false;
	if (!choice->series)
		return true;
	/* A number that no series has may be a thread's, in a name. */
	long long number = strtoll(choice->series, &end, 10);
	if (!*end && number >= 1 && number <= (long long)set->nseries)
		return number == (long long)i + 1;
	return contains(s->name, choice->series) ||
	       contains(kind_name(s), choice->series);
}

int sample_choice_check(const struct sample_choice *choice, const struct scope *scope,
			struct err *err)
{
	const char *given = choice->series    ? "--series"
			    : choice->mode    ? "--mode"
			    : choice->no_idle ? "--no-idle"
					      : NULL;

	if (!given || scope_has_samples(scope))
		return 0;
	return err_set(err, ERR_USAGE, "%s is for sampled stacks, and there are none",
		       given);
}

static int nothing_wanted(const struct sample_set *set,
			  const struct sample_choice *choice, struct err *err)
{
	if (set->nseries == 0)
		return err_set(err, ERR_EMPTY, "no samples were recorded");
	if (choice->series)
		return err_set(err, ERR_EMPTY,
			       "--series '%.100s': none of the %zu series has that name "
			       "or number ('ptool info' lists them)",
			       choice->series, set->nseries);
	return err_set(err, ERR_EMPTY,
		       "--mode '%.20s': no series says that it has that mode ('ptool "
		       "info' lists them)",
		       choice->mode);
}

/* The kinds that are left out, each once. */
static void name_others(struct sample_set *set, const struct sample_series *kind)
{
	struct arena arena = { 0 };
	struct intern kinds;
	struct buf text;

	intern_init(&kinds);
	buf_init(&text, ERR_TEXT_MAX);
	for (size_t i = 0; i < set->nseries; i++) {
		const struct sample_series *s = &set->series[i];
		size_t nkinds = kinds.n;
		intern_add(&kinds, str_of(arena_printf(&arena, "%d\n%s\n%s", (int)s->unit,
						       s->measure, s->mode)));
		if (kinds.n == nkinds || is_one_kind(kind, s))
			continue;
		if (text.n)
			buf_add_text(&text, ", ");
		buf_add_text(&text, kind_name(s));
		if (kind_name(s) != unit_name(s))
			buf_addf(&text, " (%s)", unit_name(s));
	}
	if (text.n)
		set->others = arena_copy(&set->arena, buf_str(&text)).p;
	buf_release(&text);
	intern_release(&kinds);
	arena_release(&arena);
}

int sample_choose(struct sample_set *set, const struct sample_choice *choice,
		  struct err *err)
{
	const struct sample_series *kind = NULL;

	for (size_t i = 0; i < set->nseries; i++) {
		const struct sample_series *s = &set->series[i];
		if (is_wanted(set, i, choice) &&
		    (!kind || (s->is_default && !kind->is_default)))
			kind = s;
	}
	if (!kind)
		return nothing_wanted(set, choice, err);
	set->unit = kind->unit;
	for (size_t i = 0; i < set->nseries; i++) {
		struct sample_series *s = &set->series[i];
		s->is_chosen = is_wanted(set, i, choice) && is_one_kind(kind, s);
		if (!s->is_chosen)
			continue;
		set->nchosen++;
		if (s->decimals > set->decimals)
			set->decimals = s->decimals;
	}
	if (!choice->series)
		name_others(set, kind);
	return 0;
}
