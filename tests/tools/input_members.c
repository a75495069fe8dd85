/*
 * input_members: what an input gives, for tests/input/check_input.py.  Standard
 * output gets a line for each member of an archive, or one for an input that is
 * none: the bytes, their CRC-32, whether they were UTF-16, the size that was
 * announced, and the name ("-": no archive), separated by tabs; then a line
 * "damage" with its text if there was any, and "error" if it came to that.
 */
#include <stdio.h>
#include <zlib.h>

#include "base/bundle.h"

static void print_input(struct input *in, struct str name, uint64_t size, struct err *err)
{
	uLong crc = crc32(0, NULL, 0);
	struct bytes bytes;

	while ((bytes = input_peek(in, 1, err)).n) {
		crc = crc32_z(crc, bytes.p, bytes.n);
		input_skip(in, bytes.n);
	}
	printf("%llu\t%08lx\t%s\t%llu\t" STR_FMT "\n",
	       (unsigned long long)input_offset(in), crc,
	       input_is_utf16(in) ? "utf16" : "bytes", (unsigned long long)size,
	       STR_ARG(name));
	if (input_damage(in))
		printf("damage\t%s\n", input_damage(in));
}

static void print_members(struct input *in, struct err *err)
{
	struct bundle *b = bundle_open(in, err);
	struct str name;
	uint64_t size;

	while (b && err->kind == ERR_NONE && bundle_next(b, &name, &size, err) == 1) {
		struct input *member = bundle_member(b);
		print_input(member, name, size, err);
		input_close(member);
	}
	bundle_close(b);
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct input *in = argc == 2 ? input_open(argv[1], &err) : NULL;

	if (!in) {
		fprintf(stderr, "usage: input_members FILE\n");
		return 2;
	}
	struct bytes head = input_peek(in, BUNDLE_HEAD, &err);
	if (err.kind == ERR_NONE && bundle_is(head))
		print_members(in, &err);
	else
		print_input(in, STR_LIT("-"), input_size(in), &err);
	if (err.kind != ERR_NONE)
		printf("error\t%lld\t%s\n", (long long)err.offset, err.text);
	input_close(in);
	return 0;
}
