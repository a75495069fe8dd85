/* Inductor's files about its kernels: see provenance.h. */
#include "cli/provenance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/input.h"
#include "base/walk.h"
#include "ingest/text_list.h"

#define FILE_MAX_BYTES  ((size_t)64 << 20)
#define TOTAL_MAX_BYTES ((uint64_t)256 << 20) /* of all files */
#define JOINED_MAX      ((size_t)64 << 20) /* of kernels' nodes, in a file that maps them */
#define REGION_MAX      64                 /* bytes: "4/1"; each kernel's key has them */

/* A file as it is read. */
struct reading_file {
	struct compile_sources *to;
	const char *path;
	const char *begin; /* of the text */
	uint32_t number;
	struct str region; /* that the folder's name tells; or empty */
};

typedef int read_fn(struct reading_file *f, struct str object, struct err *err);

static int wrong(const struct reading_file *f, const char *at, const char *what,
		 struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: byte %zu: %s", f->path,
		       (size_t)(at - f->begin), what);
}

static struct str plain(struct reading_file *f, const struct json_value *text)
{
	struct buf buf;

	if (!text->escaped)
		return arena_copy(&f->to->arena, text->text);
	buf_init(&buf, SIZE_MAX);
	struct str copy = arena_copy(&f->to->arena, json_unescape(text->text, &buf));
	buf_release(&buf);
	return copy;
}

/* 1: the next member, which is of that type; 0 behind the last; -1 with err set. */
static int next_member(struct reading_file *f, struct json_items *items,
		       enum json_type type, struct str *key, struct json_value *value,
		       struct err *err)
{
	struct json_value name = { .escaped = false };
	int more = json_next_member(items, &name, value);

	if (more < 0)
		return wrong(f, items->j.p, "no JSON", err);
	if (more == 0)
		return 0;
	if (value->type != type)
		return wrong(f, value->text.p,
			     type == JSON_ARRAY ? "a list was expected"
						: "an object was expected",
			     err);
	*key = plain(f, &name);
	return 1;
}

/* The text, which lives in the arena of the sources. */
static struct str texts_end(struct reading_file *f, struct text_list *t)
{
	struct str text = arena_copy(&f->to->arena, buf_str(&t->joined));

	text_list_release(t);
	return text;
}

static int add_list(struct reading_file *f, const struct json_value *list,
		    text_list_add_fn *add, struct text_list *to, struct err *err)
{
	const char *at, *what = text_list_read(to, list, add, &at);

	return what ? wrong(f, at, what, err) : 0;
}

/* The digits behind `mark`. */
static struct str digits_behind(struct str text, const char *mark)
{
	struct str m = str_of(mark);

	while (text.n >= m.n && !str_starts_with(text, m))
		text = str_behind(text, 1);
	if (text.n < m.n)
		return (struct str){ text.p, 0 };
	text = str_behind(text, m.n);
	size_t n = 0;
	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	return (struct str){ text.p, n };
}

static int read_list(struct reading_file *f, const struct json_value *value,
		     text_list_add_fn *add, const char *between, struct str *out,
		     struct err *err)
{
	struct text_list texts;

	text_list_init(&texts, between);
	int rc = add_list(f, value, add, &texts, err);
	*out = texts_end(f, &texts);
	return rc;
}

static struct compile_source source_of(const struct reading_file *f)
{
	return (struct compile_source){ .file = f->number, .region = f->region };
}

/* {"post_grad_nodes": [...], "pre_grad_nodes": [...], "stack_traces": [...], ...} */
static int read_kernel(struct reading_file *f, struct str key, struct str object,
		       struct compile_source *s, struct err *err)
{
	struct json_items items = json_items_of(object);
	struct json_value name, value;
	int rc = 0;

	while (rc == 0 && json_next_member(&items, &name, &value) > 0) {
		if (str_is(name.text, "post_grad_nodes"))
			rc = read_list(f, &value, text_list_add, ", ", &s->post_nodes,
				       err);
		else if (str_is(name.text, "pre_grad_nodes"))
			rc = read_list(f, &value, text_list_add, ", ", &s->pre_nodes,
				       err);
		else if (str_is(name.text, "stack_traces"))
			rc = read_list(f, &value, text_list_add_line, "; ", &s->lines,
				       err);
	}
	compile_sources_add(f->to, key, s);
	return rc;
}

/* ('Torch-Compiled Region: 0/0', False): the region, and whether it is a backward pass. */
static bool read_region(struct str key, struct compile_source *s)
{
	static const struct str mark = { "('Torch-Compiled Region: ", 25 };

	if (!str_starts_with(key, mark))
		return false;
	s->region = str_behind(key, mark.n);
	const char *quote = memchr(s->region.p, '\'', s->region.n);
	if (!quote || quote - s->region.p > REGION_MAX)
		return false;
	s->region.n = (size_t)(quote - s->region.p);
	struct str rest = { quote, (size_t)(key.p + key.n - quote) };
	s->has_pass = true;
	s->is_backward = str_contains(rest, STR_LIT("True"));
	return true;
}

/* Kernels, or regions with kernels. */
static int read_information(struct reading_file *f, struct str object, struct err *err)
{
	struct json_items items = json_items_of(object), inner;
	struct json_value value;
	struct str key = { NULL, 0 }, kernel = key;
	int more, rc = 0;

	while (rc == 0 &&
	       (more = next_member(f, &items, JSON_OBJECT, &key, &value, err)) != 0) {
		struct compile_source s = source_of(f);
		if (more < 0)
			return -1;
		if (!read_region(key, &s)) {
			rc = read_kernel(f, key, value.text, &s, err);
			continue;
		}
		inner = json_items_of(value.text);
		while (rc == 0 && (more = next_member(f, &inner, JSON_OBJECT, &kernel,
						      &value, err)) > 0) {
			struct compile_source of_kernel = s;
			rc = read_kernel(f, kernel, value.text, &of_kernel, err);
		}
		if (more < 0)
			return -1;
	}
	return rc;
}

/* {kernel: [text, ...], ...}; the lists are of nodes, or of stacks. */
static int read_lists(struct reading_file *f, struct str object, bool of_stacks,
		      struct err *err)
{
	struct json_items items = json_items_of(object);
	struct json_value value;
	struct str key = { NULL, 0 };
	int more;

	while ((more = next_member(f, &items, JSON_ARRAY, &key, &value, err)) > 0) {
		struct compile_source s = source_of(f);
		if ((of_stacks ? read_list(f, &value, text_list_add_line, "; ", &s.lines,
					   err)
			       : read_list(f, &value, text_list_add, ", ", &s.post_nodes,
					   err)) < 0)
			return -1;
		compile_sources_add(f->to, key, &s);
	}
	return more;
}

static int read_nodes(struct reading_file *f, struct str object, struct err *err)
{
	return read_lists(f, object, false, err);
}

static int read_stacks(struct reading_file *f, struct str object, struct err *err)
{
	return read_lists(f, object, true, err);
}

/* A node behind Inductor's passes: what it was before them. */
struct node {
	struct json_value list; /* borrowed from the text */
	struct str *texts;      /* of the list, each once; in arenas of the map */
	size_t ntexts;
	struct str joined; /* lives in the arena of the sources */
	bool is_read;      /* else there is only the list */
};

struct node_map {
	struct intern names; /* of nodes behind the passes */
	struct node *nodes;  /* owned; by number of the name */
	size_t cap;
	struct intern before; /* names of nodes before the passes */
	struct arena arena;
	size_t joined_bytes;
};

static int read_node_map(struct reading_file *f, struct str object, struct node_map *map,
			 struct err *err)
{
	struct json_items items = json_items_of(object);
	struct json_value value;
	struct str key = { NULL, 0 };
	int more;

	while ((more = next_member(f, &items, JSON_ARRAY, &key, &value, err)) > 0)
		ARRAY_AT(map->nodes, map->cap, intern_add(&map->names, key))->list =
			value;
	return more;
}

/* Reads the node's list, once for all kernels that name it. */
static int read_node(struct reading_file *f, struct node_map *map, struct node *node,
		     struct err *err)
{
	struct text_list texts;

	if (node->is_read)
		return 0;
	node->is_read = true;
	text_list_init(&texts, ", ");
	int rc = add_list(f, &node->list, text_list_add, &texts, err);
	node->ntexts = texts.seen.n;
	node->texts = arena_alloc(&map->arena, (node->ntexts + 1) * sizeof(*node->texts));
	for (size_t i = 0; i < node->ntexts; i++) {
		struct str text = intern_str(&texts.seen, (uint32_t)i);
		node->texts[i] = intern_str(&map->before, intern_add(&map->before, text));
	}
	node->joined = texts_end(f, &texts);
	return rc;
}

/* What nodes were before: that of one is shared by all kernels which have no other. */
static int join_nodes(struct reading_file *f, struct node_map *map,
		      const struct intern *names, struct str *out, struct err *err)
{
	const struct node *only = NULL;
	struct text_list pre;
	size_t nfound = 0;
	int rc = 0;

	text_list_init(&pre, ", ");
	for (size_t i = 0; rc == 0 && i < names->n; i++) {
		struct str name = intern_str(names, (uint32_t)i);
		if (!intern_has(&map->names, name))
			continue;
		struct node *node = &map->nodes[intern_add(&map->names, name)];
		rc = read_node(f, map, node, err);
		if (nfound++ == 1)
			text_list_add_all(&pre, only->texts, only->ntexts);
		if (nfound > 1)
			text_list_add_all(&pre, node->texts, node->ntexts);
		only = node;
	}
	map->joined_bytes += pre.joined.n;
	*out = texts_end(f, &pre);
	if (nfound == 1)
		*out = only->joined;
	if (rc == 0 && map->joined_bytes > JOINED_MAX)
		rc = err_set(err, ERR_INPUT,
			     "%s: its kernels have more than 64 MiB of nodes", f->path);
	return rc;
}

/* Of a kernel: its nodes, and what they were before. */
static int read_mapped(struct reading_file *f, const struct json_value *list,
		       struct node_map *map, struct compile_source *s, struct err *err)
{
	struct text_list post;

	text_list_init(&post, ", ");
	int rc = add_list(f, list, text_list_add, &post, err);
	if (rc == 0)
		rc = join_nodes(f, map, &post.seen, &s->pre_nodes, err);
	s->post_nodes = texts_end(f, &post);
	return rc;
}

static int read_mapped_kernels(struct reading_file *f, struct str kernels,
			       struct node_map *map, struct err *err)
{
	struct json_items items = json_items_of(kernels);
	struct json_value value;
	struct str key = { NULL, 0 };
	int more;

	while ((more = next_member(f, &items, JSON_ARRAY, &key, &value, err)) > 0) {
		struct compile_source s = source_of(f);
		if (read_mapped(f, &value, map, &s, err) < 0)
			return -1;
		compile_sources_add(f->to, key, &s);
	}
	return more;
}

/* {"cppCodeToPost": {kernel: [node, ...]}, "postToPre": {node: [node, ...]}, ...} */
static int read_mappings(struct reading_file *f, struct str object, struct err *err)
{
	struct json_items items = json_items_of(object);
	struct json_value name, value;
	struct str kernels = { object.p, 0 }, pre = kernels;
	struct node_map map = { .cap = 0 };
	int more;

	while ((more = json_next_member(&items, &name, &value)) > 0) {
		bool is_kernels = str_is(name.text, "cppCodeToPost");
		if (!is_kernels && !str_is(name.text, "postToPre"))
			continue;
		if (value.type != JSON_OBJECT)
			return wrong(f, value.text.p, "an object was expected", err);
		*(is_kernels ? &kernels : &pre) = value.text;
	}
	if (more < 0)
		return wrong(f, items.j.p, "no JSON", err);
	intern_init(&map.names);
	intern_init(&map.before);
	int rc = read_node_map(f, pre, &map, err);
	if (rc == 0)
		rc = read_mapped_kernels(f, kernels, &map, err);
	intern_release(&map.names);
	intern_release(&map.before);
	arena_release(&map.arena);
	free(map.nodes);
	return rc;
}

static const struct {
	const char *name;
	read_fn *read;
} kinds[] = {
	{ "kernel_information", read_information },
	{ "inductor_provenance_tracking_node_mappings", read_mappings },
	{ "inductor_provenance_tracking_kernel_stack_traces", read_stacks },
	{ "inductor_triton_kernel_to_post_grad_nodes", read_nodes },
	{ "inductor_generated_kernel_to_post_grad_nodes", read_nodes },
};

static bool ends_with(struct str s, struct str end)
{
	return s.n >= end.n && str_equal(str_behind(s, s.n - end.n), end);
}

/* What reads a file of that name; NULL: it is another. */
static read_fn *reader_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str name = str_of(slash ? slash + 1 : path);

	if (!ends_with(name, STR_LIT(".json")) && !ends_with(name, STR_LIT(".json.gz")))
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_starts_with(name, str_of(kinds[i].name)))
			return kinds[i].read;
	return NULL;
}

/* "4/1" of the folder "-_4_1_0", or empty. */
static struct str region_of(struct reading_file *f)
{
	const char *name = strstr(f->path, "/-_");
	struct str frame, version;

	if (!name)
		return (struct str){ f->path, 0 };
	frame = digits_behind(str_of(name), "/-_");
	version = digits_behind(str_of(frame.p + frame.n), "_");
	if (frame.n == 0 || version.n == 0 || version.p != frame.p + frame.n + 1)
		return (struct str){ f->path, 0 };
	return str_of(arena_printf(&f->to->arena, STR_FMT "/" STR_FMT, STR_ARG(frame),
				   STR_ARG(version)));
}

static int read_text(struct reading_file *f, struct bytes text, read_fn *read,
		     struct err *err)
{
	struct json j = json_of((struct str){ (const char *)text.p, text.n });
	struct json_value top;

	f->begin = j.p;
	if (json_value(&j, &top) != JSON_OK)
		return wrong(f, j.p, j.what ? j.what : "no JSON", err);
	if (json_blanks(&j) == JSON_OK)
		return wrong(f, j.p, "text follows the JSON", err);
	if (top.type != JSON_OBJECT)
		return wrong(f, top.text.p, "an object was expected", err);
	return read(f, top.text, err);
}

int provenance_read_text(const char *path, struct bytes text, struct compile_sources *to,
			 struct err *err)
{
	struct reading_file f = { .to = to, .path = path };

	f.region = region_of(&f);
	return read_text(&f, text, reader_of(path), err);
}

static int read_file(struct reading_file *f, uint64_t *bytes, struct err *err)
{
	struct input *in = input_open(f->path, err);
	int rc = -1;

	if (!in)
		return -1;
	struct bytes text = input_peek(in, FILE_MAX_BYTES + 1, err);
	*bytes += text.n;
	f->region = region_of(f);
	if (err->kind != ERR_NONE)
		rc = -1;
	else if (text.n > FILE_MAX_BYTES || *bytes > TOTAL_MAX_BYTES)
		rc = err_set(err, ERR_INPUT, "%s: too large for a file of Inductor",
			     f->path);
	else
		rc = read_text(f, text, reader_of(f->path), err);
	input_close(in);
	return rc;
}

static int read_folder(const char *place, struct compile_sources *to, struct err *err)
{
	struct walk walk;
	uint64_t bytes = 0;
	uint32_t n = 0;
	int rc = walk_folder(place, &walk, NULL, NULL, err);

	for (size_t i = 0; rc == 0 && i < walk.n; i++) {
		struct reading_file f = { .to = to,
					  .path = walk.files[i].path,
					  .number = n };
		if (walk.files[i].kind != WALK_FILE || !reader_of(f.path))
			continue;
		n++;
		rc = read_file(&f, &bytes, err);
	}
	walk_release(&walk);
	if (rc == 0 && n == 0)
		rc = err_set(err, ERR_INPUT,
			     "%s: it has no provenance files of Inductor "
			     "(kernel_information.json, "
			     "inductor_provenance_tracking_node_mappings.json)",
			     place);
	return rc;
}

int provenance_read(const char *place, struct compile_sources *to, struct err *err)
{
	struct reading_file f = { .to = to, .path = place };
	uint64_t bytes = 0;
	struct stat st;

	if (stat(place, &st) < 0)
		return err_errno(err, place);
	if (S_ISDIR(st.st_mode))
		return read_folder(place, to, err);
	if (!reader_of(place))
		return err_set(err, ERR_INPUT, "%s: Inductor writes no file of this name",
			       place);
	return read_file(&f, &bytes, err);
}
