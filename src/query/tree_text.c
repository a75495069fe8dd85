/* Indents and paths: see tree_text.h. */
#include "query/tree_text.h"

#define STEP        ((size_t)2) /* blanks a level */
#define NARROW      100         /* columns; where there are fewer, a level takes one */
#define STEP_NARROW ((size_t)1)
#define SEPARATOR   ';'

/* Levels that are indented: an eighth of the table, or what a reader can follow. */
#define SHARE_OF_WIDTH ((size_t)8)
#define LEVELS_LEAST   ((size_t)4)
#define LEVELS_ANYWAY  ((size_t)40)

static size_t levels_of(int width)
{
	size_t levels = (size_t)width / SHARE_OF_WIDTH;

	if (width <= 0)
		return LEVELS_ANYWAY;
	return levels < LEVELS_LEAST ? LEVELS_LEAST : levels;
}

void tree_text_indent(struct buf *to, size_t depth, int width)
{
	size_t most = levels_of(width);
	size_t step = width > 0 && width < NARROW ? STEP_NARROW : STEP;

	buf_add_blanks(to, step * (depth < most ? depth : most));
	if (depth > most)
		buf_addf(to, "[%zu] ", depth);
}

void tree_path_init(struct tree_path *p)
{
	*p = (struct tree_path){ .ends = { 0 } };
	buf_init(&p->text, SIZE_MAX);
}

void tree_path_release(struct tree_path *p)
{
	buf_release(&p->text);
}

struct str tree_path_next(struct tree_path *p, size_t depth, struct str name)
{
	/* the last level's place is for the row itself, whatever its depth */
	size_t level = depth < TREE_PATH_LEVELS ? depth : TREE_PATH_LEVELS - 1;

	p->text.n = level ? p->ends[level - 1] : 0;
	if (depth > level)
		buf_addf(&p->text, "%c(%zu more)", SEPARATOR, depth - level);
	if (level)
		buf_add_char(&p->text, SEPARATOR);
	buf_add_str(&p->text, name);
	p->ends[level] = p->text.n;
	return buf_str(&p->text);
}
