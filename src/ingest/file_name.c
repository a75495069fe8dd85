/*
 * Names of traces: see file_name.h.  The handler's are what the plugin's pattern
 * takes, ^(.*?)(\.\d+)?\.pt\.trace\.json(?:\.gz)?$, and zstd beside gzip.
 */
#include "ingest/file_name.h"

#include <ctype.h>

#include "base/decimal.h"
#include "ingest/sink.h"

/* Digits of a rank or a step: what is longer is a date or a stamp. */
#define DIGITS_MAX 7

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* In the C locale, which ptool never leaves. */
static bool is_letter(char c)
{
	return isalpha((unsigned char)c) != 0;
}

static bool drop_suffix(struct str *text, struct str suffix)
{
	if (text->n < suffix.n ||
	    memcmp(text->p + text->n - suffix.n, suffix.p, suffix.n) != 0)
		return false;
	text->n -= suffix.n;
	return true;
}

struct str file_name_base(struct str path)
{
	size_t at = path.n;

	while (at > 0 && path.p[at - 1] != '/')
		at--;
	return (struct str){ path.p + at, path.n - at };
}

struct str file_name_folder(struct str path)
{
	size_t n = path.n - file_name_base(path).n;

	return (struct str){ path.p, n > 0 ? n - 1 : 0 };
}

/* "host_1.1795168425954677576" of the handler's name into worker and stamp. */
static void split_worker(struct str stem, struct file_name *out)
{
	size_t at = stem.n;

	while (at > 0 && is_digit(stem.p[at - 1]))
		at--;
	out->worker = stem;
	if (at == stem.n || at == 0 || stem.p[at - 1] != '.')
		return;
	struct str digits = { stem.p + at, stem.n - at };
	out->worker.n = at - 1;
	if (decimal_text_int(digits, &out->stamp) != DECIMAL_OK)
		out->stamp = NUMBER_NONE;
}

/* Does text begin with the lower-case word, in any case? */
static bool starts_with_word(struct str text, struct str word)
{
	for (size_t i = 0; i < word.n; i++)
		if (i >= text.n || tolower((unsigned char)text.p[i]) != word.p[i])
			return false;
	return true;
}

/* Is it the rank of one axis, "tp_rank_3", which is not that in the job? */
static bool is_of_axis(struct str before)
{
	size_t end = before.n, at;

	if (end > 0 && strchr("_-", before.p[end - 1]))
		end--;
	for (at = end; at > 0 && is_letter(before.p[at - 1]);)
		at--;
	struct str word = { before.p + at, end - at };
	for (size_t i = 0; i < NAXES; i++)
		if (word.n == 2 && starts_with_word(word, str_of(axis_names[i])))
			return true;
	return false;
}

/* "3" of "3", "_3", "-3" and "=3" when that is a number of its own; else NUMBER_NONE. */
static int64_t number_behind(struct str text)
{
	size_t at = text.n > 0 && text.p[0] != '\0' && strchr("_-=", text.p[0]) ? 1 : 0;
	size_t end = at;
	int64_t number;

	while (end < text.n && is_digit(text.p[end]))
		end++;
	if (end == at || end - at > DIGITS_MAX ||
	    (end < text.n && is_letter(text.p[end])))
		return NUMBER_NONE;
	/* "step_3-5" is a range, and no one number */
	if (end + 1 < text.n && text.p[end] == '-' && is_digit(text.p[end + 1]))
		return NUMBER_NONE;
	struct str digits = { text.p + at, end - at };
	return decimal_text_int(digits, &number) == DECIMAL_OK ? number : NUMBER_NONE;
}

/* The first number behind the word where that is no part of a longer one ("frank7"). */
static int64_t number_of(struct str name, struct str word)
{
	for (size_t i = 0; i + word.n < name.n; i++) {
		struct str rest = { name.p + i, name.n - i };
		if (!starts_with_word(rest, word) || (i > 0 && is_letter(name.p[i - 1])))
			continue;
		rest = (struct str){ rest.p + word.n, rest.n - word.n };
		int64_t number = number_behind(rest);
		struct str before = { name.p, i };
		bool is_of_all = str_is(word, "rank") ? axes_rank_is_of_all(name, i)
						      : !axes_number_is_local(name, i);
		if (number != NUMBER_NONE && !is_of_axis(before) && is_of_all)
			return number;
	}
	return NUMBER_NONE;
}

struct file_name file_name_parse(struct str path)
{
	struct str base = file_name_base(path), stem = base;
	struct file_name out = { .stamp = NUMBER_NONE };

	if (!drop_suffix(&stem, STR_LIT(".gz")))
		drop_suffix(&stem, STR_LIT(".zst"));
	out.is_handler = drop_suffix(&stem, STR_LIT(".pt.trace.json"));
	if (out.is_handler) {
		split_worker(stem, &out);
		base = out.worker; /* its stamp is neither a rank nor a step */
	}
	out.rank = number_of(base, STR_LIT("rank"));
	if (out.rank == NUMBER_NONE)
		out.rank = number_of(file_name_base(file_name_folder(path)),
				     STR_LIT("rank"));
	struct axes_told told = axes_of_file_name(file_name_base(path));
	if (!axes_known(&told.axes))
		told = axes_of_file_name(file_name_base(file_name_folder(path)));
	out.axes = told.axes;
	out.is_axes_sure = told.is_sure;
	out.step = number_of(base, STR_LIT("step"));
	return out;
}
