/*
 * What names of files and options of the command line say, whatever they hold:
 * ranks and workers of names, filters and their regular expressions, lists of
 * --by, text drawn in a terminal.  Corpus only.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "ingest/file_name.h"
#include "ingest/sink.h"
#include "query/filter.h"
#include "query/top/top.h"

#define FIELDS   9
#define TEXT_MAX ((size_t)1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool is_within(struct str part, struct str whole)
{
	return part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static bool is_small(int64_t number)
{
	return number == NUMBER_NONE || (number >= 0 && number < 10000000);
}

static void check_name(struct str path)
{
	struct str base = file_name_base(path), folder = file_name_folder(path);
	struct file_name name = file_name_parse(path);

	must(is_within(base, path) && is_within(folder, path));
	must(!memchr(base.p, '/', base.n) && is_within(name.worker, base));
	must(is_small(name.rank) && is_small(name.step));
	must(name.is_handler || (!name.worker.n && name.stamp == NUMBER_NONE));
	/* Only the last folder has a say. */
	char *longer = xasprintf("rank77/%.*s", STR_ARG(path));
	struct file_name again = file_name_parse(str_of(longer));
	if (memchr(path.p, '/', path.n))
		must(again.rank == name.rank);
	must(again.step == name.step && again.stamp == name.stamp);
	free(longer);
}

static void check_drawing(struct str text)
{
	struct buf visible, shortened, again;
	size_t cells = 1 + text.n % 40;

	buf_init(&visible, TEXT_MAX);
	buf_init(&shortened, TEXT_MAX);
	buf_init(&again, TEXT_MAX);
	utf8_add_visible(&visible, text);
	for (size_t i = 0; i < visible.n; i++)
		must((unsigned char)visible.p[i] >= ' ' && visible.p[i] != 0x7f);
	utf8_add_visible(&again, buf_str(&visible));
	must(str_equal(buf_str(&again), buf_str(&visible)));
	utf8_add_shortened(&shortened, buf_str(&visible), cells);
	must(utf8_width(buf_str(&shortened)) <= cells);
	if (utf8_width(buf_str(&visible)) <= cells)
		must(str_equal(buf_str(&shortened), buf_str(&visible)));
	buf_release(&visible);
	buf_release(&shortened);
	buf_release(&again);
}

/* A mistake of the user's, and what it is. */
static void must_tell(const struct err *err)
{
	must(err->kind == ERR_USAGE || err->kind == ERR_EMPTY || err->kind == ERR_INPUT);
	must(err->text[0]);
}

static void ask(const struct filter *f, struct str text, struct err *err)
{
	int has = filter_has_name(f, text, err);

	must((has < 0) == (err->kind != ERR_NONE));
	must(has >= 0 || err->text[0]);
	must(f->focus || f->ignore || has == 1);
	must(f->has_min_dur || filter_has_dur(f, 0));
	must(f->has_times || filter_has_time(f, INT64_MIN));
	must(!f->has_times || f->from_ns < f->to_ns);
	must(!f->has_steps || f->first_step <= f->last_step);
	must(f->categories.n || filter_has_category(f, text, CLASS_NONE));
	must(f->threads.n || filter_has_thread(f, text, text));
	for (size_t i = 0; i < f->categories.n; i++)
		must(filter_has_category(f, f->categories.items[i], CLASS_NONE));
	for (size_t i = 0; i < f->streams.n; i++)
		must(filter_has_number(&f->streams, f->streams.items[i]));
}

static void check_filter(char *const field[FIELDS])
{
	const char *const lists[] = { field[5], field[6], field[7], field[8] };
	struct filter_texts texts = { .focus = field[0],
				      .ignore = field[1],
				      .steps = field[2],
				      .times = field[3],
				      .min_dur = field[4] };
	struct err err = ERR_INIT;
	struct filter f;

	texts.categories = lists;
	texts.threads = lists + 1;
	texts.streams = lists + 2;
	texts.devices = lists + 3;
	texts.ncategories = lists[0] != NULL;
	texts.nthreads = lists[1] != NULL;
	texts.nstreams = lists[2] != NULL;
	texts.ndevices = lists[3] != NULL;
	if (filter_compile(&texts, &f, &err) < 0) {
		must_tell(&err);
		return;
	}
	must(err.kind == ERR_NONE);
	ask(&f, str_of(field[1] ? field[1] : "aten::mm"), &err);
	filter_release(&f);
}

/* The input's lines; NULL for those that are empty or not there. */
static void split(char *text, char *field[FIELDS])
{
	for (size_t i = 0; i < FIELDS; i++) {
		char *end = text ? strchr(text, '\n') : NULL;
		field[i] = text && *text && *text != '\n' ? text : NULL;
		if (end)
			*end++ = '\0';
		text = end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = xcalloc(1, size + 1), *field[FIELDS];
	struct top_query query = { .top_level = false };
	struct err err = ERR_INIT;

	if (size)
		memcpy(copy, data, size);
	struct str path = { copy, strlen(copy) };
	check_name(path);
	check_drawing((struct str){ copy, size });
	if (top_by_add(&query, copy, &err) < 0)
		must_tell(&err);
	split(copy, field);
	check_filter(field);
	free(copy);
	return 0;
}
