/* The filters of reading commands: see filter.h. */
#include "query/filter.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/regex.h"
#include "trace/category.h"

/* The next of a comma list; false at its end. */
static bool next_item(const char **at, struct str *item)
{
	if (!**at)
		return false;
	item->p = *at;
	item->n = strcspn(*at, ",");
	*at += item->n;
	if (**at == ',')
		(*at)++;
	return true;
}

static int too_many(const char *option, struct err *err)
{
	return err_set(err, ERR_USAGE, "%s takes at most %d values", option,
		       FILTER_ITEMS_MAX);
}

static int parse_names(const char *option, const char *const *texts, size_t n,
		       struct filter_names *out, struct err *err)
{
	struct str item;

	for (size_t i = 0; i < n; i++) {
		if (!*texts[i])
			return err_set(err, ERR_USAGE, "%s wants a name", option);
		for (const char *at = texts[i]; next_item(&at, &item);) {
			if (out->n == FILTER_ITEMS_MAX)
				return too_many(option, err);
			out->items[out->n++] = item;
		}
	}
	return 0;
}

static int parse_numbers(const char *option, const char *const *texts, size_t n,
			 struct filter_numbers *out, struct err *err)
{
	struct filter_names names = { .n = 0 };

	if (parse_names(option, texts, n, &names, err) < 0)
		return -1;
	for (; out->n < names.n; out->n++)
		if (decimal_text_int(names.items[out->n], &out->items[out->n]) !=
		    DECIMAL_OK)
			return err_set(err, ERR_USAGE,
				       "%s wants numbers, not '" STR_FMT "'", option,
				       STR_ARG(names.items[out->n]));
	return 0;
}

bool filter_parse_time(struct str text, int64_t *ns)
{
	static const struct {
		const char *unit, *exponent; /* from the unit to microseconds */
	} units[] = {
		{ "ns", "e-3" }, { "us", "" }, { "ms", "e3" }, { "s", "e6" }, { "", NULL }
	};
	struct str number = text;
	char copy[64];
	size_t unit = 0;

	while (number.n && number.p[number.n - 1] >= 'a' && number.p[number.n - 1] <= 'z')
		number.n--;
	while (units[unit].exponent &&
	       !str_is((struct str){ number.p + number.n, text.n - number.n },
		       units[unit].unit))
		unit++;
	if (!units[unit].exponent) {
		*ns = 0;
		return str_is(text, "0");
	}
	/* digits and a point alone: the exponent behind them is ours */
	for (size_t i = 0; i < number.n; i++)
		if ((number.p[i] < '0' || number.p[i] > '9') && number.p[i] != '.')
			return false;
	if (number.n == 0 || number.n > 40)
		return false;
	snprintf(copy, sizeof(copy), STR_FMT "%s", STR_ARG(number), units[unit].exponent);
	return decimal_text_us_to_ns(str_of(copy), ns) == DECIMAL_OK;
}

/* "A..B" in two, either empty where open; false when there is no "..". */
static bool split_range(const char *text, struct str *from, struct str *to)
{
	const char *dots = strstr(text, "..");

	if (!dots)
		return false;
	*from = (struct str){ text, (size_t)(dots - text) };
	*to = str_of(dots + 2);
	return true;
}

static int parse_steps(const char *text, struct filter *f, struct err *err)
{
	struct str from, to;
	bool ok = true;

	f->has_steps = true;
	f->first_step = INT64_MIN;
	f->last_step = INT64_MAX;
	if (!split_range(text, &from, &to))
		from = to = str_of(text);
	if (from.n || !to.n)
		ok = decimal_text_int(from, &f->first_step) == DECIMAL_OK;
	if (ok && to.n)
		ok = decimal_text_int(to, &f->last_step) == DECIMAL_OK;
	if (!ok)
		return err_set(err, ERR_USAGE,
			       "--step wants N, A..B, A.. or ..B, not '%.100s'", text);
	if (f->last_step < f->first_step)
		return err_set(err, ERR_USAGE, "--step %.100s ends before it begins",
			       text);
	return 0;
}

static void set_phase(const char *name, struct filter *f)
{
	f->phase = xcalloc(1, sizeof(*f->phase));
	f->phase->name = name;
	if (f->has_steps)
		return;
	f->has_steps = true;
	f->first_step = INT64_MIN;
	f->last_step = INT64_MAX;
}

static int parse_times(const char *text, struct filter *f, struct err *err)
{
	struct str from, to;

	f->has_times = true;
	f->from_ns = 0;
	f->to_ns = INT64_MAX;
	if (!split_range(text, &from, &to) || (!from.n && !to.n) ||
	    (from.n && !filter_parse_time(from, &f->from_ns)) ||
	    (to.n && !filter_parse_time(to, &f->to_ns)))
		return err_set(
			err, ERR_USAGE,
			"--time wants A..B with units (1.5ms..20ms, 1s.., ..300us), "
			"not '%.100s'",
			text);
	if (f->to_ns <= f->from_ns)
		return err_set(err, ERR_USAGE, "--time %.100s is empty", text);
	return 0;
}

static int parse_min_dur(const char *text, struct filter *f, struct err *err)
{
	f->has_min_dur = true;
	if (filter_parse_time(str_of(text), &f->min_dur_ns))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--min-dur wants a time with its unit (10us), not '%.100s'", text);
}

static int compile(const struct filter_texts *t, struct filter *f, struct err *err)
{
	const char *focus_as = t->focus_as ? t->focus_as : "--focus";

	if (t->focus && regex_compile(focus_as, t->focus, &f->focus, err) < 0)
		return -1;
	if (t->ignore && regex_compile("--ignore", t->ignore, &f->ignore, err) < 0)
		return -1;
	if (t->steps && parse_steps(t->steps, f, err) < 0)
		return -1;
	if (t->phase)
		set_phase(t->phase, f);
	if (t->times && parse_times(t->times, f, err) < 0)
		return -1;
	if (t->min_dur && parse_min_dur(t->min_dur, f, err) < 0)
		return -1;
	if (parse_names("--cat", t->categories, t->ncategories, &f->categories, err) <
		    0 ||
	    parse_names("--thread", t->threads, t->nthreads, &f->threads, err) < 0 ||
	    parse_numbers("--stream", t->streams, t->nstreams, &f->streams, err) < 0 ||
	    parse_numbers("--device", t->devices, t->ndevices, &f->devices, err) < 0)
		return -1;
	for (size_t i = 0; i < f->categories.n; i++)
		f->classes |= category_classes(f->categories.items[i]);
	return 0;
}

int filter_compile(const struct filter_texts *texts, struct filter *out, struct err *err)
{
	*out = (struct filter){ .focus = NULL };
	if (compile(texts, out, err) == 0)
		return 0;
	filter_release(out);
	return -1;
}

void filter_release(struct filter *f)
{
	regex_free(f->focus);
	regex_free(f->ignore);
	if (f->phase)
		free(f->phase->items);
	free(f->phase);
	*f = (struct filter){ .focus = NULL };
}

int filter_has_name(const struct filter *f, struct str name, struct err *err)
{
	int focused = f->focus ? regex_match(f->focus, name, err) : 1;

	if (focused <= 0 || !f->ignore)
		return focused;
	int ignored = regex_match(f->ignore, name, err);
	return ignored < 0 ? -1 : !ignored;
}

bool filter_has_time(const struct filter *f, int64_t start_ns)
{
	return !f->has_times || (start_ns >= f->from_ns && start_ns < f->to_ns);
}

bool filter_has_dur(const struct filter *f, int64_t dur_ns)
{
	return !f->has_min_dur || dur_ns >= f->min_dur_ns;
}

static bool has_item(const struct filter_names *names, struct str text)
{
	for (size_t i = 0; i < names->n; i++)
		if (str_equal(names->items[i], text))
			return true;
	return false;
}

bool filter_has_category(const struct filter *f, struct str category, int class)
{
	if (f->categories.n == 0 ||
	    (class >= 0 && class < NCLASSES && f->classes >> class & 1))
		return true;
	for (size_t i = 0; i < f->categories.n; i++)
		if (category_is_same(f->categories.items[i], category))
			return true;
	return false;
}

bool filter_has_thread(const struct filter *f, struct str tid, struct str name)
{
	return f->threads.n == 0 || (tid.n && has_item(&f->threads, tid)) ||
	       (name.n && has_item(&f->threads, name));
}

bool filter_has_number(const struct filter_numbers *numbers, int64_t value)
{
	for (size_t i = 0; i < numbers->n; i++)
		if (numbers->items[i] == value)
			return true;
	return numbers->n == 0;
}

bool filter_is_given(const struct filter *f)
{
	return filter_needs_slices(f) || f->focus || f->ignore || f->has_steps;
}

bool filter_needs_slices(const struct filter *f)
{
	return f->has_times || f->has_min_dur || f->categories.n || f->threads.n ||
	       f->streams.n || f->devices.n;
}

int filter_check_call_graph(const struct filter *f, struct err *err)
{
	if (!filter_needs_slices(f) && !f->has_steps)
		return 0;
	return err_set(err, ERR_USAGE,
		       "a call graph has no slices to filter: only --focus and "
		       "--ignore apply");
}

bool filter_wants_python(const struct filter *f)
{
	return f->categories.n &&
	       filter_has_category(f, STR_LIT("python_function"), CLASS_PYTHON);
}
