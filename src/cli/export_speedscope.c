/*
 * ptool export --to speedscope: stacks with their times, for speedscope.app and
 * `npm install -g speedscope`.  One profile of host time, and one of device time where
 * some was recorded.  Source: speedscope.app/file-format-schema.json.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "cli/export_samples.h"
#include "cli/export_stacks.h"
#include "query/calls/frame_name.h"
#include "report/json_text.h"

static void put(struct writer *w, const char *text)
{
	writer_str(w, str_of(text));
}

static void put_int(struct writer *w, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	put(w, text);
}

/* Frames are numbered as the texts are. */
static void put_frames(struct writer *w, const struct call_tree *tree)
{
	put(w, EXPORT_SPEEDSCOPE_HEAD);
	for (uint32_t i = 0; i < tree->texts.n; i++) {
		struct frame_name name = frame_name_split(intern_str(&tree->texts, i));
		put(w, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_text_str(w, name.function);
		if (name.file.n) {
			put(w, ",\"file\":");
			json_text_str(w, name.file);
		}
		if (name.line > 0) {
			put(w, ",\"line\":");
			put_int(w, name.line);
			put(w, ",\"first_line\":true"); /* it is its definition's */
		}
		writer_byte(w, '}');
	}
	put(w, "]}");
}

static void put_stack(struct writer *w, const struct export_stacks *s)
{
	for (size_t i = 0; i < s->paths.nframes; i++) {
		writer_byte(w, i ? ',' : '[');
		put_int(w, s->paths.frames[i]);
	}
	writer_byte(w, ']');
}

/* Samples and their weights are two lists. */
static void put_stacks(struct writer *w, struct export_stacks *s,
		       enum export_weight weight)
{
	char amount[EXPORT_AMOUNT_MAX];
	int64_t *weights = NULL, sum = 0;
	size_t n = 0, cap = 0;

	put(w, ",\"samples\":[");
	export_stacks_rewind(s);
	while (!ferror(w->out) && export_stacks_next(s)) {
		int64_t ns = export_stacks_ns(s, weight);
		if (ns <= 0)
			continue;
		put(w, n ? ",\n" : "\n");
		put_stack(w, s);
		*ARRAY_PUSH(weights, n, cap) = ns;
		sum = sum_add(sum, ns);
	}
	put(w, "],\n\"weights\":[");
	for (size_t i = 0; i < n && !ferror(w->out); i++) {
		if (i)
			writer_byte(w, ',');
		put(w, export_stacks_amount(s, weights[i], amount));
	}
	put(w, "],\"startValue\":0,\"endValue\":");
	put(w, export_stacks_amount(s, sum, amount));
	free(weights);
}

static void put_profile(struct writer *w, struct export_stacks *s, const char *title,
			enum export_weight weight)
{
	put(w, "\n{\"type\":\"sampled\",\"name\":");
	json_text_str(w, str_of(title));
	put(w, ",\"unit\":\"");
	put(w, export_stacks_unit(s, "none"));
	writer_byte(w, '"');
	put_stacks(w, s, weight);
	writer_byte(w, '}');
}

static int write_stacks(const struct export_request *request, struct writer *w,
			struct export_losses *losses, struct err *err)
{
	struct export_stacks s;
	bool of_device = request->weight == EXPORT_DEVICE;

	int rc = export_stacks_open(request, &s, losses, err);
	if (rc == 0) {
		put_frames(w, &s.tree);
		put(w, ",\"name\":");
		json_text_str(w, str_of(request->title));
		put(w, ",\"activeProfileIndex\":0,\"profiles\":[");
		if (!of_device)
			put_profile(w, &s,
				    s.tree.is_sampled     ? "samples"
				    : s.tree.is_estimated ? "time (estimated paths)"
							  : "host time",
				    EXPORT_HOST);
		if (!of_device && s.tree.has_device)
			writer_byte(w, ',');
		if (s.tree.has_device)
			put_profile(w, &s, "device time", EXPORT_DEVICE);
		put(w, "\n]}\n");
	}
	export_stacks_close(&s);
	return rc;
}

/* Sampled stacks of one file, whole: it is written as it was. */
static bool is_file(const struct export_request *request)
{
	const struct sample_choice *choice = &request->filter->samples;

	return request->scope->n == 1 && !filter_is_given(request->filter) &&
	       !choice->series && !choice->mode && !choice->no_idle &&
	       request->weight == EXPORT_HOST &&
	       strcmp(request->scope->profiles[0].format, "samples") == 0;
}

static int write_speedscope(const struct export_request *request, FILE *out,
			    struct export_losses *losses, struct err *err)
{
	struct writer w = { .out = out };
	int rc = is_file(request) ? export_samples(request, &w, losses, err)
				  : write_stacks(request, &w, losses, err);

	if (rc == 0)
		writer_flush(&w);
	return rc;
}

static const char *const suffixes[] = { ".speedscope.json", ".speedscope", NULL };

const struct exporter export_speedscope = {
	.name = "speedscope",
	.suffixes = suffixes,
	.takes_filters = true,
	.takes_weight = true,
	.write = write_speedscope,
};
