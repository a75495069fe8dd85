/* What a user is told of the stores of a fleet: see fleet_told.h. */
#include "cli/fleet_told.h"

#include <stdint.h>

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

bool fleet_told_runs(const char *command, const struct fleet *fleet)
{
	if (!fleet->other_run)
		return false;
	message_note(
		command, NULL,
		"stores of run '%s' and of run '%s' were read as one run: if they are "
		"two, name the stores of one of them, or put them in a folder of their own",
		fleet->first_run, fleet->other_run);
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
