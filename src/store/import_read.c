/* One input into memory: see import_read.h. */
#include "store/import_read.h"

#include "ingest/foreign_head.h"
#include "store/split.h"
#include "store/store.h"

#define DRAIN_BYTES ((size_t)1 << 16)

/* A store is asked, not read again. */
static void tell_store(struct input *in, struct err *err)
{
	err_at(err, 0, "this is a ptool store: %s",
	       input_can_seek(in)
		       ? "commands read it as it is, and 'ptool merge' makes one "
			 "store of several"
		       : "unpack it, or name its file in place of a pipe");
}

/* Why nobody reads the input. */
static void tell_unread(const struct reader *forced, const struct import_source *source,
			struct input *in, struct bytes head, struct err *err)
{
	const char *damage = input_damage(in);
	struct foreign_file foreign = foreign_file(head, str_of(source->shown));
	if (head.n == 0)
		err_at(err, 0, "%s", damage ? damage : "the file is empty");
	else if (forced)
		err_at(err, 0, "it does not look like the format '%s'", forced->name);
	else if (store_header_of(head).is_store)
		tell_store(in, err);
	else if (foreign.what)
		err_at(err, 0, "this is %s, which ptool does not read%s%s", foreign.what,
		       foreign.instead ? ": " : "",
		       foreign.instead ? foreign.instead : "");
	else
		err_at(err, 0, "no known format%s",
		       source->is_found
			       ? ""
			       : " (expected a trace, a Python profile or a memory "
				 "snapshot: ptool-formats(5))");
}

/* Who reads the input, NULL with err set: nobody does.  And how sure it is that it can. */
static const struct reader *choose_reader(const struct reader *forced,
					  const struct import_source *source,
					  struct input *in, bool *is_sure,
					  struct err *err)
{
	struct bytes head = input_peek(in, PROBE_BYTES, err);

	*is_sure = true;
	if (err->kind != ERR_NONE)
		return NULL;
	if (head.n > PROBE_BYTES)
		head.n = PROBE_BYTES;
	const struct reader *reader = forced ? forced : reader_detect(head);
	enum probe sure = reader ? reader->probe(head) : PROBE_NO;
	if (source->is_found && !file_name_parse(str_of(source->shown)).is_handler)
		*is_sure = sure >= PROBE_LIKELY;
	if (reader && (sure > PROBE_NO || !source->is_found))
		return reader;
	tell_unread(forced, source, in, head, err);
	return NULL;
}

/* All of it, whatever the reader left unread. */
static uint64_t size_of(struct input *in, struct err *err)
{
	size_t n;

	while ((n = input_peek(in, DRAIN_BYTES, err).n))
		input_skip(in, n);
	return input_offset(in);
}

void reading_read(const struct reading_how *how, const struct import_source *source,
		  struct input *in, struct reading *out)
{
	struct read_options options = how->options;

	options.spill = how->spill;
	input_set_spill(in, how->spill);
	*out = (struct reading){ .about.name = file_name_parse(str_of(source->shown)),
				 .about.mtime_ns = how->mtime_ns,
				 .about.threads = how->options.threads,
				 .why = ERR_INIT };
	const struct reader *reader =
		choose_reader(how->reader, source, in, &out->is_sure, &out->why);
	if (how->is_kept && (!reader || !reader->has_processes))
		input_forget(in);
	if (!reader)
		return;
	out->loader = loader_new(how->texts, how->spill, how->progress, how->to);
	loader_set_limits(out->loader, read_limits(&options));
	loader_set_step_name(out->loader, options.step_name);
	if (reader->read(in, &options, loader_sink(out->loader), &out->why) < 0)
		return;
	out->reader = reader;
	if (how->may_split && reader->has_processes &&
	    loader_find_split(out->loader, &out->split, &out->why) < 0)
		return;
	if (out->split && how->is_kept)
		out->again = in;
	if (!out->is_sure && loader_is_empty(out->loader))
		err_at(&out->why, 0, "it holds no event of a trace");
	else
		out->about.bytes = size_of(in, &out->why);
	if (!out->split)
		return;
	loader_free(out->loader);
	out->loader = NULL;
}

void reading_settle(const struct reading_how *how, struct reading *reading)
{
	if (reading->why.kind == ERR_NONE && !reading->split)
		(void)loader_settle(reading->loader, &reading->about, how->options.strict,
				    &reading->why);
}

void reading_release(struct reading *reading)
{
	loader_free(reading->loader);
	reading->loader = NULL;
	split_free(reading->split);
	reading->split = NULL;
}
