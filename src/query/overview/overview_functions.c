/* The blocks of Python profiles on the first screen: see overview_draw.h. */
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "query/overview/overview_draw.h"

static void add_pattern(struct str text, struct buf *word)
{
	for (size_t i = 0; i < text.n; i++) {
		if (strchr("\\.^$|?*+()[]{}", text.p[i]))
			buf_add_char(word, '\\');
		buf_add_char(word, text.p[i]);
	}
}

/*
 * The command that says who calls the function; none for a name that a shell would misread.
 * Folders are left out: of "dir/a.py:3(f)" and of "f (dir/a.py)".
 */
static void add_callers(struct drawing *d, struct str name)
{
	const char *slash = memrchr(name.p, '/', name.n);
	const char *open =
		slash ? memmem(name.p, (size_t)(slash - name.p), " (", 2) : NULL;
	struct buf word;

	buf_init(&word, TEXT_MAX);
	if (open) {
		add_pattern((struct str){ name.p, (size_t)(open - name.p) + 2 }, &word);
		buf_add_text(&word, ".*");
	}
	add_pattern(slash ? str_behind(name, (size_t)(slash + 1 - name.p)) : name, &word);
	bool is_plain = utf8_is_plain(name) && !memchr(name.p, '\'', name.n);
	if (is_plain && d->n < LINES_MAX && word.n < d->width / 2)
		d->lines[d->n++] =
			(struct drawn_line){ "Who calls the first",
					     arena_printf(&d->out->arena,
							  "callers '" STR_FMT "'",
							  STR_ARG(buf_str(&word))),
					     OVERVIEW_FUNCTIONS };
	buf_release(&word);
}

/* Scalene's times are those of a function's own lines, others have what they call. */
static bool is_of_own_lines(const struct drawing *d)
{
	size_t first, end = drawing_find(d, OVERVIEW_RECORDING, &first);
	const struct cell *format =
		first < end ? &drawing_row(d, first)[OVERVIEW_VALUE] : NULL;

	return format && format->type == CELL_TEXT && str_is(format->as.text, "scalene");
}

/* Of a row: times, but of sampled stacks also bytes or counts. */
static enum unit unit_of(const struct drawing *d, size_t row)
{
	static const enum unit units[] = { UNIT_BYTES, UNIT_COUNT };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (str_is(drawing_row(d, row)[OVERVIEW_UNIT].as.text,
			   units_word(units[i])))
			return units[i];
	return UNIT_NS;
}

/* The value of a row, which is a whole number unless it counts with decimals. */
static const char *value_words(struct drawing *d, size_t row, enum unit unit)
{
	return drawing_words(d, unit, drawing_row(d, row)[OVERVIEW_VALUE]);
}

/* Of reports that have totals alone. */
static void draw_actions(struct drawing *d, size_t first, size_t end)
{
	const char *title = is_of_own_lines(d) ? "Functions, by time of their lines"
					       : "Total time, with called functions";
	size_t room = d->width - TIME_CELLS - SHARE_CELLS - GUTTERS;
	const struct str *names = drawing_names(d, first, end, 2, room);

	drawing_add(d, OVERVIEW_FUNCTIONS, true, title);
	for (size_t i = first; i + 1 < end; i += 2)
		drawing_add(d, OVERVIEW_FUNCTIONS, false,
			    arena_printf(&d->out->arena, "%*s%*.1f%%  " STR_FMT,
					 TIME_CELLS, value_words(d, i + 1, UNIT_NS),
					 SHARE_CELLS, drawing_share(d, i + 1),
					 STR_ARG(names[(i - first) / 2])));
}

void overview_draw_functions(struct drawing *d, size_t first, size_t end)
{
	if (drawing_row(d, first)[OVERVIEW_VALUE].type == CELL_NULL) {
		draw_actions(d, first, end);
		return;
	}
	drawing_add(d, OVERVIEW_FUNCTIONS, true, "Functions: self, total");
	size_t room = d->width - (2 * (size_t)TIME_CELLS) - SHARE_CELLS - GUTTERS;
	const struct str *names = drawing_names(d, first, end, 2, room);

	for (size_t i = first; i + 1 < end; i += 2)
		drawing_add(d, OVERVIEW_FUNCTIONS, false,
			    arena_printf(&d->out->arena, "%*s%*.1f%%%*s  " STR_FMT,
					 TIME_CELLS, value_words(d, i, unit_of(d, i)),
					 SHARE_CELLS, drawing_share(d, i), TIME_CELLS,
					 value_words(d, i + 1, unit_of(d, i)),
					 STR_ARG(names[(i - first) / 2])));
	add_callers(d, drawing_item(d, first));
}

void overview_draw_memory(struct drawing *d, size_t first, size_t end)
{
	size_t room = d->width - (2 * (size_t)TIME_CELLS) - GUTTERS;
	const struct str *names = drawing_names(d, first, end, 2, room);

	for (size_t i = first; i + 1 < end; i += 2)
		drawing_add(d, OVERVIEW_MEMORY, false,
			    arena_printf(&d->out->arena, "%*s%*s  " STR_FMT, TIME_CELLS,
					 value_words(d, i, UNIT_BYTES), TIME_CELLS,
					 value_words(d, i + 1, UNIT_BYTES),
					 STR_ARG(names[(i - first) / 2])));
}
