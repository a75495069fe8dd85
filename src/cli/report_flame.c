/* Flame graphs of a page: see report_flame.h. */
#include "cli/report_flame.h"

#include "query/calls/flame.h"
#include "query/calls/flame_name.h"
#include "report/page_flame.h"

static const struct filter no_filter = { .focus = NULL };
static const struct flame_request whole = { .calls = { .filter = &no_filter,
						       .kernels = true } };

/* Ends the building; without calls there is a line that says why. */
static int add(struct page *page, struct flame_builder *b, struct flame_draw *draw,
	       int rc, struct err *err)
{
	rc = flame_finish(b, rc, err);
	draw->is_by_runs = b->is_by_runs;
	if (rc == 0) {
		rc = page_flame(page, "flame-graph", b->flame, draw, err);
	} else if (err->kind == ERR_EMPTY) {
		page_part(page->body, "absent",
			  PAGE_SLOTS(PAGE_TEXT("text", str_of(err->text))));
		*err = (struct err)ERR_INIT;
		rc = 0;
	}
	flame_release(b->flame);
	return rc;
}

int report_flame(struct report_making *m, struct err *err)
{
	const struct reading *r = m->reading;
	struct flame_draw draw = { .title = r->path, .shorten = flame_name_add };
	struct flame_builder b;
	struct flame flame;

	flame_start(&b, &flame, &whole);
	int rc = flame_add(&b, r->store, r->scope, FLAME_NOW, err);
	return add(m->page, &b, &draw, rc, err);
}

int report_flame_diff(struct page *page, const struct diff_sides *sides,
		      const char *const *names, struct err *err)
{
	static const enum flame_side flame_sides[NDIFF_SIDES] = { FLAME_BASE, FLAME_NOW };
	struct flame_draw draw = { .title = names[DIFF_NEW],
				   .base_title = names[DIFF_BASE],
				   .shorten = flame_name_add };
	struct flame_builder b;
	struct flame flame;
	int rc = 0;

	flame_start(&b, &flame, &whole);
	for (size_t side = 0; side < NDIFF_SIDES; side++)
		for (size_t i = 0; i < sides->n[side] && rc == 0; i++)
			rc = flame_add(&b, sides->runs[side][i].store,
				       sides->runs[side][i].scope, flame_sides[side],
				       err);
	return add(page, &b, &draw, rc, err);
}
