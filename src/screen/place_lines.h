/* The lines of a place: which are shown, and moving on them. */
#ifndef PTOOL_SCREEN_PLACE_LINES_H
#define PTOOL_SCREEN_PLACE_LINES_H

#include "screen/place.h"

/*
 * Lays the answer out for so many columns, or `why` there is none, and keeps the cursor
 * at its row.
 */
void place_lay_out(struct place *p, const struct screen *screen, int width,
		   const char *why);
/* Which lines are shown, after folds or wish.only changed. */
void place_choose_lines(struct place *p);

/* The line of the sheet that the cursor is at, or SHEET_NONE. */
size_t place_at(const struct place *p);
/* The heading above the first line on screen when that is a row; SHEET_NONE: none. */
size_t place_pinned(const struct place *p);
/* By so many lines; stops at the ends. */
void place_move(struct place *p, long by);
/* To the first or the last row. */
void place_go(struct place *p, bool to_end);
/* To the first line. */
void place_begin(struct place *p);
/* Makes the cursor's line one of the `height` lines on screen. */
void place_scroll(struct place *p, size_t height);
/* Is the cursor at the last row, and does the store have more than were asked for? */
bool place_wants_more(const struct place *p);

/* Does the row have rows below it, which it can hide? */
bool place_folds(const struct place *p, size_t line);
void place_fold(struct place *p, bool fold, bool all);

/*
 * Moves to the next line that has the text, or the one before; capitals count where the
 * text has some.  False: none has it.
 */
bool place_find(struct place *p, const char *text, bool backwards);
/* Where in the line the text is; false: nowhere. */
bool place_matches(struct str line, const char *text, size_t *at);

#endif
