/*
 * json_tokens: what the tokenizer makes of documents, for tests/json/check_json.py.
 * Standard input holds documents, each behind a line "SIZE MODE" with MODE strict
 * or tolerant; for each one standard output gets a line: "bad" and the offset, or
 * "ok", the flaws, and the tokens:
 *
 *     { } [ ] t f z       brackets, true, false, null
 *     k68656c6c6f s6869   a key, a string: hexadecimal, escapes undone
 *     n1.5e3              a number as it stands
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/json.h"

#define TEXT_MAX  ((size_t)1 << 28)
#define DEPTH_MAX 4096

static void print_text(char kind, struct str text, struct buf *scratch)
{
	struct str plain = json_unescape(text, scratch);

	printf(" %c", kind);
	for (size_t i = 0; i < plain.n; i++)
		printf("%02x", (unsigned char)plain.p[i]);
}

static void print_scalar(const struct json_value *value, struct buf *scratch)
{
	switch (value->type) {
	case JSON_STRING:
		print_text('s', value->text, scratch);
		break;
	case JSON_NUMBER:
		printf(" n%.*s", (int)value->text.n, value->text.p);
		break;
	case JSON_TRUE:
		printf(" t");
		break;
	case JSON_FALSE:
		printf(" f");
		break;
	case JSON_NULL:
		printf(" z");
		break;
	case JSON_OBJECT:
	case JSON_ARRAY:
		break;
	}
}

/* The containers around a place in a value. */
struct nesting {
	bool is_object[DEPTH_MAX];
	size_t depth;
	bool first;
};

/* Goes to the next value, out of the containers that end before it; *key is its key. */
static void go_on(struct json *j, struct nesting *n, struct json_value *key)
{
	bool done = true;

	while (done && n->depth > 0) {
		bool object = n->is_object[n->depth - 1];
		if (object)
			json_member(j, n->first, key, &done);
		else
			json_element(j, n->first, &done);
		n->first = false;
		if (done) {
			n->depth--;
			printf(" %c", object ? '}' : ']');
		}
	}
}

/* The tokens of a value that was validated as a whole. */
static void print_tokens(struct json *j, struct buf *scratch)
{
	static struct nesting n;
	struct json_value value, key;

	n.depth = 0;
	do {
		if (*j->p == '{' || *j->p == '[') {
			if (n.depth == DEPTH_MAX)
				exit(3);
			n.is_object[n.depth++] = *j->p == '{';
			n.first = true;
			printf(" %c", *j->p++);
		} else {
			json_value(j, &value);
			print_scalar(&value, scratch);
		}
		go_on(j, &n, &key);
		if (n.depth > 0 && n.is_object[n.depth - 1])
			print_text('k', key.text, scratch);
	} while (n.depth > 0);
}

static void print_document(const char *text, size_t size, bool strict,
			   struct buf *scratch)
{
	struct json j = { .p = text, .end = text + size, .last = true, .strict = strict };
	struct json_value value;

	if (json_value(&j, &value) != JSON_OK || json_blanks(&j) == JSON_OK) {
		printf("bad %td\n", j.p - text);
		return;
	}
	printf("ok %u", j.flaws);
	j = (struct json){ .p = text, .end = text + size, .last = true };
	json_blanks(&j);
	print_tokens(&j, scratch);
	putchar('\n');
}

int main(void)
{
	char mode[16];
	size_t size;
	struct buf scratch;

	buf_init(&scratch, TEXT_MAX);
	while (scanf("%zu %15s", &size, mode) == 2 && getchar() == '\n' &&
	       size < TEXT_MAX) {
		char *text = xcalloc(1, size + JSON_PADDING);
		if (fread(text, 1, size, stdin) != size)
			return 2;
		print_document(text, size, mode[0] == 's', &scratch);
		free(text);
	}
	buf_release(&scratch);
	return ferror(stdout) || fflush(stdout) ? 2 : 0;
}
