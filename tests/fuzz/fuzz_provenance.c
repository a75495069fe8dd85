/*
 * Inductor's files about its kernels on any bytes, of which the first says which file it
 * is: no crash, an error within the text, texts of bounded length, the same sources each
 * time.  corpus only
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/provenance.h"
#include "ingest/json.h"

#define TEXT_MOST 4103 /* 4096 and ", ..." behind them */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {
	"kernel_information.json",
	"out/-_4_1_0/kernel_information_2.json",
	"inductor_provenance_tracking_node_mappings_3.json",
	"-_0_0_1/inductor_provenance_tracking_kernel_stack_traces.json",
	"inductor_triton_kernel_to_post_grad_nodes.json",
};

#define NPATHS (sizeof(paths) / sizeof(*paths))

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_same(const struct compile_source *a, const struct compile_source *b)
{
	must(str_equal(a->kernel, b->kernel) && str_equal(a->handle, b->handle) &&
	     str_equal(a->region, b->region) && str_equal(a->lines, b->lines) &&
	     str_equal(a->post_nodes, b->post_nodes) &&
	     str_equal(a->pre_nodes, b->pre_nodes));
	must(a->has_pass == b->has_pass && a->is_backward == b->is_backward);
}

/* What was read of a kernel is found again, unless others of its name differ. */
static void ask(struct compile_sources *s, const struct compile_source *source)
{
	const struct compile_wanted wanted = { .kernel = source->kernel,
					       .handle = source->handle,
					       .region = source->region,
					       .is_backward = source->is_backward };
	struct compile_source found = { .file = 0 };
	bool is_ambiguous = false;

	must(compile_sources_find(s, &wanted, &found, &is_ambiguous) || is_ambiguous);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compile_sources first, again;
	struct err err = ERR_INIT, other = ERR_INIT;

	if (size == 0)
		return 0;
	const char *path = paths[(data[0] + 2) % NPATHS]; /* '0': the first */
	uint8_t *copy = xcalloc(size + JSON_PADDING, 1);
	const struct bytes text = { copy, size - 1 };
	memcpy(copy, data + 1, size - 1);
	compile_sources_init(&first);
	compile_sources_init(&again);
	int rc = provenance_read_text(path, text, &first, &err);
	must((rc == 0) == (err.kind == ERR_NONE) && (rc == 0 || err.text[0]));
	must(provenance_read_text(path, text, &again, &other) == rc);
	must(first.n == again.n);
	for (size_t i = 0; i < first.n; i++) {
		const struct compile_source *s = &first.items[i];
		must(s->post_nodes.n <= TEXT_MOST && s->pre_nodes.n <= TEXT_MOST &&
		     s->lines.n <= TEXT_MOST);
		check_same(s, &again.items[i]);
		if (i < 64)
			ask(&first, s);
	}
	compile_sources_release(&first);
	compile_sources_release(&again);
	free(copy);
	return 0;
}
