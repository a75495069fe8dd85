/* One input into one profile, and what can be read before its turn: see importing.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bundle.h"
#include "base/expand.h"
#include "base/input.h"
#include "base/spill.h"
#include "ingest/parts.h"
#include "ingest/printed.h"
#include "store/ahead.h"
#include "store/import_read.h"
#include "store/importing.h"

struct listing {
	struct ahead_plan plan;
	size_t cap;
	struct intern seen; /* (device, inode): a file is read once */
};

static int64_t mtime_ns(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void list_file(struct listing *l, const char *shown, const struct stat *st,
		      bool is_found)
{
	const uint64_t key[] = { (uint64_t)st->st_dev, (uint64_t)st->st_ino };
	size_t known = l->seen.n;

	if (!S_ISREG(st->st_mode) ||
	    intern_add(&l->seen, str_bytes(key, sizeof(key))) < known)
		return;
	*ARRAY_PUSH(l->plan.files, l->plan.nfiles, l->cap) =
		(struct ahead_file){ .shown = shown,
				     .size = (uint64_t)st->st_size,
				     .mtime_ns = mtime_ns(st),
				     .is_found = is_found };
}

static void list_operand(struct listing *l, const struct import_operand *operand)
{
	if (!operand->is_folder)
		list_file(l, operand->path, &operand->st, false);
	for (size_t at = 0; at < operand->walk.n; at++)
		if (operand->walk.files[at].kind == WALK_FILE)
			list_file(l, operand->walk.files[at].path,
				  &operand->walk.files[at].st, true);
}

/* In the order in which import_path() meets them. */
struct ahead *import_ahead(const struct importing *i)
{
	struct listing l = { .plan = { .reader = i->options->reader,
				       .options = i->options->read,
				       .spill = i->spill,
				       .expand = import_expand(i->options, NULL) } };

	if (i->options->one_by_one)
		return NULL;
	intern_init(&l.seen);
	for (const struct import_operand *o = i->operands; o < i->operands + i->noperands;
	     o++)
		if (!o->is_again && o->err.kind == ERR_NONE)
			list_operand(&l, o);
	intern_release(&l.seen);
	return ahead_new(&l.plan);
}

/* The bytes that a member has taken are the archive's; so is the file's size. */
int import_progress(void *to, uint64_t consumed, uint64_t size, struct err *err)
{
	struct importing *i = to;

	(void)size;
	return import_tell(i, i->archive ? input_consumed(i->archive) : consumed, err);
}

static void note_profile(struct importing *i, const struct import_source *source,
			 const struct load_result *loaded)
{
	struct import_profile *p = ARRAY_PUSH(i->profiles, i->nprofiles, i->profiles_cap);

	*p = (struct import_profile){ .id = loaded->profile_id,
				      .shown = xstrdup(source->shown),
				      .path = xstrdup(source->path),
				      .rank = loaded->rank,
				      .axes = loaded->axes,
				      .is_alone = loaded->is_alone };
	p->name = file_name_parse(str_of(p->shown));
	if (!loaded->is_rank_of_name)
		return;
	struct import_result *r = i->result;
	if (r->named_ranks == 0 || loaded->rank < r->first_rank)
		r->first_rank = loaded->rank;
	if (r->named_ranks == 0 || loaded->rank > r->last_rank)
		r->last_rank = loaded->rank;
	r->named_ranks++;
}

/* What nothing was read of, or what could not be: 0, or -1 when the user stopped it. */
static int note_unread(struct importing *i, const struct import_source *source,
		       const struct reading *reading, struct err *err)
{
	struct import_file file = { .path = source->shown };
	bool is_refused = (reading->is_sure && !source->part_bytes) ||
			  reading->why.kind != ERR_INPUT;

	/* the archive is refused, not the member that was read just then */
	if (i->expand && expand_is_over_inside(i->expand))
		return 0;
	/* it is not the file's fault that there is no room for its records */
	if (spill_check(i->spill, err) < 0)
		return -1;
	if (reading->why.kind == ERR_INTERRUPT) {
		*err = reading->why;
		return -1;
	}
	import_note(i, is_refused ? IMPORT_REFUSED : IMPORT_PASSED, &file, &reading->why);
	return 0;
}

/*
 * When the file was changed last, as it was before it was opened: NUMBER_NONE if it is
 * another by now, of which nobody knows how much was read.
 */
static int64_t mtime_of(const struct importing *i, int64_t before_ns)
{
	struct stat st;

	if (i->file && (stat(i->file, &st) < 0 || mtime_ns(&st) != before_ns))
		return NUMBER_NONE;
	return before_ns;
}

/* Nothing is stored: some of the ranks would be missing. */
static void note_many(struct importing *i, const struct import_source *source)
{
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;

	err_set(&why, ERR_INPUT, "more than %" PRIu64 " traces in one run",
		read_limits(&i->options->read)->profiles);
	import_note(i, IMPORT_REFUSED, &file, &why);
	i->is_lost = true;
}

/* text_ids: load_source's. */
static int store_reading(struct importing *i, const struct import_source *source,
			 const struct reading *reading, const uint32_t *text_ids,
			 struct err *err)
{
	struct load_source about = reading->about;

	if (reading->why.kind != ERR_NONE)
		return note_unread(i, source, reading, err);
	about.threads = i->options->read.threads;
	about.text_ids = text_ids;
	return reading->split ? import_split(i, source, reading, &about, err)
			      : import_store(i, source, reading->loader, &about, err);
}

int import_store(struct importing *i, const struct import_source *source,
		 struct loader *loader, struct load_source *about, struct err *err)
{
	struct import_file file = { .path = source->shown };
	struct load_result loaded = { 0 };

	if (i->nprofiles >= read_limits(&i->options->read)->profiles) {
		note_many(i, source);
		return 0;
	}
	about->run_id = i->run_id;
	about->path = source->path;
	about->mtime_ns = mtime_of(i, about->mtime_ns);
	if (loader_write(loader, i->db, about, &loaded, err) < 0)
		return -1;
	file.bytes = about->bytes;
	file.slices = loaded.slices;
	file.functions = loaded.functions;
	file.stacks = loaded.stacks;
	file.operators = loaded.operators;
	file.findings = loaded.findings;
	file.rank = loaded.rank;
	note_profile(i, source, &loaded);
	import_note(i, IMPORT_STORED, &file, NULL);
	return 0;
}

/* A file of its own, and no pipe. */
static bool can_open_again(const struct import_source *source)
{
	struct stat st;

	return strcmp(source->shown, "-") != 0 && stat(source->shown, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

static void tell_begin(const struct importing *i, const struct import_source *source)
{
	if (i->events->begin)
		i->events->begin(i->events->to, source->shown, i->total);
}

static int import_report(struct importing *i, const struct import_source *source,
			 const struct reader *reader, struct input *in, struct err *err)
{
	struct reading_how how = { .reader = reader,
				   .options = i->options->read,
				   .texts = &i->texts,
				   .spill = i->spill,
				   .progress = import_progress,
				   .to = i,
				   .mtime_ns = i->file_ns,
				   .may_split = !i->archive && !source->part_bytes,
				   .is_kept = !can_open_again(source) };
	struct reading reading;

	how.options.report = source->report;
	input_set_stop(in, import_wait, i);
	tell_begin(i, source);
	reading_read(&how, source, in, &reading);
	reading_settle(&how, &reading);
	if (source->part_bytes)
		reading.about.bytes = source->part_bytes;
	int rc = store_reading(i, source, &reading, NULL, err);
	reading_release(&reading);
	return rc;
}

/*
 * Those beside a report are the nearest of the same reader, whatever is between them; *end
 * is behind the last of them.
 */
static struct report_place place_of(const struct parts *parts, size_t at, size_t *end)
{
	const struct part *part = &parts->items[at];
	const size_t beside = part->reader->reads_beside;
	struct report_place place = { .from = part->at, .number = 1 };

	for (size_t p = at; p-- > 0 && place.number <= beside;)
		if (parts->items[p].reader == part->reader) {
			place.from = parts->items[p].at;
			place.number++;
		}
	if (place.number <= beside)
		place.from = 0; /* lines above the first report are its own */
	*end = parts->items[parts->n - 1].at + parts->items[parts->n - 1].n;
	for (size_t p = at + 1, n = 0; p < parts->n; p++)
		if (parts->items[p].reader == part->reader && n++ == beside) {
			*end = parts->items[p].at;
			break;
		}
	return place;
}

/* Each report of the text as if it were a file in a folder of the text's name. */
static int import_parts(struct importing *i, const struct import_source *text,
			struct bytes bytes, const struct parts *parts, struct err *err)
{
	size_t before = import_count_traces(i);
	struct import_file file = { .path = text->shown };
	struct err why = ERR_INIT;
	int rc = 0;

	for (size_t at = 0; at < parts->n && rc == 0 && !import_is_lost(i); at++) {
		const struct part *part = &parts->items[at];
		struct report_place place = { .number = 0 };
		size_t from = part->at, end = part->at + part->n;
		if (part->reader->reads_beside) {
			place = place_of(parts, at, &end);
			from = place.from;
		}
		char *shown = xasprintf("%s/" STR_FMT, text->shown, STR_ARG(part->name));
		char *path = xasprintf("%s/" STR_FMT, text->path, STR_ARG(part->name));
		struct import_source source = { .shown = shown,
						.path = path,
						.is_found = text->is_found,
						.part_bytes = part->n,
						.report = place };
		struct input *in =
			input_from_memory((struct bytes){ bytes.p + from, end - from });
		input_set_plain(in);
		rc = import_report(i, &source, part->reader, in, err);
		input_close(in);
		free(path);
		free(shown);
	}
	if (rc < 0 || import_count_traces(i) > before || import_is_lost(i))
		return rc;
	err_set(&why, ERR_INPUT, "none of the %zu reports in it has a row", parts->n);
	import_note(i, IMPORT_REFUSED, &file, &why);
	return 0;
}

/*
 * What input_peek() gave, from its first line that is not blank: a gigabyte of blanks
 * says nothing to any probe.
 */
static struct bytes without_blanks(struct bytes text)
{
	size_t n = strspn((const char *)text.p, " \t\r\n"), line = n;

	while (line > 0 && n - line < PROBE_BYTES && text.p[line - 1] != '\n')
		line--;
	return (struct bytes){ text.p + line, text.n - line };
}

/* Reports in a text, which may stand far behind other output where the user names it. */
static int import_text(struct importing *i, const struct import_source *source,
		       struct input *in, struct err *err)
{
	const struct reader *reader = i->options->reader;
	struct err ignored = ERR_INIT; /* who reads it will meet it again */
	struct parts parts = { 0 };
	int rc;

	input_set_spill(in, i->spill);
	struct bytes bytes = input_peek(in, INPUT_WHOLE_MAX, &ignored);
	if (ignored.kind == ERR_NONE && bytes.n < INPUT_WHOLE_MAX)
		parts_find(bytes, reader, &parts);
	if (parts.n > 1) {
		rc = import_parts(i, source, bytes, &parts, err);
	} else {
		struct bytes head = { bytes.p,
				      bytes.n < PROBE_BYTES ? bytes.n : PROBE_BYTES };
		if (!reader)
			reader = parts.n ? parts.items[0].reader : reader_detect(head);
		if (!reader)
			reader = reader_detect(without_blanks(bytes));
		rc = import_report(i, source, reader, in, err);
	}
	parts_release(&parts);
	return rc;
}

static bool is_text_of_reports(const struct importing *i,
			       const struct import_source *source, struct bytes head)
{
	const struct reader *reader = i->options->reader;

	if (reader ? reader->begins != NULL : parts_may_be(head))
		return true;
	return !reader && !source->is_found && head.n >= PROBE_BYTES &&
	       parts_is_text(head) && !reader_detect(head);
}

/* Kept until all beside it is known; false: it is read like any other. */
static bool keep_print(struct importing *i, const struct import_source *source,
		       struct input *in, struct bytes head)
{
	const struct reader *reader = i->options->reader ? NULL : reader_detect(head);
	struct err ignored = ERR_INIT; /* who reads it will meet it again */

	if (!source->is_found || i->has_only_prints || !reader || !reader->is_print)
		return false;
	input_set_spill(in, i->spill);
	struct bytes text = input_peek(in, INPUT_WHOLE_MAX, &ignored);
	if (ignored.kind != ERR_NONE || text.n == INPUT_WHOLE_MAX)
		return false;
	unsigned char *copy = spill_alloc(i->spill, text.n, 1);
	memcpy(copy, text.p, text.n);
	*ARRAY_PUSH(i->prints, i->nprints, i->prints_cap) =
		(struct print){ .shown = xstrdup(source->shown),
				.path = xstrdup(source->path),
				.text = copy,
				.n = text.n,
				.mtime_ns = mtime_of(i, i->file_ns) };
	return true;
}

static int import_print(struct importing *i, const struct print *print, struct err *err)
{
	const struct import_source source = { .shown = print->shown,
					      .path = print->path,
					      .is_found = true };
	struct input *in = input_from_memory((struct bytes){ print->text, print->n });

	input_set_plain(in);
	i->file_ns = print->mtime_ns;
	int rc = import_input(i, &source, in, err);
	input_close(in);
	return rc;
}

static void pass_print(struct importing *i, const struct print *print)
{
	struct import_file file = { .path = print->shown };
	struct err why = ERR_INIT;

	err_set(&why, ERR_INPUT,
		"a printed report or a picture next to recordings would count twice; to "
		"read it, give only this file");
	import_note(i, IMPORT_PASSED, &file, &why);
}

int import_prints(struct importing *i, size_t stored_before, struct err *err)
{
	size_t n = i->nprints;
	int rc = 0;

	i->nprints = 0;
	i->has_only_prints = i->result->stored == stored_before;
	for (struct print *print = i->prints; n > 0; n--, print++) {
		if (!i->has_only_prints)
			pass_print(i, print);
		else if (rc == 0 && err && !import_is_lost(i))
			rc = import_print(i, print, err);
		spill_free(i->spill, print->text);
		free(print->shown);
		free(print->path);
	}
	i->has_only_prints = false;
	return rc;
}

int import_input(struct importing *i, const struct import_source *source,
		 struct input *in, struct err *err)
{
	struct err ignored = ERR_INIT; /* who reads it will meet it again */

	input_set_stop(in, import_wait, i);
	struct bytes head = input_peek(in, PROBE_BYTES, &ignored);
	head.n = head.n < PROBE_BYTES ? head.n : PROBE_BYTES;
	if (ignored.kind == ERR_NONE && keep_print(i, source, in, head))
		return 0;
	if (ignored.kind == ERR_NONE && is_text_of_reports(i, source, head))
		return import_text(i, source, in, err);
	return import_report(i, source, i->options->reader, in, err);
}

/*
 * Adds a file's own texts in the order in which it said them: the run then numbers
 * them as if they had been said now.  By their own numbers; owned.
 */
static uint32_t *add_texts(struct importing *i, const struct intern *own)
{
	uint32_t *ids = spill_alloc(i->spill, own->n, sizeof(*ids));

	for (uint32_t k = 0; k < own->n; k++)
		ids[k] = intern_add(&i->texts, intern_str(own, k));
	return ids;
}

struct expand import_expand(const struct import_options *options, struct expand *archive)
{
	return (struct expand){ .limits = read_limits(&options->read),
				.factor = options->max_expand ? options->max_expand
							      : EXPAND_FACTOR,
				.archive = archive };
}

/* Nothing is stored when an archive or all files together expand to too much. */
static void weigh(struct importing *i, const struct import_source *source,
		  const struct expand *expand)
{
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;

	i->beyond += expand->beyond;
	if (expand_is_over_inside(expand))
		expand_tell(expand, "its members together expand", &why);
	else if (i->beyond > expand->limits->expand_run_bytes)
		expand_tell(expand, "the files up to this one expand", &why);
	if (i->is_lost || why.kind == ERR_NONE)
		return;
	import_note(i, IMPORT_REFUSED, &file, &why);
	i->is_lost = true;
}

static int import_result_ahead(struct importing *i, const struct import_source *source,
			       const struct ahead_result *result, struct err *err)
{
	/* What is refused leaves its texts, too, whoever reads it. */
	uint32_t *text_ids = add_texts(i, &result->texts);

	int rc = store_reading(i, source, &result->reading, text_ids, err);
	spill_free(i->spill, text_ids);
	i->before += result->size;
	weigh(i, source, &result->expand);
	return rc;
}

/* The file's number among those that were read; TEXT_NONE: it is no regular one. */
static uint32_t number_of(struct importing *i, const struct import_source *source)
{
	struct stat st;

	i->file_ns = NUMBER_NONE;
	if (strcmp(source->path, "-") == 0 || stat(source->path, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return TEXT_NONE;
	i->file_ns = mtime_ns(&st);
	const uint64_t key[] = { (uint64_t)st.st_dev, (uint64_t)st.st_ino };
	return intern_add(&i->seen, str_bytes(key, sizeof(key)));
}

static int import_opened(struct importing *i, const struct import_source *source,
			 struct input *in, struct expand *expand, struct err *err)
{
	struct err ignored = ERR_INIT; /* who reads it will meet it again */

	input_set_stop(in, import_wait, i);
	input_set_expand(in, expand);
	struct bytes head = input_peek(in, PROBE_BYTES, &ignored);
	if (ignored.kind == ERR_NONE && bundle_is(head)) {
		input_forget(in);
		return import_archive(i, source, in, expand, err);
	}
	return import_input(i, source, in, err);
}

static int import_here(struct importing *i, const struct import_source *source,
		       struct err *err)
{
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;
	struct input *in = input_open(source->shown, &why);

	if (!in) {
		import_note(i, IMPORT_REFUSED, &file, &why);
		return 0;
	}
	struct expand expand = import_expand(i->options, NULL);
	input_set_spill(in, i->spill);
	if (!can_open_again(source))
		input_keep(in);
	int rc = import_opened(i, source, in, &expand, err);
	i->before += input_size(in) ? input_size(in) : input_consumed(in);
	input_close(in);
	if (rc == 0)
		weigh(i, source, &expand);
	return rc;
}

/* 0, or -1; 1 when nobody has read it. */
static int import_read_ahead(struct importing *i, const struct import_source *source,
			     struct err *err)
{
	const struct ahead_wait wait = { import_wait, i };
	struct ahead_result *result;

	tell_begin(i, source); /* what is waited for */
	if (ahead_take(i->ahead, source->shown, &wait, &result, err) < 0)
		return -1;
	if (!result)
		return 1;
	int rc = result->is_left ? 1 : import_result_ahead(i, source, result, err);
	ahead_give_back(i->ahead);
	return rc;
}

static int import_once(struct importing *i, const struct import_source *source,
		       struct err *err)
{
	int rc = i->ahead ? import_read_ahead(i, source, err) : 1;

	return rc > 0 ? import_here(i, source, err) : rc;
}

/* The same file a second time: its times would count twice. */
static void note_repeated(struct importing *i, const struct import_source *source,
			  uint32_t number)
{
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;

	i->nrepeated += i->is_trace[number];
	err_set(&why, ERR_INPUT, "given twice; it is read only once");
	if (!source->is_found)
		import_note(i, IMPORT_REFUSED, &file, &why);
}

int import_path(struct importing *i, const struct import_source *source, struct err *err)
{
	size_t known = i->seen.n, before = import_count_traces(i);
	uint32_t number = number_of(i, source);

	if (number < known) {
		note_repeated(i, source, number);
		return 0;
	}
	i->file = number == TEXT_NONE ? NULL : source->path;
	int rc = import_once(i, source, err);
	i->file = NULL;
	if (number == TEXT_NONE)
		return rc;
	i->is_trace = xgrow(i->is_trace, &i->is_trace_cap, number + (size_t)1,
			    sizeof(*i->is_trace));
	i->is_trace[number] = import_count_traces(i) > before;
	return rc;
}
