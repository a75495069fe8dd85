/* Torch's spellings: see torch_text.h. */
#include "report/torch_text.h"

#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"

struct str torch_time(struct arena *arena, double us, const char *unit)
{
	if (unit ? strcmp(unit, "s") == 0 : us >= 1e6)
		return str_of(arena_printf(arena, "%.3fs", us / 1e6));
	if (unit ? strcmp(unit, "ms") == 0 : us >= 1e3)
		return str_of(arena_printf(arena, "%.3fms", us / 1e3));
	return str_of(arena_printf(arena, "%.3fus", us));
}

struct str torch_share(struct arena *arena, double us, double total_us)
{
	if (total_us == 0)
		return STR_LIT("NaN");
	return str_of(arena_printf(arena, "%.2f%%", us * 100.0 / total_us));
}

struct str torch_memory(struct arena *arena, int64_t bytes, bool old)
{
	static const char *const units[2][4] = { { "GB", "MB", "KB", "B" },
						 { "Gb", "Mb", "Kb", "b" } };
	double magnitude = fabs((double)bytes), size = 1024.0 * 1024 * 1024;

	for (int i = 0; i < 3; i++, size /= 1024)
		if (magnitude >= size)
			return str_of(arena_printf(arena, "%.2f %s", (double)bytes / size,
						   units[old][i]));
	return str_of(arena_printf(arena, "%" PRId64 " %s", bytes, units[old][3]));
}

size_t torch_length(struct str text)
{
	uint32_t code;
	size_t n = 0;

	for (; text.n; n++) {
		size_t bytes = utf8_decode(text, &code);
		text.p += bytes;
		text.n -= bytes;
	}
	return n;
}

struct str torch_first(struct str text, size_t n)
{
	struct str rest = text;
	uint32_t code;

	while (n-- > 0 && rest.n) {
		size_t bytes = utf8_decode(rest, &code);
		rest.p += bytes;
		rest.n -= bytes;
	}
	return (struct str){ text.p, text.n - rest.n };
}

struct str torch_name(struct arena *arena, struct str name, int64_t max_width)
{
	size_t max = (size_t)max_width;

	if (max == 0 || torch_length(name) + 3 < max)
		return name;
	struct str kept = torch_first(name, max > 3 ? max - 3 : 0);
	return str_of(arena_printf(arena, STR_FMT "...", STR_ARG(kept)));
}

struct str torch_path(struct arena *arena, struct str path, size_t width)
{
	size_t n = torch_length(path);

	if (n <= width)
		return path;
	struct str cut = torch_first(path, n - width + 3);
	struct str end = { path.p + cut.n, path.n - cut.n };
	return str_of(arena_printf(arena, "..." STR_FMT, STR_ARG(end)));
}

struct str torch_next_frame(struct str *stack)
{
	const char *semicolon = stack->n ? memchr(stack->p, ';', stack->n) : NULL;
	size_t n = semicolon ? (size_t)(semicolon - stack->p) : stack->n;
	struct str frame = { stack->p, n };

	stack->p += n + (semicolon ? 1 : 0);
	stack->n -= n + (semicolon ? 1 : 0);
	return frame;
}
