/* Words around flame graphs: see flame_words.h. */
#include "report/flame_words.h"

#include <math.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "base/utf8.h"

#define TITLE_CELLS 40
#define GONE_SHOWN  3 /* names of calls that are gone */
#define GONE_CELLS  30

/* "host time", "samples": what boxes are wide. */
static const char *flame_words_measure(const struct flame *flame)
{
	if (flame->by == FLAME_DEVICE)
		return "device time";
	if (!flame->is_sampled)
		return flame->is_estimated ? "time" : "host time";
	if (flame->unit == UNIT_NS)
		return "sampled time";
	return flame->unit == UNIT_BYTES ? "bytes" : "samples";
}

void flame_words_amount(const struct flame *flame, int64_t amount, struct buf *out)
{
	char text[UNITS_TEXT_MAX];

	buf_add_str(out, units_text(flame->unit, flame_cell(flame, amount), text));
	if (flame->unit == UNIT_COUNT)
		buf_add_text(out, " samples");
}

void flame_words_share(const struct flame *flame, int64_t amount, struct buf *out)
{
	double whole = (double)flame_total(flame, &flame->nodes[FLAME_ROOT]);
	double share = whole > 0 ? 100.0 * (double)amount / whole : 0;

	buf_addf(out, share < 9.95 ? "%.1f%%" : "%.0f%%", share);
}

void flame_words_change(const struct flame *flame, const struct flame_node *node,
			struct buf *out)
{
	int64_t now = flame_total(flame, node), base = flame_base(flame, node);

	if (base == 0 || now == 0) {
		buf_add_text(out, base ? "gone" : now ? "new" : "0%");
		return;
	}
	double change = 100.0 * ((double)now - (double)base) / (double)base;
	if (fabs(change) < 0.05)
		buf_add_text(out, "0%");
	else
		buf_addf(out, fabs(change) < 9.95 ? "%+.1f%%" : "%+.0f%%", change);
}

void flame_words_title(const char *path, struct buf *out)
{
	const char *slash = strrchr(path, '/');
	struct buf visible;

	buf_init(&visible, SIZE_MAX);
	utf8_add_visible(&visible, str_of(slash && slash[1] ? slash + 1 : path));
	utf8_add_shortened(out, buf_str(&visible), TITLE_CELLS);
	buf_release(&visible);
}

void flame_words_caption(const struct flame *flame, const struct flame_draw *draw,
			 struct buf *out)
{
	const struct flame_node *root = &flame->nodes[FLAME_ROOT];
	const char *measure = flame_words_measure(flame);

	buf_add_char(out, (char)(measure[0] - 'a' + 'A'));
	buf_addf(out, "%s of ", measure + 1);
	flame_words_title(draw->title, out);
	buf_add_text(out,
		     flame->is_inverted ? ", callers below: 100% is " : ": 100% is ");
	flame_words_amount(flame, flame_total(flame, root), out);
	if (!flame->has_base)
		return;
	buf_add_text(out, ", ");
	flame_words_change(flame, root, out);
	buf_add_text(out, " from ");
	flame_words_amount(flame, flame_base(flame, root), out);
	buf_add_text(out, " in ");
	flame_words_title(draw->base_title, out);
}

/* Calls that only the base has: no box is as wide as nothing. */
static void note_gone(const struct flame *f, const struct flame_draw *draw,
		      struct buf *out)
{
	int64_t sum = 0;
	size_t n = 0;
	struct buf names, visible;

	buf_init(&names, SIZE_MAX);
	buf_init(&visible, SIZE_MAX);
	for (size_t i = 1; i < f->n; i++) {
		const struct flame_node *node = &f->nodes[i];
		if (flame_total(f, node) > 0 || flame_base(f, node) == 0)
			continue;
		sum = sum_add(sum, flame_base(f, node));
		if (n++ < GONE_SHOWN) {
			buf_clear(&visible);
			utf8_add_visible(&visible, intern_str(&f->texts, node->name));
			buf_add_text(&names, n > 1 ? ", " : "");
			draw->shorten(&names, buf_str(&visible), GONE_CELLS);
		}
		i += node->span - 1;
	}
	if (n > 0) {
		buf_addf(out, "%zu path%s gone, which took ", n,
			 n == 1 ? " is" : "s are");
		flame_words_amount(f, sum, out);
		buf_add_text(out, ": ");
		buf_add_str(out, buf_str(&names));
		buf_add_text(out, n > GONE_SHOWN ? ", ...\n" : "\n");
	}
	buf_release(&names);
	buf_release(&visible);
}

static void note_scale(const struct flame *f, const struct flame_draw *draw,
		       struct buf *out)
{
	flame_words_title(draw->base_title, out);
	buf_addf(out, " has %lld %s: its amounts are scaled to the %lld of ",
		 (long long)f->steps[FLAME_BASE], draw->is_by_runs ? "runs" : "steps",
		 (long long)f->steps[FLAME_NOW]);
	flame_words_title(draw->title, out);
	buf_add_text(out, "\n");
}

void flame_words_notes(const struct flame *flame, const struct flame_draw *draw,
		       struct buf *out)
{
	if (flame->is_estimated)
		buf_add_text(out, "estimated: a call graph records callers and callees, "
				  "not paths\n");
	if (flame->cut_pct > 0)
		buf_addf(out, "paths below %g%% of the time were not followed\n",
			 flame->cut_pct);
	if (flame->idle_ns > 0 && flame->by == FLAME_HOST) {
		buf_add_text(out, "threads that only wait are left out: ");
		flame_words_amount(flame, flame->idle_ns, out);
		buf_add_text(out, "\n");
	}
	if (flame->is_scaled)
		note_scale(flame, draw, out);
	if (flame->has_base)
		buf_add_text(out, "+ takes more than before, - less, = the same\n");
	if (flame->has_base)
		note_gone(flame, draw, out);
}
