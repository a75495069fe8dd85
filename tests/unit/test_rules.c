/* The rules of ptool advise as a table, and the order of what they find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ingest/sink.h"
#include "query/advise/advice.h"
#include "query/advise/advise.h"
#include "query/advise/advise_facts.h"

static void rules_have_names_of_their_own(void **state)
{
	(void)state;
	for (size_t i = 0; rules[i]; i++) {
		assert_ptr_equal(rules[i], rule_find(rules[i]->name));
		assert_int_equal(i, rule_place(rules[i]));
	}
	assert_null(rules[rule_count()]);
	assert_null(rule_find("data-loadin"));
}

static void rules_say_all_that_help_prints(void **state)
{
	(void)state;
	for (size_t i = 0; rules[i]; i++) {
		assert_non_null(rules[i]->title);
		assert_int_equal(1, !!rules[i]->check + !!rules[i]->judge +
					    !!rules[i]->each_device);
		assert_int_equal(!!rules[i]->can_tell, !!rules[i]->lacks);
		assert_int_equal('.', rules[i]->looks[strlen(rules[i]->looks) - 1]);
		assert_int_equal('.', rules[i]->source[strlen(rules[i]->source) - 1]);
	}
}

static void parameters_are_found_by_their_whole_names(void **state)
{
	const struct rule *rule = rule_find("launch-bound");

	(void)state;
	assert_int_equal(1, rule_parameter_find(rule, "max_gap_us", 10));
	assert_int_equal(RULE_PARAMETERS_MAX, rule_parameter_find(rule, "max_gap_us", 7));
	assert_int_equal(RULE_PARAMETERS_MAX,
			 rule_parameter_find(rule, "max_gap_usec", 12));
	for (size_t i = 0; rules[i]; i++)
		for (size_t k = 0; rules[i]->parameters[k].name; k++) {
			const char *name = rules[i]->parameters[k].name;
			assert_true(k < RULE_PARAMETERS_MAX);
			assert_int_equal(
				k, rule_parameter_find(rules[i], name, strlen(name)));
			assert_true(rule_choice_of(rules[i]).values[k] >= 0);
		}
}

struct fixture {
	struct scope_profile profiles[2];
	struct advise_facts facts;
	struct advice_list list;
	struct rule_run run;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .profiles = { { .id = 1 }, { .id = 2 } } };
	f->facts.profile = &f->profiles[0];
	f->run = (struct rule_run){ .rule = rules[0],
				    .facts = &f->facts,
				    .out = &f->list };
}

static void a_tenth_of_the_step_is_of_high_severity(void **state)
{
	static const struct {
		int64_t saving_ns;
		enum advice_severity severity;
	} cases[] = { { 100, ADVICE_HIGH },
		      { 99, ADVICE_MEDIUM },
		      { 50, ADVICE_MEDIUM },
		      { 49, ADVICE_LOW },
		      { 0, ADVICE_LOW } };
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct advice *a = advice_add(&f.run, cell_null(), "try", "%d", 1);
		advice_save(&f.run, cases[i].saving_ns, 1000, "formula");
		assert_int_equal(cases[i].severity, a->severity);
	}
	advice_list_release(&f.list);
}

static void findings_are_ordered_by_severity_then_saving_then_rule_then_profile(
	void **state)
{
	static const int64_t order[] = { 4, 3, 5, 1, 2, 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	f.run.rule = rules[1];
	advice_add(&f.run, cell_int(0), "try", "no saving, a later rule");
	f.run.rule = rules[0];
	advice_add(&f.run, cell_int(1), "try", "no saving");
	f.facts.profile = &f.profiles[1];
	advice_add(&f.run, cell_int(2), "try", "the same of another profile");
	advice_add(&f.run, cell_int(3), "try", "a saving");
	advice_save(&f.run, 50, 1000, "formula");
	f.run.rule = rules[2];
	advice_add(&f.run, cell_int(4), "try", "a large one");
	advice_save(&f.run, 500, 1000, "formula");
	advice_add(&f.run, cell_int(5), "try", "a small one");
	advice_save(&f.run, 1, 1000, "formula");
	advice_settle(&f.list);
	for (size_t i = 0; i < f.list.n; i++)
		assert_int_equal(order[i], f.list.items[i].device.as.integer);
	advice_list_release(&f.list);
}

static void rules_yield_to_rules_that_exist(void **state)
{
	(void)state;
	for (size_t i = 0; rules[i]; i++)
		for (size_t k = 0; k < RULE_YIELDS_MAX && rules[i]->yields_to[k]; k++) {
			const struct rule *other = rule_find(rules[i]->yields_to[k]);
			assert_non_null(other);
			assert_true(rule_yields_to(rules[i], other));
			assert_false(rule_yields_to(other, rules[i]));
		}
}

static void a_finding_gives_way_to_one_that_saves_half_as_much(void **state)
{
	static const struct {
		int64_t device, saving_ns;
		size_t left;
	} cases[] = { { 0, 50, 1 }, { 0, 49, 2 }, { 1, 100, 2 } };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&f);
		f.run.rule = rule_find("communication");
		advice_add(&f.run, cell_int(0), "try", "communication");
		advice_save(&f.run, 100, 1000, "formula");
		f.run.rule = rule_find("exposed-communication");
		advice_add(&f.run, cell_int(cases[i].device), "try", "exposed");
		advice_save(&f.run, cases[i].saving_ns, 1000, "formula");
		advice_settle(&f.list);
		assert_int_equal(cases[i].left, f.list.n);
		advice_list_release(&f.list);
	}
}

static void texts_of_findings_and_evidence_are_kept(void **state)
{
	char name[] = "cuda:0";
	struct fixture f;

	(void)state;
	begin(&f);
	const struct advice *a =
		advice_add(&f.run, cell_text(str_of(name)), "try", "%s", name);
	advice_evidence(&f.run, name, UNIT_TEXT, cell_text(str_of(name)));
	memset(name, 'x', sizeof(name) - 1);
	assert_string_equal("cuda:0", a->finding);
	assert_string_equal("cuda:0", a->evidence[0].item);
	assert_true(str_is(a->device.as.text, "cuda:0"));
	assert_true(str_is(a->evidence[0].value.as.text, "cuda:0"));
	assert_int_equal(NUMBER_NONE, a->saving_ns);
	advice_list_release(&f.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_have_names_of_their_own),
		cmocka_unit_test(rules_say_all_that_help_prints),
		cmocka_unit_test(parameters_are_found_by_their_whole_names),
		cmocka_unit_test(a_tenth_of_the_step_is_of_high_severity),
		cmocka_unit_test(
			findings_are_ordered_by_severity_then_saving_then_rule_then_profile),
		cmocka_unit_test(rules_yield_to_rules_that_exist),
		cmocka_unit_test(a_finding_gives_way_to_one_that_saves_half_as_much),
		cmocka_unit_test(texts_of_findings_and_evidence_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
