/* What rows of a timeline are called: see cell_rows.h. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "query/query.h"
#include "query/timeline/cell_rows.h"

/* "thread 1166 (python3)", as Kineto has it, is thread 1166 named python3. */
static struct str thread_name(const struct slices_track *track)
{
	struct str name = str_of(track->thread_name ? track->thread_name : "");
	struct str number = str_of(track->thread ? track->thread : "");
	const char *open = name.n ? memchr(name.p, '(', name.n) : NULL;

	if (!str_starts_with(name, STR_LIT("thread ")))
		return name;
	if (!open || name.p[name.n - 1] != ')')
		return (struct str){ name.p, 0 };
	struct str said = str_behind(name, strlen("thread "));
	if (!str_starts_with(said, number))
		return name;
	return (struct str){ open + 1, (size_t)(name.p + name.n - 1 - (open + 1)) };
}

static void add_thread(const struct slices_track *track, struct buf *out)
{
	struct str name = thread_name(track);

	if (strcmp(track->kind, "async") == 0)
		buf_add_text(out, track->name ? track->name : track->kind);
	else if (!name.n || !track->thread || str_is(name, track->thread))
		buf_addf(out, "thread %s", track->thread ? track->thread : "");
	else
		buf_addf(out, STR_FMT " %s", STR_ARG(name), track->thread);
}

struct str cell_row_label(struct cell_rows *r, enum row_kind kind, size_t profile,
			  const struct slices_track *track, int64_t device)
{
	const struct scope_profile *p = &r->scope->profiles[profile];
	struct buf label, shown;

	buf_init(&label, SIZE_MAX);
	buf_init(&shown, SIZE_MAX);
	if (r->scope->n > 1 && p->has_rank)
		buf_addf(&label, "rank %" PRId64 " ", p->rank);
	else if (r->scope->n > 1)
		buf_addf(&label, "profile %" PRId64 " ", p->id);
	if (kind != ROW_THREAD && r->slices->has_devices && device != NUMBER_NONE)
		buf_addf(&label, "device %" PRId64 " ", device);
	if (kind == ROW_IDLE)
		buf_add_text(&label, "idle");
	else if (kind == ROW_THREAD)
		add_thread(track, &label);
	else if (track->stream != NUMBER_NONE)
		buf_addf(&label, "stream %" PRId64, track->stream);
	else
		buf_add_text(&label, track->name ? track->name : "stream");
	utf8_add_visible(&shown, buf_str(&label));
	struct str text = arena_copy(&r->arena, buf_str(&shown));
	buf_release(&label);
	buf_release(&shown);
	return text;
}
