/* The sections of the screen and the ways between tables: see sections.h. */
#include "screen/sections.h"

#include <stddef.h>
#include <string.h>

#include "screen/screen.h"

#define OF_FUNCTIONS (SCREEN_FUNCTIONS | SCREEN_LINES)

const struct section sections[] = {
	{ "Overview", "overview", SCREEN_ANY },
	{ "Operators", "top", SCREEN_TRACE },
	{ "Functions", "top", OF_FUNCTIONS },
	{ "Kernels", "kernels", SCREEN_TRACE },
	{ "Idle", "gaps", SCREEN_TRACE },
	{ "Steps", "steps", SCREEN_TRACE },
	{ "Timeline", "timeline", SCREEN_TRACE },
	{ "Tree", "tree", SCREEN_TRACE | SCREEN_FUNCTIONS },
	{ "Flame", "flame", SCREEN_TRACE | SCREEN_FUNCTIONS },
	{ "Lines", "lines", SCREEN_LINES },
	{ "Memory", "memory", SCREEN_ANY },
	{ "Modules", "modules", SCREEN_TRACE },
	{ "Transfers", "transfers", SCREEN_TRACE },
	{ "Communication", "comm", SCREEN_TRACE },
	{ "Devices", "devices", SCREEN_TRACE },
	{ "Streams", "streams", SCREEN_TRACE },
	{ "Phases", "steps --by=phase", SCREEN_PHASES },
	{ "Roofline", "roofline", SCREEN_SHAPES },
	{ "Compiled", "compile", SCREEN_COMPILED },
	{ "Graphs", "graphs", SCREEN_GRAPHS },
	{ "Advice", "advise", SCREEN_TRACE | SCREEN_FUNCTIONS },
	{ "Doctor", "doctor", SCREEN_ANY },
	{ "Info", "info", SCREEN_ANY },
	{ .title = NULL },
};

/* Of a table's ways the first is Enter's; the others are in the menu. */
/* clang-format off */
const struct way ways[] = {
	{ "top", NULL, "name", "slices of", "list", "--focus=^%e$", false, 0 },
	{ "top", NULL, "name", "device work below", "tree --kernels --min=0 --root-at=^%e$", NULL, false, 0 },
	{ "top", NULL, "name", "each step of", "top --by=step", "--focus=^%e$", false, 0 },
	{ "top", NULL, "standard_name", "callers of", "callers ^%e$", NULL, false, SCREEN_FUNCTIONS },
	{ "top", NULL, "standard_name", "callees of", "callees ^%e$", NULL, false, SCREEN_FUNCTIONS },
	{ "top", NULL, "standard_name", "tree from", "tree --min=0 --root-at=^%e$", NULL, false, SCREEN_FUNCTIONS },
	{ "top", NULL, "standard_name", "lines of", "lines", "--focus=^%e$", false, SCREEN_LINES },
	{ "top", NULL, "shown", "callers of", "callers ^%e$", NULL, false, 0 },
	{ "top", NULL, "shown", "callees of", "callees ^%e$", NULL, false, 0 },
	{ "top", NULL, "shown", "tree from", "tree --min=0 --root-at=^%e$", NULL, false, 0 },
	{ "callers", NULL, "called_by", "callers of", "callers ^%e$", NULL, false, 0 },
	{ "callers", NULL, "called_by", "callees of", "callees ^%e$", NULL, false, 0 },
	{ "callees", NULL, "calls_to", "callees of", "callees ^%e$", NULL, false, 0 },
	{ "callees", NULL, "calls_to", "callers of", "callers ^%e$", NULL, false, 0 },
	{ "kernels", NULL, "name", "launches of", "list", "--focus=^%e$", false, 0 },
	{ "kernels", NULL, "name", "operators that launch", "kernels --by=op", "--focus=^%e$", false, 0 },
	{ "kernels", NULL, "name", "launch delays of", "kernels --launches", "--focus=^%e$", false, 0 },
	{ "gaps", "--list", "people_time", "slices in", "list", "--time=%s", false, 0 },
	{ "gaps", "--list", "people_time", "timeline of", "timeline", "--time=%s", false, 0 },
	{ "gaps", NULL, "title", "gaps:", "gaps --list", NULL, true, 0 },
	{ "gaps", NULL, "title", "operators:", "gaps --by=op", NULL, true, 0 },
	{ "gaps", NULL, "title", "Python frames:", "gaps --by=frame", NULL, true, 0 },
	{ "steps", NULL, "people_step", "operators of step", "top", "--step=%d", false, 0 },
	{ "steps", NULL, "people_step", "gaps of step", "gaps --list", "--step=%d", false, 0 },
	{ "steps", NULL, "people_step", "idle time of step", "gaps", "--step=%d", false, 0 },
	{ "steps", NULL, "people_step", "kernels of step", "kernels", "--step=%d", false, 0 },
	{ "steps", NULL, "people_step", "timeline of step", "timeline", "--step=%d", false, 0 },
	{ "steps", NULL, "people_step", "tree of step", "tree", "--step=%d", false, 0 },
	{ "steps", NULL, "people_step", "slices of step", "list", "--step=%d", false, 0 },
	{ "steps", "--by=phase", "phase", "steps of phase", "steps", "--phase=%s", false, 0 },
	{ "steps", "--by=phase", "phase", "operators of phase", "top", "--phase=%s", false, 0 },
	{ "steps", "--by=phase", "phase", "kernels of phase", "kernels", "--phase=%s", false, 0 },
	{ "steps", "--by=phase", "phase", "idle time of phase", "gaps", "--phase=%s", false, 0 },
	{ "steps", "--by=phase", "phase", "timeline of phase", "timeline", "--phase=%s", false, 0 },
	{ "roofline", NULL, "name", "slices of", "list", "--focus=^%e$", false, 0 },
	{ "compile", NULL, "frame", "versions:", "compile --by=region", NULL, false, 0 },
	{ "compile", NULL, "frame", "steps:", "compile --by=step", NULL, false, 0 },
	{ "compile", NULL, "frame", "kernels:", "compile --by=kernel", NULL, false, 0 },
	{ "memory", NULL, "op", "memory events of", "memory --events", "--focus=^%e$", false, 0 },
	{ "memory", NULL, "device", "blocks at the peak:", "memory --live", NULL, true, 0 },
	{ "memory", NULL, "device", "curve:", "memory --curve", NULL, true, 0 },
	{ "memory", NULL, "device", "operators:", "memory --stats", NULL, true, 0 },
	{ "memory", NULL, "device", "growth:", "memory --growth", NULL, true, 0 },
	{ "memory", NULL, "device", "leaks:", "memory --leaks", NULL, true, 0 },
	{ "transfers", NULL, "transfer", "copies:", "transfers --list", NULL, true, 0 },
	{ "transfers", NULL, "transfer", "operators:", "transfers --by=op", NULL, true, 0 },
	{ "comm", NULL, "collective", "calls of", "comm --list", "--focus=^%e$", false, 0 },
	{ "comm", NULL, "collective", "sizes of", "comm --by=size", "--focus=^%e$", false, 0 },
	{ "comm", NULL, "collective", "ranks:", "comm --ranks", NULL, false, 0 },
	{ "modules", NULL, "people_name", "slices of", "list", "--focus=nn.Module:.%e$", false, 0 },
	{ "tree", NULL, "name", "slices of", "list", "--focus=^%e$", false, 0 },
	{ "tree", NULL, "name", "flame from", "flame --root-at=^%e$", NULL, false, 0 },
	{ "tree", NULL, "name", "all below", "tree --min=0 --root-at=^%e$", NULL, false, 0 },
	{ "lines", NULL, "standard_name", "lines of", "lines", "--focus=^%e$", false, 0 },
	{ "list", NULL, "name", "tree from", "tree --min=0 --root-at=^%e$", NULL, false, 0 },
	{ "list", NULL, "name", "totals of", "top", "--focus=^%e$", false, 0 },
	{ "devices", NULL, "device", "idle time of device", "gaps", "--device=%s", false, 0 },
	{ "devices", NULL, "device", "streams of device", "streams", "--device=%s", false, 0 },
	{ "streams", NULL, "stream", "work of stream", "list", "--stream=%s", false, 0 },
	{ .from = NULL },
};
/* clang-format on */

const struct habit *habit_of(const char *command)
{
	static const struct habit habits[] = {
		{ "overview", .is_by_width = true, .is_whole = true },
		{ "timeline", .is_by_width = true, .is_whole = true },
		{ "flame", .is_by_width = true, .is_whole = true },
		{ "tree", .tree = "name", .is_by_width = true, .is_whole = true },
		{ "modules", .tree = "people_name", .is_by_width = true },
		{ .command = NULL },
	};
	const struct habit *h = habits;

	while (h->command && strcmp(h->command, command) != 0)
		h++;
	return h;
}
