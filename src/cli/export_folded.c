/*
 * ptool export --to folded: a line a stack, "main;train;aten::mm 1200", as
 * flamegraph.pl, inferno and speedscope read it.  The number is nanoseconds;
 * of sampled stacks it is what they weigh.
 * Source: github.com/brendangregg/FlameGraph, stackcollapse's output.
 */

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/export_stacks.h"

/* ';' is between frames, and a line is a stack.  True: the name is another then. */
static bool add_frame(struct buf *line, struct str name)
{
	size_t begin = line->n;
	bool is_renamed = utf8_add_blanked(line, name);

	for (size_t i = begin; i < line->n; i++) {
		if (line->p[i] != ';')
			continue;
		line->p[i] = ':';
		is_renamed = true;
	}
	return is_renamed;
}

static void count_renamed(const struct call_tree *tree, struct export_losses *losses)
{
	struct buf name;

	buf_init(&name, SIZE_MAX);
	for (uint32_t i = 0; i < tree->texts.n; i++) {
		buf_clear(&name);
		losses->renamed += add_frame(&name, intern_str(&tree->texts, i));
	}
	buf_release(&name);
}

static int write_folded(const struct export_request *request, FILE *out,
			struct export_losses *losses, struct err *err)
{
	char amount[EXPORT_AMOUNT_MAX];
	struct export_stacks s;
	struct buf line;

	buf_init(&line, SIZE_MAX);
	int rc = export_stacks_open(request, &s, losses, err);
	if (rc == 0)
		count_renamed(&s.tree, losses);
	while (rc == 0 && !ferror(out) && export_stacks_next(&s)) {
		int64_t ns = export_stacks_ns(&s, request->weight);
		if (ns <= 0)
			continue;
		buf_clear(&line);
		for (size_t i = 0; i < s.paths.nframes; i++) {
			if (i)
				buf_add_char(&line, ';');
			add_frame(&line, intern_str(&s.tree.texts, s.paths.frames[i]));
		}
		buf_addf(&line, " %s\n", export_stacks_amount(&s, ns, amount));
		fwrite(line.p, 1, line.n, out);
	}
	export_stacks_close(&s);
	buf_release(&line);
	return rc;
}

static const char *const suffixes[] = { ".folded", ".collapsed", NULL };

const struct exporter export_folded = {
	.name = "folded",
	.suffixes = suffixes,
	.takes_filters = true,
	.takes_weight = true,
	.write = write_folded,
};
