/*
 * ptool export --to folded: a line a stack, "main;train;aten::mm 1200", as
 * flamegraph.pl, inferno and speedscope read it.  The number is nanoseconds;
 * of sampled stacks it is what they weigh.
 * Source: github.com/brendangregg/FlameGraph, stackcollapse's output.
 */

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/export_names.h"
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

/* How often each name is written. */
static void count_uses(struct export_stacks *s, const struct export_request *request,
		       struct export_names *names)
{
	while (export_stacks_next(s)) {
		if (export_stacks_ns(s, request->weight) <= 0)
			continue;
		for (size_t i = 0; i < s->paths.nframes; i++)
			names->uses[s->paths.frames[i]]++;
	}
	export_stacks_rewind(s);
	export_names_choose(names, s->tree.n, s->losses);
}

static void put_stacks(struct export_stacks *s, const struct export_request *request,
		       FILE *out)
{
	char amount[EXPORT_AMOUNT_MAX];
	struct export_names names;
	struct buf line, room;

	buf_init(&line, SIZE_MAX);
	buf_init(&room, SIZE_MAX);
	if (export_names_open(&names, &s->tree.texts))
		count_uses(s, request, &names);
	while (!ferror(out) && export_stacks_next(s)) {
		int64_t ns = export_stacks_ns(s, request->weight);
		if (ns <= 0)
			continue;
		buf_clear(&line);
		for (size_t i = 0; i < s->paths.nframes; i++) {
			if (i)
				buf_add_char(&line, ';');
			add_frame(&line,
				  export_names_text(&names, s->paths.frames[i], &room));
		}
		buf_addf(&line, " %s\n", export_stacks_amount(s, ns, amount));
		fwrite(line.p, 1, line.n, out);
	}
	export_names_close(&names);
	buf_release(&line);
	buf_release(&room);
}

static int write_folded(const struct export_request *request, FILE *out,
			struct export_losses *losses, struct err *err)
{
	struct export_stacks s;
	int rc = export_stacks_open(request, &s, losses, err);

	if (rc == 0) {
		count_renamed(&s.tree, losses);
		put_stacks(&s, request, out);
	}
	export_stacks_close(&s);
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
