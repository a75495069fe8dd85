/* A stack of decoders: see layers.h. */
#include "base/layers.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/decoder.h"
#include "base/expand.h"

/* Compression within compression: each level may want memory of its own. */
#define MAX_LEVELS 3
/* The source, the levels, and UTF-16. */
#define MAX_LAYERS (1 + MAX_LEVELS + 1)

static const struct decoder *const compressions[] = { &inflate_decoder, &unzstd_decoder,
						      NULL };

/* A source whose first bytes are looked at; what is on top of it reads all of them. */
struct layer {
	input_read_fn *read;
	void *from;
	const struct decoder *decoder; /* whose state `from` is; NULL: the source's */
	const struct layers *layers;   /* whose it is */
	bool ended;
	size_t head_at, head_n; /* bytes of head that are still to be read */
	uint8_t head[DECODER_HEAD];
};

struct layers {
	size_t n;
	struct layer *each[MAX_LAYERS]; /* owned; the source's first */
	struct expand *expand;          /* borrowed: counts what decoders make, or NULL */
};

static struct layer *top_of(const struct layers *l)
{
	return l->each[l->n - 1];
}

static void add(struct layers *l, input_read_fn *read, void *from,
		const struct decoder *decoder)
{
	struct layer *layer = xmalloc(sizeof(*layer));

	assert(l->n < MAX_LAYERS);
	layer->read = read;
	layer->from = from;
	layer->decoder = decoder;
	layer->layers = l;
	layer->ended = false;
	layer->head_at = layer->head_n = 0;
	l->each[l->n++] = layer;
}

struct layers *layers_new(input_read_fn *read, void *from)
{
	struct layers *l = xcalloc(1, sizeof(*l));

	add(l, read, from, NULL);
	return l;
}

void layers_free(struct layers *l)
{
	if (!l)
		return;
	while (l->n) {
		struct layer *layer = l->each[--l->n];
		if (layer->decoder)
			layer->decoder->close(layer->from);
		free(layer);
	}
	free(l);
}

/*
 * What the layer itself gives.  What a decoder makes is counted at each level: the last
 * one may make nothing of it.
 */
static ssize_t read_own(struct layer *layer, uint8_t *to, size_t n, struct err *err)
{
	const struct layers *l = layer->layers;
	bool is_nested = layer != l->each[0] && layer != l->each[1];
	ssize_t got = layer->read(layer->from, to, n, err);

	layer->ended = got == 0;
	if (got > 0 && layer->decoder && l->expand &&
	    expand_add(l->expand, (uint64_t)got, is_nested, err) < 0)
		return -1;
	return got;
}

/* An input_read_fn: the bytes that were looked at, then those behind them. */
static ssize_t read_layer(void *from, uint8_t *to, size_t n, struct err *err)
{
	struct layer *layer = from;
	size_t left = layer->head_n - layer->head_at;

	if (left == 0)
		return layer->ended ? 0 : read_own(layer, to, n, err);
	if (n > left)
		n = left;
	memcpy(to, layer->head + layer->head_at, n);
	layer->head_at += n;
	return (ssize_t)n;
}

static int look_at_head(struct layer *layer, struct err *err)
{
	while (layer->head_n < DECODER_HEAD && !layer->ended) {
		ssize_t got = read_own(layer, layer->head + layer->head_n,
				       DECODER_HEAD - layer->head_n, err);
		if (got < 0)
			return -1;
		layer->head_n += (size_t)got;
	}
	return 0;
}

/* The compression that begins like this, or NULL. */
static const struct decoder *find_compression(struct bytes head)
{
	for (size_t i = 0; compressions[i]; i++)
		if (compressions[i]->knows(head))
			return compressions[i];
	return NULL;
}

static void add_decoder(struct layers *l, const struct decoder *decoder)
{
	add(l, decoder->read, decoder->open(read_layer, top_of(l)), decoder);
}

int layers_find(struct layers *l, struct err *err)
{
	for (int level = 0;; level++) {
		struct layer *top = top_of(l);
		if (look_at_head(top, err) < 0)
			return -1;
		struct bytes head = { top->head, top->head_n };
		const struct decoder *decoder = find_compression(head);
		if (!decoder && utf16_decoder.knows(head))
			add_decoder(l, &utf16_decoder);
		if (!decoder)
			return 0;
		if (level == MAX_LEVELS)
			return err_at(err, 0, "compressed more than %d times over",
				      MAX_LEVELS);
		add_decoder(l, decoder);
	}
}

ssize_t layers_read(void *layers, uint8_t *to, size_t n, struct err *err)
{
	return read_layer(top_of(layers), to, n, err);
}

void layers_set_expand(struct layers *l, struct expand *expand)
{
	l->expand = expand;
}

void layers_restart(struct layers *l)
{
	assert(layers_are_none(l));
	l->each[0]->head_at = l->each[0]->head_n;
	l->each[0]->ended = false;
}

bool layers_are_none(const struct layers *l)
{
	return l->n == 1;
}

bool layers_are_utf16(const struct layers *l)
{
	return top_of(l)->decoder == &utf16_decoder;
}

const char *layers_damage(const struct layers *l)
{
	const char *damage = NULL;

	for (size_t i = 1; i < l->n && !damage; i++)
		damage = l->each[i]->decoder->damage(l->each[i]->from);
	return damage;
}
