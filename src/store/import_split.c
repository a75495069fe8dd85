/* The ranks of a merged file, each a profile: see importing.h and split.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/expand.h"
#include "store/import_read.h"
#include "store/split.h"

/* Frees them, those that are NULL too. */
static void free_loaders(struct loader **loaders, size_t n)
{
	for (size_t i = 0; i < n; i++)
		loader_free(loaders[i]);
	free(loaders);
}

static struct loader **make_loaders(struct importing *i, size_t n)
{
	struct loader **loaders = xcalloc(n, sizeof(struct loader *));

	for (size_t k = 0; k < n; k++) {
		loaders[k] = loader_new(&i->texts, i->spill, import_progress, i);
		loader_set_limits(loaders[k], read_limits(&i->options->read));
		loader_set_step_name(loaders[k], i->options->read.step_name);
	}
	return loaders;
}

/* All of the file into the loaders of its ranks. */
static int read_again(struct importing *i, const struct import_source *source,
		      const struct reading *reading, struct loader **loaders,
		      struct err *why)
{
	struct read_options options = i->options->read;
	struct expand expand = import_expand(i->options, NULL);
	struct input *in = reading->again ? input_again(reading->again, why)
					  : input_open(source->shown, why);

	if (!in)
		return -1;
	options.spill = i->spill;
	input_set_spill(in, i->spill);
	input_set_stop(in, import_wait, i);
	input_set_expand(in, &expand);
	struct splitter *splitter =
		splitter_new(reading->split, loaders, &i->texts, reading->about.bytes);
	int rc = reading->reader->read(in, &options, splitter_sink(splitter), why);
	splitter_free(splitter);
	input_close(in);
	return rc;
}

/* The rank's own loader, which has some events. */
static int store_rank(struct importing *i, const struct import_source *file,
		      const struct split_rank *rank, struct loader *loader,
		      const struct load_source *about, struct err *err)
{
	char *shown = xasprintf("%s/%s", file->shown, rank->name);
	char *path = xasprintf("%s/%s", file->path, rank->name);
	const struct import_source source = { .shown = shown,
					      .path = path,
					      .is_found = file->is_found };
	struct import_file refused = { .path = shown };
	struct load_source own = *about;
	struct err why = ERR_INIT;
	int rc = 0;

	own.name = (struct file_name){ .stamp = NUMBER_NONE,
				       .rank = NUMBER_NONE,
				       .step = NUMBER_NONE,
				       .axes = rank->axes,
				       .is_axes_sure = true };
	own.text_ids = NULL;
	if (loader_settle(loader, &own, i->options->read.strict, &why) == 0)
		rc = import_store(i, &source, loader, &own, err);
	else
		import_note(i, IMPORT_REFUSED, &refused, &why);
	free(path);
	free(shown);
	return rc;
}

int import_split(struct importing *i, const struct import_source *source,
		 const struct reading *reading, const struct load_source *about,
		 struct err *err)
{
	size_t n = split_nranks(reading->split);
	struct loader **loaders = make_loaders(i, n);
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;
	int rc = 0;

	if (read_again(i, source, reading, loaders, &why) < 0) {
		free_loaders(loaders, n);
		if (why.kind == ERR_INTERRUPT) {
			*err = why;
			return -1;
		}
		import_note(i, IMPORT_REFUSED, &file, &why);
		return 0;
	}
	for (size_t k = 0; rc == 0 && k < n; k++) {
		if (!loader_is_empty(loaders[k]))
			rc = store_rank(i, source, split_rank_at(reading->split, k),
					loaders[k], about, err);
		loader_free(loaders[k]);
		loaders[k] = NULL;
	}
	free_loaders(loaders, n);
	return rc;
}
