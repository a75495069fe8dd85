/* The listings of Python's pstats: see pstats_text.h. */
#include "report/pstats_text.h"

#include <math.h>

#include "base/utf8.h"

#define TIME_WIDTH 8
#define CALLS_MAX  ((size_t)1 << 30) /* bytes of "calls/primitive calls" */

size_t pstats_text_width(struct str name)
{
	uint32_t code;
	size_t n = 0;

	for (size_t k; (k = utf8_decode(name, &code)) > 0; name = str_behind(name, k))
		n++;
	return n;
}

static void put_text(struct str text, FILE *out)
{
	fwrite(text.p, 1, text.n, out);
}

static void put_blanks(size_t n, FILE *out)
{
	while (n--)
		putc(' ', out);
}

/* str.ljust(); what is too long runs over, with as many blanks behind it. */
static void put_left(struct str text, size_t width, size_t least, FILE *out)
{
	size_t n = pstats_text_width(text);

	put_text(text, out);
	put_blanks(n + least < width ? width - n : least, out);
}

/* pstats' f8(); Python has no sign before nan. */
static void put_seconds(double seconds, FILE *out)
{
	if (isnan(seconds))
		fputs("     nan", out);
	else
		fprintf(out, "%8.3f", seconds);
}

/* Calls, and the primitive ones behind a slash where they differ: rjust(). */
static void put_calls(const struct pstats_times *times, size_t width, FILE *out)
{
	struct buf text;

	buf_init(&text, CALLS_MAX);
	bignum_print(times->calls, &text);
	if (bignum_compare(times->calls, times->primitive) != 0) {
		buf_add_char(&text, '/');
		bignum_print(times->primitive, &text);
	}
	put_blanks(text.n < width ? width - text.n : 0, out);
	put_text(buf_str(&text), out);
	buf_release(&text);
}

static void put_count(struct bignum count, FILE *out)
{
	struct buf text;

	buf_init(&text, CALLS_MAX);
	bignum_print(count, &text);
	put_text(buf_str(&text), out);
	buf_release(&text);
}

void pstats_text_head(const struct pstats_head *head, FILE *out)
{
	for (size_t i = 0; i < head->nfiles; i++) {
		put_text(head->files[i], out);
		putc('\n', out);
	}
	if (head->nfiles)
		putc('\n', out);
	for (size_t i = 0; i < head->ntop_level; i++) {
		put_blanks(9, out);
		put_text(head->top_level[i], out);
		putc('\n', out);
	}
	put_blanks(9, out);
	put_count(head->calls, out);
	fputs(" function calls ", out);
	if (bignum_compare(head->calls, head->primitive) != 0) {
		putc('(', out);
		put_count(head->primitive, out);
		fputs(" primitive calls) ", out);
	}
	if (isnan(head->self_s))
		fputs("in nan seconds\n\n", out);
	else
		fprintf(out, "in %.3f seconds\n\n", head->self_s);
}

void pstats_text_title(FILE *out)
{
	fputs("   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n",
	      out);
}

/* Seconds a call; nothing where there were no calls. */
static void put_each(double seconds, struct bignum calls, FILE *out)
{
	double n = bignum_real(calls);

	if (n == 0)
		put_blanks(TIME_WIDTH, out);
	else
		put_seconds(seconds / n, out);
}

void pstats_text_row(struct str name, const struct pstats_times *times, FILE *out)
{
	put_calls(times, 9, out);
	putc(' ', out);
	put_seconds(times->self_s, out);
	putc(' ', out);
	put_each(times->self_s, times->calls, out);
	putc(' ', out);
	put_seconds(times->total_s, out);
	putc(' ', out);
	put_each(times->total_s, times->primitive, out);
	putc(' ', out);
	put_text(name, out);
	putc('\n', out);
}

void pstats_text_call_title(size_t width, const char *what, bool has_times, FILE *out)
{
	put_left(STR_LIT("Function "), width, 0, out);
	fprintf(out, "%s\n", what);
	if (has_times) {
		put_blanks(width, out);
		fputs("    ncalls  tottime  cumtime\n", out);
	}
}

/* Every line but the first of a function is indented, by the arrow and its blanks. */
static void put_call(const struct pstats_call *call, size_t width, bool is_first,
		     FILE *out)
{
	if (call->has_no_times) {
		put_blanks(is_first ? 0 : width + 3, out);
		put_text(call->name, out);
		putc('(', out);
		put_count(call->times.calls, out);
		putc(')', out);
		if (!call->has_no_total) {
			putc(' ', out);
			put_seconds(call->times.total_s, out);
		}
	} else {
		put_blanks(is_first ? 0 : width + 1, out);
		put_calls(&call->times, is_first ? 7 : 9, out);
		putc(' ', out);
		put_seconds(call->times.self_s, out);
		putc(' ', out);
		put_seconds(call->times.total_s, out);
		fputs("  ", out);
		put_text(call->name, out);
	}
	putc('\n', out);
}

void pstats_text_calls(struct str name, size_t width, const char *arrow,
		       const struct pstats_call *calls, size_t n, FILE *out)
{
	put_left(name, width, 2, out);
	fprintf(out, "%s ", arrow);
	if (n == 0)
		putc('\n', out);
	for (size_t i = 0; i < n && !ferror(out); i++)
		put_call(&calls[i], width, i == 0, out);
}
