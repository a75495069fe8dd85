/* The table of categories: see category.h. */
#include "trace/category.h"

/* clang-format off */
#define TEXT(text)              { (text), sizeof(text) - 1 }
#define CATEGORY(name, class)   { TEXT(name), class, TEXT(name) }
#define OLD(name, class, today) { TEXT(name), class, TEXT(today) }
/* clang-format on */

/*
 * Today's spellings, most frequent first, then those of 2021 (dialect A), of other
 * accelerators, and what is PyTorch's without being work or a call.
 */
static const struct category categories[] = {
	CATEGORY("cpu_op", CLASS_OP),
	CATEGORY("python_function", CLASS_PYTHON),
	CATEGORY("cuda_runtime", CLASS_RUNTIME),
	CATEGORY("kernel", CLASS_KERNEL),
	CATEGORY("cpu_instant_event", CLASS_MEMORY),
	CATEGORY("user_annotation", CLASS_ANNOTATION),
	CATEGORY("gpu_memcpy", CLASS_MEMCPY),
	CATEGORY("gpu_memset", CLASS_MEMSET),
	CATEGORY("cuda_driver", CLASS_DRIVER),
	CATEGORY("cuda_sync", CLASS_SYNC),
	CATEGORY("gpu_user_annotation", CLASS_DEVICE_ANNOTATION),
	CATEGORY("overhead", CLASS_OVERHEAD),
	CATEGORY("Trace", CLASS_SPAN),
	OLD("Operator", CLASS_OP, "cpu_op"),
	OLD("PythonFunction", CLASS_PYTHON, "python_function"),
	OLD("Runtime", CLASS_RUNTIME, "cuda_runtime"),
	OLD("Kernel", CLASS_KERNEL, "kernel"),
	OLD("UserAnnotation", CLASS_ANNOTATION, "user_annotation"),
	OLD("Memcpy", CLASS_MEMCPY, "gpu_memcpy"),
	OLD("Memset", CLASS_MEMSET, "gpu_memset"),
	OLD("gpu_user_Annotation", CLASS_DEVICE_ANNOTATION, "gpu_user_annotation"),
	CATEGORY("xpu_runtime", CLASS_RUNTIME),
	CATEGORY("xpu_driver", CLASS_DRIVER),
	CATEGORY("xpu_sync", CLASS_SYNC),
	CATEGORY("mtia_runtime", CLASS_RUNTIME),
	CATEGORY("mtia_ccp_events", CLASS_ACCELERATOR),
	CATEGORY("glow_runtime", CLASS_RUNTIME),
	CATEGORY("privateuse1_runtime", CLASS_RUNTIME),
	CATEGORY("privateuse1_driver", CLASS_DRIVER),
	CATEGORY("hpu_op", CLASS_KERNEL),
	CATEGORY("cuda_event", CLASS_SYNC), /* a mark in the stream, no work */
	CATEGORY("external_correlation", CLASS_OTHER),
	CATEGORY("cuda_profiler_range", CLASS_OTHER),
	CATEGORY("collective_comm", CLASS_OTHER),
	CATEGORY("mtia_insight", CLASS_OTHER),
	CATEGORY("mtia_workloadd", CLASS_OTHER),
	CATEGORY("mtia_counters", CLASS_OTHER),
	CATEGORY("hardware_counters", CLASS_OTHER),
	CATEGORY("xpu_scope_profiler", CLASS_OTHER),
};

#define NCATEGORIES (sizeof(categories) / sizeof(*categories))

const char *slice_class_name(enum slice_class class)
{
	static const char *const names[NCLASSES] = {
		[CLASS_OTHER] = "other",
		[CLASS_OP] = "op",
		[CLASS_ANNOTATION] = "annotation",
		[CLASS_PYTHON] = "python",
		[CLASS_RUNTIME] = "runtime",
		[CLASS_DRIVER] = "driver",
		[CLASS_OVERHEAD] = "overhead",
		[CLASS_KERNEL] = "kernel",
		[CLASS_MEMCPY] = "memcpy",
		[CLASS_MEMSET] = "memset",
		[CLASS_ACCELERATOR] = "accelerator",
		[CLASS_SYNC] = "sync",
		[CLASS_DEVICE_ANNOTATION] = "device_annotation",
		[CLASS_SPAN] = "span",
		[CLASS_MEMORY] = "memory",
	};

	return names[class];
}

static bool is_equal_but_for_case(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		char x = a.p[i], y = b.p[i];
		if (x != y && ((x ^ y) != ' ' || (x | ' ') < 'a' || (x | ' ') > 'z'))
			return false;
	}
	return true;
}

/* Producers differ in capitals; only "Trace" is a word of others in small letters. */
static const struct category *find_other_case(struct str text)
{
	for (size_t i = 0; i < NCATEGORIES; i++)
		if (categories[i].class != CLASS_SPAN &&
		    is_equal_but_for_case(categories[i].name, text))
			return &categories[i];
	return NULL;
}

const struct category *category_find(struct str text)
{
	for (size_t i = 0; i < NCATEGORIES; i++)
		if (str_equal(categories[i].name, text))
			return &categories[i];
	return find_other_case(text);
}

static struct str today(struct str text)
{
	const struct category *known = category_find(text);

	return known ? known->today : text;
}

bool category_is_same(struct str a, struct str b)
{
	return is_equal_but_for_case(a, b) || is_equal_but_for_case(today(a), today(b));
}

const struct category *category_at(size_t i)
{
	return i < NCATEGORIES ? &categories[i] : NULL;
}

const char *category_word_at(size_t i)
{
	size_t n = 0;

	for (size_t c = 0; c < NCATEGORIES; c++)
		if (str_equal(categories[c].name, categories[c].today) && n++ == i)
			return categories[c].name.p;
	for (int class = 0; class < NCLASSES; class ++) {
		const char *name = slice_class_name((enum slice_class) class);
		const struct category *same = category_find(str_of(name));
		if (!(same && str_is(same->name, name)) && n++ == i)
			return name;
	}
	return NULL;
}

unsigned category_classes(struct str text)
{
	unsigned bits = 0;

	for (int class = 0; class < NCLASSES; class ++)
		if (is_equal_but_for_case(
			    text, str_of(slice_class_name((enum slice_class) class))))
			bits |= 1U << class;
	return bits;
}
