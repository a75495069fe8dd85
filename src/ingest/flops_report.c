/*
 * The report of DeepSpeed's FLOPs profiler (deepspeed/profiling/flops_profiler), wherever
 * in a text it stands: the model as torch prints it, each module with its parameters, its
 * multiply-accumulate operations (MACs) and the time of its forward pass.  Modules become
 * stacks, and the three numbers three measures of them.
 *
 *	(attn): Attention(
 *	  2.36 M = 2.24% Params, 4.03 GMACs = 5.37% MACs, 2.31 ms = 10.93% latency, ...
 *	  (qkv): Linear(1.77 M = 1.68% Params, 1.81 GMACs = ..., in_features=768)
 *	)
 *
 * Up to DeepSpeed 0.8 a comma stands for " =".  Numbers have two digits behind the point.
 */
#include "base/sum.h"
#include "ingest/flops_model.h"
#include "ingest/printed.h"

#define NS_DIGITS  9
#define DECIMALS   2       /* of each number */
#define TIMES_MAX  1000000 /* modules that are printed as one */
#define DASHES_MIN 20      /* of the line behind a report */

/* As they stand in a line, each from where the one before it ends. */
static const struct {
	enum flops_measure measure;
	const char *end;  /* of what is said of it */
	const char *unit; /* behind the letter for thousands */
} columns[] = {
	{ FLOPS_PARAMS, "% Params", "" },
	{ FLOPS_MACS, "% MACs", "MACs" },
	{ FLOPS_TIME, "% latency", "s" },
};

struct reading {
	struct printed in;
	struct stacks stacks;
	struct flops_model model;
	struct buf name;
	size_t at; /* of the title */
};

static bool begins(struct str line, struct str *name)
{
	*name = STR_LIT("");
	return str_starts_with(line_trimmed(line), STR_LIT("-----")) &&
	       str_contains(line, STR_LIT("- DeepSpeed Flops Profiler -"));
}

static enum probe flops_probe(struct bytes head)
{
	return printed_probe(head, begins);
}

/* The digits behind the point that a letter stands for: -6 for "u", 9 for "G". */
static bool unit_digits(struct str letter, int *digits)
{
	static const struct {
		char letter;
		int digits;
	} known[] = { { 'T', 12 }, { 'G', 9 }, { 'B', 9 },  { 'M', 6 },
		      { 'K', 3 },  { 'k', 3 }, { 'm', -3 }, { 'u', -6 } };

	*digits = 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (letter.n == 1 && letter.p[0] == known[i].letter)
			*digits = known[i].digits;
	return letter.n == 0 || *digits != 0;
}

/* "4.03 GMACs", at the front of a text that ends in a share. */
static bool read_amount(struct str text, enum flops_measure measure, const char *unit,
			struct flops_numbers *out)
{
	size_t n = 0, end = strlen(unit);
	int64_t slack;
	int digits;

	text = line_trimmed(text);
	while (n < text.n && text.p[n] != ',' &&
	       !(text.p[n] == ' ' && n + 1 < text.n && text.p[n + 1] == '='))
		n++;
	struct str rest = { text.p, n };
	struct str number = line_word(&rest), letter = line_trimmed(rest);
	if (letter.n < end || memcmp(letter.p + letter.n - end, unit, end) != 0)
		return false;
	letter.n -= end;
	if (!unit_digits(letter, &digits))
		return false;
	digits += measure == FLOPS_TIME ? NS_DIGITS : 0;
	if (number.n == 0 ||
	    decimal_scaled(number, digits, &out->value[measure]) != DECIMAL_OK ||
	    out->value[measure] < 0)
		return false;
	/* half of the last digit; 0 is exact: small numbers have small units */
	slack = digits > DECIMALS && out->value[measure] > 0 ? 5 : 0;
	for (int i = DECIMALS + 1; i < digits; i++)
		slack *= 10;
	out->least[measure] = out->value[measure] - slack;
	out->most[measure] = sum_add(out->value[measure], slack);
	return true;
}

/* Where `word` ends in a text, or 0. */
static size_t behind(struct str text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.n; i++)
		if (memcmp(text.p + i, word, n) == 0)
			return i + n;
	return 0;
}

static bool read_numbers(struct str text, struct flops_numbers *out)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		size_t end = behind(text, columns[i].end);
		if (!end || !read_amount((struct str){ text.p, end }, columns[i].measure,
					 columns[i].unit, out))
			return false;
		text = str_behind(text, end);
		while (text.n && (text.p[0] == ',' || text.p[0] == ' '))
			text = str_behind(text, 1);
	}
	return true;
}

static bool is_of_class(char c)
{
	return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* "(0-1): 2 x Block(", and what is between its parentheses. */
struct head {
	struct str name, class, inside;
	int64_t times;
};

/* "2 x " before a class: modules that are printed alike. */
static struct str read_times(struct str text, int64_t *times)
{
	struct str rest = text, number = line_word(&rest), x = line_word(&rest);

	*times = 1;
	if (!str_is(x, "x") || !printed_count(number, times) || *times < 1 ||
	    *times > TIMES_MAX) {
		*times = 1;
		return text;
	}
	return str_behind(rest, line_indent(rest));
}

static bool read_head(struct str line, struct head *h)
{
	struct str text = line_trimmed(line);
	size_t n = 0;

	*h = (struct head){ .name = { "", 0 } };
	if (text.n && text.p[0] == '(') {
		size_t end = behind(text, "): ");
		if (end < 5)
			return false;
		h->name = (struct str){ text.p + 1, end - 4 };
		text = str_behind(text, end);
	}
	text = read_times(text, &h->times);
	while (n < text.n && is_of_class(text.p[n]))
		n++;
	if (n == 0 || n == text.n || text.p[n] != '(')
		return false;
	h->class = (struct str){ text.p, n };
	h->inside = str_behind(text, n + 1);
	return true;
}

/* `own` is NULL where it is in a line below, if at all. */
static int open_module(struct reading *r, const struct head *h,
		       const struct flops_numbers *own, struct err *err)
{
	struct flops_module m = { .indent = line_indent(r->in.lines.line),
				  .times = h->times,
				  .has_numbers = own != NULL,
				  .at = r->in.lines.start };

	if (own)
		m.all = *own;
	buf_clear(&r->name);
	buf_addf(&r->name, STR_FMT "%s" STR_FMT, STR_ARG(h->name), h->name.n ? ": " : "",
		 STR_ARG(h->class));
	return flops_model_enter(&r->model, &m, buf_str(&r->name), err);
}

/* A line within the model, which other output may stand between: 1 at its end. */
static int read_line(struct reading *r, struct err *err)
{
	struct str line = r->in.lines.line, text = line_trimmed(line);
	struct flops_module *m = flops_model_open(&r->model);
	size_t indent = line_indent(line);
	struct flops_numbers numbers;
	struct head h;

	if (str_is(text, ")") && m && indent == m->indent)
		return flops_model_leave(&r->model, err) < 0
			       ? -1
			       : !flops_model_open(&r->model);
	if (m && !m->has_numbers && read_numbers(text, &numbers)) {
		m->all = numbers;
		m->has_numbers = true;
		return 0;
	}
	if (!read_head(line, &h) || (m ? !h.name.n || indent <= m->indent : h.name.n > 0))
		return 0;
	bool is_leaf = h.inside.n && h.inside.p[h.inside.n - 1] == ')' &&
		       read_numbers(h.inside, &numbers);
	if (!is_leaf && h.inside.n)
		return 0;
	if (open_module(r, &h, is_leaf ? &numbers : NULL, err) < 0)
		return -1;
	if (!is_leaf)
		return 0;
	return flops_model_leave(&r->model, err) < 0 ? -1 : !flops_model_open(&r->model);
}

/* "fwd latency:        21.13 ms", above the model; "Profile Summary at step 5:" */
static void read_summary(struct reading *r)
{
	struct str line = line_trimmed(r->in.lines.line);
	size_t end = behind(line, ":  ");
	const struct str step = STR_LIT("Profile Summary at step ");

	if (str_starts_with(line, step) && line.n > step.n + 1)
		printed_metadata(&r->in, "step",
				 (struct str){ line.p + step.n, line.n - step.n - 1 });
	if (!end)
		return;
	buf_clear(&r->name);
	buf_add(&r->name, line.p, end - 3);
	buf_add_char(&r->name, '\0');
	printed_metadata(&r->in, r->name.p, line_trimmed(str_behind(line, end)));
}

static bool is_end(struct str line)
{
	size_t n = 0;

	line = line_trimmed(line);
	while (n < line.n && line.p[n] == '-')
		n++;
	return n == line.n && n >= DASHES_MIN;
}

/* From the title to the model's end, or to where the report ends too early. */
static int read_report(struct reading *r, struct err *err)
{
	bool is_detailed = false, is_over = false;
	struct str name;
	int more, rc = 0;

	do
		more = printed_next(&r->in, err);
	while (more > 0 && !begins(r->in.lines.line, &name));
	r->at = r->in.lines.start;
	while (rc == 0 && !is_over && more > 0) {
		more = printed_next(&r->in, err);
		if (more <= 0)
			break;
		is_over = is_end(r->in.lines.line);
		is_detailed |= str_contains(r->in.lines.line,
					    STR_LIT("- Detailed Profile per GPU -"));
		if (is_detailed)
			rc = read_line(r, err);
		else
			read_summary(r);
	}
	return rc < 0 || more < 0 ? -1 : 0;
}

static int finish(struct reading *r, struct err *err)
{
	const struct str none = STR_LIT("");

	if (!r->model.has_closed)
		return err_at(err, r->at,
			      "the report of DeepSpeed has no complete module: "
			      "detailed=True is needed, or the report was cut off");
	if (flops_model_open(&r->model) &&
	    printed_tell(&r->in, FINDING_TRUNCATED, r->in.lines.start, none, err) < 0)
		return -1;
	if (flops_model_tell(&r->model, err) < 0 ||
	    printed_tell(&r->in, FINDING_ROUNDED, r->at, none, err) < 0)
		return -1;
	stacks_end(&r->stacks, "deepspeed");
	return 0;
}

static int flops_read(struct input *in, const struct read_options *options,
		      struct sink *sink, struct err *err)
{
	struct reading r = { .at = 0 };

	stacks_init(&r.stacks, sink, options);
	flops_model_init(&r.model, &r.stacks);
	buf_init(&r.name, SIZE_MAX);
	int rc = printed_open(&r.in, in, options, sink, err);
	if (rc == 0)
		rc = read_report(&r, err);
	if (rc == 0)
		rc = finish(&r, err);
	printed_close(&r.in);
	stacks_release(&r.stacks);
	buf_release(&r.name);
	flops_model_release(&r.model);
	return rc;
}

const struct reader flops_report_reader = {
	.name = "flops-report",
	.help = "what DeepSpeed's FLOPs profiler prints",
	.probe = flops_probe,
	.read = flops_read,
	.begins = begins,
	.is_print = true,
};
