/* What the tables of a gate have of its words; all texts are in the arena. */
#ifndef PTOOL_CLI_GATE_WORDS_H
#define PTOOL_CLI_GATE_WORDS_H

#include "base/arena.h"
#include "base/table.h"
#include "cli/gate.h"

/* A number of the line; null where it is NAN. */
struct cell gate_amount_cell(const struct gate_line *line, double value);
/* "+11.7%"; "" where it is not known. */
const char *gate_change_text(double pct, struct arena *arena);
/* NAN: the line has none, because it is against a baseline. */
double gate_limit_of(const struct gate_line *line);
/* The limit, or the tolerance: "180 ms", "2%", "2 sigma"; NULL: rows have one each. */
const char *gate_allowed_text(const struct gate_line *line, struct arena *arena);
/* "8 v 8", "8 pairs"; NULL: rows have these. */
const char *gate_sizes_text(const struct gate_line *line, struct arena *arena);

#endif
