/* Names of devices: see memory_device.h. */
#include "query/memory/memory_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/fact.h"
#include "trace/op_memory.h"

#define DIGITS_MAX 9 /* of an index: no machine has more devices */

/* By c10::DeviceType; c10/core/DeviceType.h. */
static const char *const kinds[] = {
	"cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
	"fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
	"meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone",
};
/* In front of the number of a type that has no name here. */
#define NAMELESS "type "
#define NKINDS   (sizeof(kinds) / sizeof(kinds[0]))

static const char *kind_of(int64_t type)
{
	if (type == NUMBER_NONE)
		return kinds[0];
	return type >= 0 && (uint64_t)type < NKINDS ? kinds[type] : NULL;
}

void memory_device_name(int64_t type, int64_t index, char out[MEMORY_DEVICE_MAX])
{
	const char *kind = kind_of(type);
	if (type == -1) { /* of a memory timeline, which names none */
		snprintf(out, MEMORY_DEVICE_MAX, "device");
		return;
	}
	int n = kind ? snprintf(out, MEMORY_DEVICE_MAX, "%s", kind)
		     : snprintf(out, MEMORY_DEVICE_MAX, NAMELESS "%" PRId64, type);

	if (!op_memory_is_cpu(type) && index != NUMBER_NONE && index >= 0 && n > 0)
		snprintf(out + n, MEMORY_DEVICE_MAX - (size_t)n, ":%" PRId64, index);
}

static bool parse_index(struct str text, int64_t *index)
{
	if (text.n == 0 || text.n > DIGITS_MAX)
		return false;
	*index = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		*index = *index * 10 + (text.p[i] - '0');
	}
	return true;
}

static const char *find_kind(struct str text)
{
	for (size_t i = 0; i < NKINDS; i++)
		if (str_is(text, kinds[i]))
			return kinds[i];
	return NULL;
}

static bool parse_spec(struct str text, struct memory_spec *out)
{
	const char *colon = memchr(text.p, ':', text.n);

	*out = (struct memory_spec){ .text = text, .has_index = true };
	if (str_starts_with(text, STR_LIT(NAMELESS)))
		return true;
	if (parse_index(text, &out->index))
		return true;
	struct str kind = text;
	if (colon)
		kind.n = (size_t)(colon - text.p);
	out->kind = find_kind(kind);
	out->has_index = colon != NULL;
	return out->kind &&
	       (!colon || parse_index(str_behind(text, kind.n + 1), &out->index));
}

int memory_specs_add(struct memory_specs *to, const char *text, struct err *err)
{
	for (const char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		struct str item = { p, strcspn(p, ",") };
		if (to->n == MEMORY_SPECS_MAX)
			return err_set(err, ERR_USAGE,
				       "--device takes at most %d devices",
				       MEMORY_SPECS_MAX);
		if (!parse_spec(item, &to->items[to->n]))
			return err_set(
				err, ERR_USAGE,
				"--device wants cpu, cuda, cuda:1 or 1, not '%.100s'",
				text);
		to->n++;
	}
	return 0;
}

bool memory_specs_have(const struct memory_specs *specs, int64_t type, int64_t index)
{
	const char *kind = kind_of(type);
	char name[MEMORY_DEVICE_MAX];

	memory_device_name(type, index, name);
	for (size_t i = 0; i < specs->n; i++) {
		const struct memory_spec *s = &specs->items[i];
		if (str_is(s->text, name))
			return true;
		if (str_starts_with(s->text, STR_LIT(NAMELESS)))
			continue; /* by its whole name alone */
		bool is_kind = s->kind ? kind && strcmp(kind, s->kind) == 0
				       : !op_memory_is_cpu(type);
		if (is_kind && (!s->has_index || s->index == index ||
				(op_memory_is_cpu(type) && s->index == 0)))
			return true;
	}
	return specs->n == 0;
}
