/* What ptool advise found, on a page: see report_findings.h. */
#include "cli/report_findings.h"

#include <string.h>

#include "base/units.h"
#include "query/advise/rules.h"

/* The tab where a rule's numbers are seen. */
static const struct {
	const char *rule, *tab;
} places[] = {
	{ "mixed-precision", "kernels" },
	{ "attention", "kernels" },
	{ "unfused", "kernels" },
	{ "low-occupancy", "kernels" },
	{ "small-batch", "kernels" },
	{ "pageable-copies", "transfers" },
	{ "device-copies", "transfers" },
	{ "host-copies", "transfers" },
	{ "communication", "comm" },
	{ "exposed-communication", "comm" },
	{ "stragglers", "comm" },
	{ "ddp-backend", "comm" },
	{ "ddp-buffers", "comm" },
	{ "data-parallel", "comm" },
	{ "memory-limit", "memory" },
	{ "memory-growth", "memory" },
	{ "allocator-churn", "memory" },
	{ "slow-calls", "operators" },
	{ "long-calls", "operators" },
	{ "small-operators", "operators" },
	{ "threads", "operators" },
	{ "python-time", "flame" },
	{ "warm-up", "steps" },
	{ "profiler-overhead", "steps" },
	{ "missing-kernels", "recording" },
};

static const char *place_of(const struct report_finding_words *words, const char *rule)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strcmp(places[i].rule, rule) == 0)
			return places[i].tab;
	return words->tab;
}

/* "Communication (rank 3)" */
static struct str title_of(struct arena *arena, struct report_rows *advice, size_t row,
			   struct str title)
{
	struct cell rank = report_cell(advice, row, "rank"),
		    profile = report_cell(advice, row, "profile");

	if (rank.type != CELL_INT && profile.type != CELL_INT)
		return title;
	return str_of(arena_printf(
		arena, STR_FMT " (%s %lld)", STR_ARG(title),
		rank.type == CELL_INT ? "rank" : "profile",
		(long long)(rank.type == CELL_INT ? rank : profile).as.integer));
}

static void add_finding(struct page *page, struct report_rows *advice, size_t row,
			const struct report_finding_words *words)
{
	struct arena *arena = &page->arena;
	const char *name = arena_copy(arena, report_text(advice, row, "rule")).p;
	const struct rule *rule = rule_find(name);
	struct cell saving = report_cell(advice, row, "saving_ns");
	char number[UNITS_TEXT_MAX];
	const char *saved = "";
	struct str title = str_of(rule ? rule->title : name);

	if (saving.type == CELL_INT)
		saved = arena_printf(arena, "Could save up to " STR_FMT " %s.",
				     STR_ARG(units_text(UNIT_NS, saving, number)),
				     words->of);
	page_part(page->body, "finding",
		  PAGE_SLOTS(
			  PAGE_TEXT("severity", report_text(advice, row, "severity")),
			  PAGE_TEXT("title", words->has_places
						     ? title_of(arena, advice, row, title)
						     : title),
			  PAGE_TEXT("finding", report_text(advice, row, "finding")),
			  PAGE_TEXT("saving", str_of(saved)),
			  PAGE_TEXT("suggestion", report_text(advice, row, "suggestion")),
			  PAGE_TEXT("tab", str_of(place_of(words, name)))));
}

static bool is_finding(struct report_rows *advice, size_t row)
{
	struct str severity = report_text(advice, row, "severity");

	return str_is(severity, "high") || str_is(severity, "medium") ||
	       str_is(severity, "low");
}

void report_findings(struct page *page, struct report_rows *advice,
		     const struct report_finding_words *words)
{
	FILE *out = page->body;
	size_t n = 0;

	for (size_t i = 0; i < report_rows_count(advice); i++)
		n += is_finding(advice, i);
	if (!n)
		return;
	page_part_open(out, "panel",
		       PAGE_SLOTS(PAGE_TEXT("title", STR_LIT("What to try")),
				  PAGE_TEXT("about", STR_LIT("what saves most comes "
							     "first; ptool advise"))));
	for (size_t i = 0; i < report_rows_count(advice); i++)
		if (is_finding(advice, i))
			add_finding(page, advice, i, words);
	page_part_close(out, "panel");
}
