/* One input into one profile: see importing.h. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/bundle.h"
#include "store/importing.h"
#include "store/load.h"

#define DRAIN_BYTES ((size_t)1 << 16)

/* Who reads an input, and how sure it is that it can. */
struct choice {
	const struct reader *reader;
	bool is_sure; /* what it cannot read is a damaged trace, and not something else */
};

/* The bytes that a member has taken are the archive's; so is the file's size. */
static int on_progress(void *to, uint64_t consumed, uint64_t size, struct err *err)
{
	const struct importing *i = to;

	(void)size;
	if (i->archive)
		consumed = input_consumed(i->archive);
	return i->events->progress
		       ? i->events->progress(i->events->to, i->before + consumed, err)
		       : 0;
}

/* 0, or -1 with err set: no reader takes it. */
static int choose_reader(const struct importing *i, const struct import_source *source,
			 struct input *in, struct choice *out, struct err *err)
{
	const struct reader *forced = i->options->reader;
	struct bytes head = input_peek(in, PROBE_BYTES, err);

	*out = (struct choice){ .is_sure = true };
	if (err->kind != ERR_NONE)
		return -1;
	if (head.n > PROBE_BYTES)
		head.n = PROBE_BYTES;
	out->reader = forced ? forced : reader_detect(head);
	enum probe sure = out->reader ? out->reader->probe(head) : PROBE_NO;
	if (source->is_found && !file_name_parse(str_of(source->shown)).is_handler)
		out->is_sure = sure >= PROBE_LIKELY;
	if (out->reader && (sure > PROBE_NO || !source->is_found))
		return 0;
	const char *damage = input_damage(in);
	if (head.n == 0)
		return err_at(err, 0, "%s", damage ? damage : "the file is empty");
	if (forced)
		return err_at(err, 0, "it does not look like the format '%s'",
			      forced->name);
	return err_at(err, 0, "no known format%s",
		      source->is_found ? "" : "; 'ptool help ingest' lists them");
}

static void note_profile(struct importing *i, const struct import_source *source,
			 const struct load_result *loaded)
{
	i->profiles = xgrow(i->profiles, &i->profiles_cap, i->nprofiles + 1,
			    sizeof(*i->profiles));
	struct import_profile *p = &i->profiles[i->nprofiles++];

	*p = (struct import_profile){ .id = loaded->profile_id,
				      .shown = xstrdup(source->shown),
				      .path = xstrdup(source->path),
				      .rank = loaded->rank };
	p->name = file_name_parse(str_of(p->shown));
	if (!loaded->is_rank_of_name)
		return;
	struct import_result *r = i->result;
	if (r->named_ranks == 0 || loaded->rank < r->first_rank)
		r->first_rank = loaded->rank;
	if (r->named_ranks == 0 || loaded->rank > r->last_rank)
		r->last_rank = loaded->rank;
	r->named_ranks++;
}

/* All of it, whatever the reader left unread. */
static uint64_t size_of(struct input *in)
{
	struct err ignored = ERR_INIT; /* the reader was at the end, or did not mind */
	size_t n;

	while ((n = input_peek(in, DRAIN_BYTES, &ignored).n))
		input_skip(in, n);
	return input_offset(in);
}

/* Into memory: nothing is in the database yet.  0, or -1 with err set. */
static int read_input(const struct importing *i, const struct choice *choice,
		      struct input *in, struct loader *loader, struct load_source *about,
		      struct err *err)
{
	const struct read_options *options = &i->options->read;

	if (choice->reader->read(in, options, loader_sink(loader), err) < 0)
		return -1;
	if (!choice->is_sure && loader_is_empty(loader))
		return err_at(err, 0, "it holds no event of a trace");
	about->bytes = size_of(in);
	return loader_settle(loader, about, options->strict, err);
}

/* What no reader took, or could not read: 0, or -1 when the user stopped it. */
static int note_unread(struct importing *i, bool is_sure, struct import_file *file,
		       struct err *err)
{
	if (err->kind == ERR_INTERRUPT)
		return -1;
	import_note(i, is_sure || err->kind != ERR_INPUT ? IMPORT_REFUSED : IMPORT_PASSED,
		    file, err);
	return 0;
}

static int load_input(struct importing *i, const struct import_source *source,
		      const struct choice *choice, struct input *in, struct err *err)
{
	struct import_file file = { .path = source->shown };
	struct load_source about = { .run_id = i->run_id,
				     .path = source->path,
				     .name = file_name_parse(str_of(source->shown)),
				     .threaded = i->options->read.threads > 0 };
	struct load_result loaded = { 0 };
	struct err why = ERR_INIT;
	struct loader *loader = loader_new(&i->texts, on_progress, i);
	int rc = 0;

	if (read_input(i, choice, in, loader, &about, &why) < 0) {
		rc = note_unread(i, choice->is_sure, &file, &why);
		if (rc < 0)
			*err = why;
		loader_free(loader);
		return rc;
	}
	rc = loader_write(loader, i->db, &about, &loaded, err);
	loader_free(loader);
	if (rc < 0)
		return -1;
	file.bytes = about.bytes;
	file.slices = loaded.slices;
	file.findings = loaded.findings;
	note_profile(i, source, &loaded);
	import_note(i, IMPORT_STORED, &file, NULL);
	return 0;
}

int import_input(struct importing *i, const struct import_source *source,
		 struct input *in, struct err *err)
{
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;
	struct choice choice;

	input_set_stop(in, import_wait, i);
	if (i->events->begin)
		i->events->begin(i->events->to, source->shown, i->total);
	if (choose_reader(i, source, in, &choice, &why) == 0)
		return load_input(i, source, &choice, in, err);
	int rc = note_unread(i, choice.is_sure, &file, &why);
	if (rc < 0)
		*err = why;
	return rc;
}

/* True when the same file was read before: its times would count twice. */
static bool is_repeated(struct importing *i, const struct import_source *source)
{
	struct stat st;

	if (strcmp(source->path, "-") == 0 || stat(source->path, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	const uint64_t key[] = { (uint64_t)st.st_dev, (uint64_t)st.st_ino };
	size_t known = i->seen.n;
	return intern_add(&i->seen, (struct str){ (const char *)key, sizeof(key) }) <
	       known;
}

static int import_opened(struct importing *i, const struct import_source *source,
			 struct input *in, struct err *err)
{
	struct err ignored = ERR_INIT; /* who reads it will meet it again */

	input_set_stop(in, import_wait, i);
	struct bytes head = input_peek(in, PROBE_BYTES, &ignored);
	if (ignored.kind == ERR_NONE && bundle_is(head))
		return import_archive(i, source, in, err);
	return import_input(i, source, in, err);
}

int import_path(struct importing *i, const struct import_source *source, struct err *err)
{
	struct import_file file = { .path = source->shown };
	struct err why = ERR_INIT;

	if (is_repeated(i, source)) {
		i->nrepeated++;
		err_set(&why, ERR_INPUT, "given twice; it is read once");
		if (!source->is_found)
			import_note(i, IMPORT_REFUSED, &file, &why);
		return 0;
	}
	struct input *in = input_open(source->shown, &why);
	if (!in) {
		import_note(i, IMPORT_REFUSED, &file, &why);
		return 0;
	}
	int rc = import_opened(i, source, in, err);
	i->before += input_size(in) ? input_size(in) : input_consumed(in);
	input_close(in);
	return rc;
}
