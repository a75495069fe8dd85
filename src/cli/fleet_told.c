/* What a user is told of the stores of a fleet: see fleet_told.h. */
#include "cli/fleet_told.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/message.h"

/* Other files that are told by their names; of the rest how many there are. */
#define OTHERS_NAMED 3

static void add_count(struct buf *line, int64_t n, const char *what)
{
	char digits[UNITS_TEXT_MAX];

	buf_add_str(line, units_text(UNIT_COUNT, cell_int(n), digits));
	buf_addf(line, " %s%s", what, n == 1 ? "" : "s");
}

static void add_counts(struct buf *line, const struct merge_result *result)
{
	add_count(line, (int64_t)result->stores, "store");
	buf_add_text(line, ", ");
	add_count(line, (int64_t)result->profiles, "profile");
	buf_add_text(line, ", ");
	add_count(line, result->slices, "slice");
}

void fleet_told_read(const char *command, const char *folder, const struct fleet *fleet,
		     const struct merge_result *result)
{
	struct buf line;

	buf_init(&line, ERR_TEXT_MAX);
	add_counts(&line, result);
	buf_add_text(&line, " read as one run");
	if (fleet->nothers)
		buf_add_text(&line, ", ");
	if (fleet->nothers) {
		add_count(&line, (int64_t)fleet->nothers, "other file");
		buf_add_text(&line, " left out");
	}
	message_note(command, folder, STR_FMT, STR_ARG(buf_str(&line)));
	buf_release(&line);
}

void fleet_told_merged(const char *command, const char *store,
		       const struct merge_result *result)
{
	struct buf line;

	buf_init(&line, ERR_TEXT_MAX);
	add_counts(&line, result);
	message_note(command, store, STR_FMT, STR_ARG(buf_str(&line)));
	buf_release(&line);
}

void fleet_told_others(const char *command, const struct fleet *fleet)
{
	size_t named = fleet->nothers > OTHERS_NAMED + 1 ? OTHERS_NAMED : fleet->nothers;

	for (size_t i = 0; i < named; i++)
		message_note(command, fleet->others[i], "left out: not a ptool store");
	if (fleet->nothers > named)
		message_note(command, NULL,
			     "%zu more files were left out: not ptool stores",
			     fleet->nothers - named);
}

static void tell_runs(const char *command, const char *first, const char *other)
{
	message_note(
		command, NULL,
		"stores of run '%s' and of run '%s' were read as one run: if they are "
		"two, name the stores of one of them, or put them in a folder of their own",
		first, other);
}

bool fleet_told_runs(const char *command, const struct fleet *fleet)
{
	if (!fleet->other_run)
		return false;
	tell_runs(command, fleet->first_run, fleet->other_run);
	return true;
}

size_t fleet_told_left_out(const char *command, const struct fleet *fleet)
{
	size_t n = 0;

	for (size_t i = 0; i < fleet->n; i++) {
		if (!fleet->stores[i].err)
			continue;
		message_error(command, fleet->stores[i].path, fleet->stores[i].err);
		n++;
	}
	return n;
}

/* Fields of a note end with a NUL; the first of a line about a store is its number. */
#define OF_RUNS "runs"

static void add_field(struct buf *note, const char *text)
{
	buf_add(note, text, strlen(text) + 1);
}

void fleet_told_note(const struct fleet *fleet, struct buf *note)
{
	for (size_t i = 0; i < fleet->n; i++) {
		const struct fleet_store *store = &fleet->stores[i];
		if (!store->err)
			continue;
		buf_addf(note, "%zu%c%" PRId64 "%c", store->number, 0, store->err->offset,
			 0);
		add_field(note, store->err->text);
	}
	if (!fleet->other_run)
		return;
	add_field(note, OF_RUNS);
	add_field(note, fleet->first_run);
	add_field(note, fleet->other_run);
}

/* The next text of the note, or NULL at its end. */
static const char *next_field(struct str *note)
{
	const char *field = note->p, *end = note->n ? memchr(field, '\0', note->n) : NULL;

	if (!end)
		return NULL;
	*note = (struct str){ end + 1, note->n - (size_t)(end + 1 - field) };
	return field;
}

void fleet_told_again(const char *command, const struct fleet *fleet, struct str note)
{
	const char *of, *first, *second;

	while ((of = next_field(&note)) && (first = next_field(&note)) &&
	       (second = next_field(&note))) {
		struct err why = ERR_INIT;
		size_t number = (size_t)strtoull(of, NULL, 10);
		if (strcmp(of, OF_RUNS) == 0) {
			tell_runs(command, first, second);
			continue;
		}
		err_set(&why, ERR_INPUT, "%s", second);
		why.offset = strtoll(first, NULL, 10);
		if (number < fleet->n)
			message_error(command, fleet->stores[number].path, &why);
	}
}
