/* A call graph in memory: see functions.h. */
#include "store/functions.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "store/model.h"
#include "store/write_rows.h"
#include "trace/seconds.h"

#define KEY_PARTS 3 /* numbers; the file's bytes follow */

void functions_init(struct functions *f, struct spill *spill)
{
	*f = (struct functions){ .spill = spill };
	intern_init_in(&f->keys, spill);
	buf_init(&f->key, SIZE_MAX);
}

/* The bytes of the file's name where they are no UTF-8, else empty; borrowed. */
static struct str functions_file_bytes(const struct functions *f, uint32_t function)
{
	return str_behind(intern_str(&f->keys, function), KEY_PARTS * sizeof(int64_t));
}

void functions_release(struct functions *f)
{
	intern_release(&f->keys);
	buf_release(&f->key);
	spill_free(f->spill, f->functions);
	spill_free(f->spill, f->stats);
	spill_free(f->spill, f->calls);
	spill_free(f->spill, f->newest);
	spill_free(f->spill, f->lines);
	free(f->is_used);
}

/* Of a text that another function has: its bytes, if it is long. */
static size_t shared_bytes(const struct functions *f, const struct intern *texts,
			   uint32_t text)
{
	if (text >= f->is_used_cap || !f->is_used[text])
		return 0;
	size_t n = intern_str(texts, text).n;
	return n > SPELT_PART ? n : 0;
}

static uint32_t cut(struct intern *texts, uint32_t text)
{
	if (text == TEXT_NONE)
		return text;
	return intern_add(texts, utf8_cut(intern_str(texts, text), SPELT_PART));
}

static void note_use(struct functions *f, uint32_t text)
{
	if (text != TEXT_NONE)
		*ARRAY_AT(f->is_used, f->is_used_cap, text) = true;
}

static void set_key(struct functions *f, const struct function_fact *function)
{
	const int64_t parts[KEY_PARTS] = { function->line, function->file,
					   function->name };

	buf_clear(&f->key);
	buf_add(&f->key, parts, sizeof(parts));
	buf_add_str(&f->key, function->file_bytes);
}

uint32_t functions_add(struct functions *f, struct intern *texts,
		       const struct function_fact *given, bool *is_cut)
{
	struct function_fact function = *given;
	size_t known = f->keys.n;

	*is_cut = false;
	set_key(f, &function);
	if (!intern_has(&f->keys, buf_str(&f->key))) {
		size_t n = shared_bytes(f, texts, function.file) +
			   shared_bytes(f, texts, function.name);
		*is_cut = n && !spelt_take(&f->spelt, n, 0);
	}
	if (*is_cut) {
		function.file = cut(texts, function.file);
		function.name = cut(texts, function.name);
		set_key(f, &function);
	}
	uint32_t at = intern_add(&f->keys, buf_str(&f->key));

	if (at < known)
		return at;
	note_use(f, function.file);
	note_use(f, function.name);
	f->functions = spill_grow(f->spill, f->functions, &f->functions_cap, at + 1U,
				  sizeof(*f->functions));
	f->functions[at] = (struct function_rec){ .line = function.line,
						  .file = function.file,
						  .name = function.name,
						  .stat = ROW_NONE };
	f->newest = spill_grow(f->spill, f->newest, &f->newest_cap, at + 1U,
			       sizeof(*f->newest));
	f->newest[at] = ROW_NONE;
	f->nfunctions = at + 1U;
	return at;
}

static uint32_t digits_text(struct intern *texts, const struct count *count)
{
	return count->digits.n ? intern_add(texts, count->digits) : TEXT_NONE;
}

static struct sums_rec record_of(struct intern *texts, const struct call_sums *sums)
{
	return (struct sums_rec){ .calls = sums->calls.n,
				  .primitive = sums->primitive.n,
				  .self_s = sums->self_s,
				  .total_s = sums->total_s,
				  .calls_text = digits_text(texts, &sums->calls),
				  .primitive_text =
					  digits_text(texts, &sums->primitive) };
}

bool functions_stat(struct functions *f, struct intern *texts,
		    const struct function_stat_fact *stat)
{
	struct function_rec *function = &f->functions[stat->function];
	bool is_new = function->stat == ROW_NONE;

	if (is_new) {
		f->stats = spill_grow(f->spill, f->stats, &f->stats_cap, f->nstats + 1,
				      sizeof(*f->stats));
		function->stat = (uint32_t)f->nstats++;
	} else {
		const struct stat_rec *old = &f->stats[function->stat];
		for (uint32_t i = 0; i < old->n; i++)
			f->calls[old->first + i].caller = ROW_NONE;
		f->has_dead |= old->n > 0;
	}
	f->stats[function->stat] =
		(struct stat_rec){ .sums = record_of(texts, &stat->sums),
				   .function = stat->function,
				   .first = (uint32_t)f->ncalls };
	return is_new;
}

void functions_call(struct functions *f, struct intern *texts,
		    const struct call_fact *call)
{
	struct stat_rec *stat = &f->stats[f->functions[call->callee].stat];
	uint32_t at = f->newest[call->caller];
	/* One given twice keeps its place, as a key of a dict does. */
	bool is_new = at == ROW_NONE || at < stat->first;

	if (is_new) {
		at = (uint32_t)f->ncalls++;
		f->calls = spill_grow(f->spill, f->calls, &f->calls_cap, f->ncalls,
				      sizeof(*f->calls));
		f->newest[call->caller] = at;
		stat->n++;
	}
	f->calls[at] = (struct call_rec){ .sums = record_of(texts, &call->sums),
					  .caller = call->caller,
					  .callee = call->callee,
					  .has_times = call->sums.has_times };
}

void functions_line(struct functions *f, const struct line_fact *line)
{
	f->lines = spill_grow(f->spill, f->lines, &f->lines_cap, f->nlines + 1,
			      sizeof(*f->lines));
	f->lines[f->nlines++] = *line;
}

void functions_settle(struct functions *f)
{
	size_t to = 0;

	for (size_t i = 0; i < f->ncalls && f->has_dead; i++)
		if (f->calls[i].caller != ROW_NONE)
			f->calls[to++] = f->calls[i];
	if (f->has_dead)
		f->ncalls = to;
	f->has_dead = false;
}

int64_t functions_dur_ns(const struct functions *f)
{
	int64_t sum = 0, longest = 0;
	bool has_self = false;

	for (size_t i = 0; i < f->nstats; i++) {
		int64_t self = seconds_ns(f->stats[i].sums.self_s);
		int64_t total = seconds_ns(f->stats[i].sums.total_s);
		has_self |= self != NUMBER_NONE;
		if (self != NUMBER_NONE)
			sum = sum_add(sum, self);
		if (total > longest)
			longest = total;
	}
	return has_self ? sum : longest;
}

static void function_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct functions *functions = &w->m->functions;
	const struct function_rec *f = &functions->functions[row];
	struct str bytes = functions_file_bytes(functions, (uint32_t)row);

	c[COL_FUNCTION_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_FUNCTION_FILE_ID] = cell_text_id(w, f->file);
	c[COL_FUNCTION_LINE] = bulk_number(f->line);
	c[COL_FUNCTION_NAME_ID] = cell_text_id(w, f->name);
	c[COL_FUNCTION_FILE_BYTES] = bytes.n ? bulk_blob(bytes) : bulk_null();
}

const struct bulk bulk_function = BULK(FUNCTION, function, function_row);

static struct bulk_cell ns_cell(const double *seconds)
{
	return seconds ? bulk_number(seconds_ns(*seconds)) : bulk_null();
}

static struct bulk_cell seconds_cell(const double *seconds)
{
	return !seconds || isnan(*seconds) ? bulk_null()
					   : bulk_real(seconds_stored(*seconds));
}

static void stat_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct stat_rec *stat = &w->m->functions.stats[row];
	const struct sums_rec *sums = &stat->sums;

	c[COL_FUNCTION_STAT_FUNCTION_ID] = cell_row(w->function, stat->function);
	c[COL_FUNCTION_STAT_CALLS] = bulk_number(sums->calls);
	c[COL_FUNCTION_STAT_PRIMITIVE_CALLS] = bulk_number(sums->primitive);
	c[COL_FUNCTION_STAT_SELF_NS] = ns_cell(&sums->self_s);
	c[COL_FUNCTION_STAT_TOTAL_NS] = ns_cell(&sums->total_s);
	c[COL_FUNCTION_STAT_SELF_S] = seconds_cell(&sums->self_s);
	c[COL_FUNCTION_STAT_TOTAL_S] = seconds_cell(&sums->total_s);
	c[COL_FUNCTION_STAT_CALLS_TEXT] = cell_string(w->m, sums->calls_text);
	c[COL_FUNCTION_STAT_PRIMITIVE_CALLS_TEXT] =
		cell_string(w->m, sums->primitive_text);
}

const struct bulk bulk_function_stat = BULK(FUNCTION_STAT, function_stat, stat_row);

static void call_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct call_rec *call = &w->m->functions.calls[row];
	const struct sums_rec *sums = &call->sums;
	const double *self_s = call->has_times ? &sums->self_s : NULL;
	const double *total_s = call->has_times ? &sums->total_s : NULL;

	c[COL_CALL_EDGE_CALLEE_ID] = cell_row(w->function, call->callee);
	c[COL_CALL_EDGE_CALLER_ID] = cell_row(w->function, call->caller);
	c[COL_CALL_EDGE_CALLS] = bulk_number(sums->calls);
	c[COL_CALL_EDGE_PRIMITIVE_CALLS] = bulk_number(sums->primitive);
	c[COL_CALL_EDGE_SELF_NS] = ns_cell(self_s);
	c[COL_CALL_EDGE_TOTAL_NS] = ns_cell(total_s);
	c[COL_CALL_EDGE_SELF_S] = seconds_cell(self_s);
	c[COL_CALL_EDGE_TOTAL_S] = seconds_cell(total_s);
	c[COL_CALL_EDGE_CALLS_TEXT] = cell_string(w->m, sums->calls_text);
	c[COL_CALL_EDGE_PRIMITIVE_CALLS_TEXT] = cell_string(w->m, sums->primitive_text);
}

const struct bulk bulk_call_edge = BULK(CALL_EDGE, call_edge, call_row);

static void line_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct line_fact *line = &w->m->functions.lines[row];

	c[COL_LINE_STAT_FUNCTION_ID] = cell_row(w->function, line->function);
	c[COL_LINE_STAT_BLOCK] = bulk_int(line->block);
	c[COL_LINE_STAT_LINE] = bulk_int(line->line);
	c[COL_LINE_STAT_HITS] = bulk_number(line->hits);
	c[COL_LINE_STAT_SELF_NS] = bulk_number(line->self_ns);
	c[COL_LINE_STAT_MEMORY_BYTES] = bulk_number(line->memory_bytes);
	c[COL_LINE_STAT_INCREMENT_BYTES] = bulk_number(line->increment_bytes);
	c[COL_LINE_STAT_TEXT_ID] = cell_text_id(w, line->text);
}

const struct bulk bulk_line_stat = BULK(LINE_STAT, line_stat, line_row);
