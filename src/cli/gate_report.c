/* What a gate tells other programs: see gate.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/gate.h"
#include "cli/output.h"
#include "query/diff/diff_view.h"
#include "report/renderer.h"
#include "report/xml_put.h"

/* Of the rows of a comparison so many are in the summary. */
#define SUMMARY_ROWS 3

static int path_error(const char *path, struct err *err)
{
	return err_of_file(err, path, strerror(errno));
}

/* As -o: whole or not there, in the place of an older one. */
static int open_report(struct output *out, const char *path, struct err *err)
{
	const struct output_opts o = {
		.path = path, .color = "never", .force = true, .no_pager = true
	};

	return output_open(out, "gate", &o, err);
}

int gate_write_verdict(const struct gate *g, const char *path, struct err *err)
{
	struct output out;

	if (open_report(&out, path, err) < 0)
		return -1;
	fprintf(out.stream, "%s\n", gate_verdict_name(g->verdict));
	return output_close(&out, true, err);
}

/* What JUnit's readers show of a case that did not pass. */
static void put_outcome(struct xml *x, const struct gate_line *line, const char *text)
{
	const char *element = gate_line_counts(line) && line->verdict == GATE_FAIL
				      ? "failure"
				      : "skipped";

	xml_begin(x, element);
	xml_value(x, "message", str_of(text));
	if (line->verdict == GATE_FAIL)
		xml_text(x, str_of(text));
	xml_end(x, element);
}

static void put_case(struct xml *x, const struct gate_line *line, struct arena *arena)
{
	const struct budget *b = line->budget;
	const char *text = gate_line_text(line, arena);

	xml_begin(x, "testcase");
	xml_value(x, "classname", str_of(arena_printf(arena, "ptool.%s", b->view->name)));
	xml_value(x, "name", str_of(b->name));
	xml_value(x, "time", STR_LIT("0"));
	if (line->verdict != GATE_PASS)
		put_outcome(x, line, text);
	xml_begin(x, "system-out");
	xml_text(x, str_of(text));
	xml_end(x, "system-out");
	xml_end(x, "testcase");
}

/* How many budgets fail, or else do not pass. */
static size_t count_lines(const struct gate *g, bool failed, bool open)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct gate_line *line = &g->lines[i];
		bool is_failure = line->verdict == GATE_FAIL && gate_line_counts(line);
		if (!line->row)
			n += line->verdict == GATE_PASS ? !failed && !open
			     : is_failure               ? failed
							: open;
	}
	return n;
}

static void value_of(struct xml *x, const char *name, size_t value, struct arena *arena)
{
	xml_value(x, name, str_of(arena_printf(arena, "%zu", value)));
}

int gate_write_junit(const struct gate *g, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct output out;
	size_t failed = count_lines(g, true, false), open = count_lines(g, false, true);

	if (open_report(&out, path, err) < 0)
		return -1;
	struct writer w = { .out = out.stream };
	struct xml x = { .w = &w };
	writer_str(&w, STR_LIT("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
	xml_begin(&x, "testsuites");
	xml_begin(&x, "testsuite");
	xml_value(&x, "name", STR_LIT("ptool gate"));
	value_of(&x, "tests", failed + open + count_lines(g, false, false), &arena);
	value_of(&x, "failures", failed, &arena);
	value_of(&x, "errors", 0, &arena);
	value_of(&x, "skipped", open, &arena);
	for (size_t i = 0; i < g->n; i++)
		if (!g->lines[i].row)
			put_case(&x, &g->lines[i], &arena);
	xml_end(&x, "testsuite");
	xml_end(&x, "testsuites");
	writer_byte(&w, '\n');
	writer_flush(&w);
	arena_release(&arena);
	return output_close(&out, true, err);
}

/* What could drive a terminal is made visible, as in tables. */
static void put_visible(const char *text)
{
	struct buf visible;

	buf_init(&visible, SIZE_MAX);
	utf8_add_visible(&visible, str_of(text));
	printf(STR_FMT, STR_ARG(buf_str(&visible)));
	buf_release(&visible);
}

/* The same; % is escaped, in properties : and , too, as Actions' runner reads them. */
static void put_escaped(const char *text, bool is_property)
{
	struct buf escaped;

	buf_init(&escaped, SIZE_MAX);
	for (; *text; text++) {
		if (*text == '%' || (is_property && strchr(":,", *text)))
			buf_addf(&escaped, "%%%02X", (unsigned)(unsigned char)*text);
		else
			buf_add_char(&escaped, *text);
	}
	buf_add_char(&escaped, '\0');
	put_visible(escaped.p);
	buf_release(&escaped);
}

int gate_stop_commands(struct gate_token *t, struct err *err)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_set(err, ERR_IO, "no random number: %s", strerror(errno));
	snprintf(t->text, sizeof(t->text), "ptool-%016" PRIx64, random);
	printf("::stop-commands::%s\n", t->text);
	fflush(stdout);
	return 0;
}

void gate_resume_commands(const struct gate_token *t)
{
	printf("::%s::\n", t->text);
}

void gate_annotate(const struct gate *g, const char *path)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < g->n; i++) {
		const struct gate_line *line = &g->lines[i];
		if (line->verdict == GATE_PASS || line->row)
			continue;
		printf("::%s file=", !gate_line_counts(line)      ? "notice"
				     : line->verdict == GATE_FAIL ? "error"
								  : "warning");
		put_escaped(path, true);
		printf(",line=%d,title=", line->budget->line);
		put_escaped(arena_printf(&arena, "ptool gate: %s", line->budget->name),
			    true);
		printf("::");
		put_escaped(gate_line_text(line, &arena), false);
		putchar('\n');
	}
	arena_release(&arena);
}

/* The table, and those below it. */
static int put_table(struct table *t, FILE *to, struct err *err)
{
	const struct render_opts opts = { .width = 0 };
	int rc = 0;

	for (; t && rc == 0; t = t->more) {
		rc = renderer_find("markdown")->render(t, &opts, to, err);
		fputc('\n', to);
	}
	return rc;
}

/* A paragraph as the renderer writes it: Markdown's own characters mean nothing. */
static int put_line(const char *text, FILE *to, struct err *err)
{
	struct memtable *m = memtable_new(NULL, 0);

	m->table.caption = text;
	int rc = put_table(&m->table, to, err);
	table_free(&m->table);
	return rc;
}

/* The first baseline's comparison: the verdict, the accounting, what explains most. */
static int put_comparison(const struct gate *g, FILE *to, struct err *err)
{
	static const struct filter no_filter = { .focus = NULL };
	const struct diff_sides *base = &g->bases[0].sides, *new = g->plan->new_side;
	const struct diff_request request = {
		.runs = { base->runs[DIFF_BASE], new->runs[DIFF_BASE] },
		.nruns = { base->n[DIFF_BASE], new->n[DIFF_BASE] },
		.filter = &no_filter,
		.metric = NDIFF_METRICS,
		.within_run = g->plan->within_run,
		.alpha = g->plan->alpha,
		.min_effect_pct = 1,
	};
	const struct view_request show = { .for_people = true, .limit = SUMMARY_ROWS };
	struct diff d = { .request = NULL };
	struct table *table = NULL;
	int rc = diff_open(&d, &request, err);

	if (rc == 0)
		rc = diff_open_view(&d, DIFF_PART_ROWS, &show, &table, err);
	if (rc == 0) {
		fputs("\n### Against ", to);
		rc = put_line(g->bases[0].name, to, err);
		if (rc == 0)
			rc = put_table(table, to, err);
	} else if (err->kind == ERR_EMPTY) {
		const struct err why = *err;
		*err = (struct err)ERR_INIT;
		fputc('\n', to);
		rc = put_line(why.text, to, err);
	}
	table_free(table);
	diff_release(&d);
	return rc;
}

int gate_write_summary(const struct gate *g, struct err *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *file;

	if (!path || !*path)
		return 0;
	file = fopen(path, "abe");
	if (!file)
		return path_error(path, err);
	struct memtable *m = gate_table(g, true);
	fputs("## ", file); /* before the caption */
	int rc = put_table(&m->table, file, err);
	table_free(&m->table);
	if (rc == 0 && g->nbases)
		rc = put_comparison(g, file, err);
	bool is_bad = ferror(file) != 0;
	return fclose(file) != 0 || is_bad ? path_error(path, err) : rc;
}
