/* Phases of steps: what tells them, what lies between, and whose the device's work is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "query/steps/step_phases.h"

struct recording {
	struct step_bound steps[2];
	struct work_item items[4];
	struct step_bounds bounds;
	struct device_work work;
	struct step_host host;
	struct step_phases phases;
};

/* Two steps of 100 ns, one behind the other. */
static void begin(struct recording *r)
{
	*r = (struct recording){ .bounds.n = 2 };
	r->bounds.items = r->steps;
	r->work.items = r->items;
	for (int64_t i = 0; i < 2; i++)
		r->steps[i] = (struct step_bound){ .step_id = i + 1,
						   .host_start_ns = i * 100,
						   .host_end_ns = i * 100 + 100 };
}

static void add(struct recording *r, enum host_part part, int64_t start_ns,
		int64_t end_ns)
{
	intervals_add(&r->host.parts[part], start_ns, end_ns);
	intervals_unite(&r->host.parts[part]);
}

static void add_work(struct recording *r, int64_t step_id, int64_t call_ns,
		     int64_t start_ns, int64_t end_ns)
{
	r->items[r->work.n++] = (struct work_item){ .start_ns = start_ns,
						    .end_ns = end_ns,
						    .launch_id = 1,
						    .step_id = step_id,
						    .launch_start_ns = call_ns,
						    .launch_end_ns = call_ns + 1 };
}

static void make(struct recording *r)
{
	step_phases_make(&r->bounds, &r->work, &r->host, &r->phases);
	for (int i = 0; i < 2; i++) {
		int64_t sum_ns = 0;
		for (int phase = 0; phase < NSTEP_PHASES; phase++)
			sum_ns += r->phases.steps[i].host_ns[phase];
		assert_int_equal(100, sum_ns);
	}
}

static void end(struct recording *r)
{
	step_phases_release(&r->phases);
	step_host_release(&r->host);
}

static void a_pass_has_what_lies_between_its_operators(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	add(&r, PART_FORWARD, 10, 20);
	add(&r, PART_FORWARD, 30, 40);
	add(&r, PART_BACKWARD, 50, 60);
	add(&r, PART_FORWARD, 70, 80);
	make(&r);
	assert_int_equal(40, r.phases.steps[0].host_ns[STEP_PHASE_FORWARD]);
	assert_int_equal(10, r.phases.steps[0].host_ns[STEP_PHASE_BACKWARD]);
	assert_string_equal("sequence numbers", r.phases.sources[STEP_PHASE_FORWARD]);
	end(&r);
}

static void a_gap_across_the_end_of_a_step_belongs_to_no_pass(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	add(&r, PART_FORWARD, 80, 90);
	add(&r, PART_FORWARD, 120, 130);
	make(&r);
	/* between them stand the ends of two steps, but no other phase */
	assert_int_equal(10, r.phases.steps[0].host_ns[STEP_PHASE_FORWARD]);
	assert_int_equal(10, r.phases.steps[1].host_ns[STEP_PHASE_FORWARD]);
	end(&r);
}

static void a_gap_within_one_of_steps_that_overlap_belongs_to_the_pass(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	r.steps[1].host_start_ns = 50;
	r.steps[1].host_end_ns = 150;
	add(&r, PART_FORWARD, 10, 20);
	add(&r, PART_FORWARD, 80, 90);   /* in front of it in the first step alone */
	add(&r, PART_FORWARD, 120, 130); /* and in the second */
	add(&r, PART_FORWARD, 160, 170); /* behind it in none */
	make(&r);
	assert_int_equal(90, r.phases.steps[0].host_ns[STEP_PHASE_FORWARD]);
	assert_int_equal(80, r.phases.steps[1].host_ns[STEP_PHASE_FORWARD]);
	end(&r);
}

static void labels_alone_tell_what_is_labelled_and_have_no_gaps(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	add(&r, PART_LABEL_FORWARD, 10, 20);
	add(&r, PART_LABEL_FORWARD, 30, 40);
	add(&r, PART_FORWARD, 50, 90);
	make(&r);
	assert_int_equal(20, r.phases.steps[0].host_ns[STEP_PHASE_FORWARD]);
	assert_string_equal("labels", r.phases.sources[STEP_PHASE_FORWARD]);
	assert_null(r.phases.sources[STEP_PHASE_OPTIMIZER]);
	end(&r);
}

static void of_phases_at_once_the_first_has_the_time(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	add(&r, PART_FORWARD, 0, 50);
	add(&r, PART_DATA_LOADING, 10, 20);
	add(&r, PART_TO_DEVICE, 15, 30);
	add(&r, PART_OPTIMIZER, 40, 60);
	make(&r);
	assert_int_equal(10, r.phases.steps[0].host_ns[STEP_PHASE_DATA]);
	assert_int_equal(10, r.phases.steps[0].host_ns[STEP_PHASE_TO_DEVICE]);
	assert_int_equal(20, r.phases.steps[0].host_ns[STEP_PHASE_OPTIMIZER]);
	assert_int_equal(20, r.phases.steps[0].host_ns[STEP_PHASE_FORWARD]);
	end(&r);
}

static void work_is_of_the_phase_that_launched_it_whenever_it_runs(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	add(&r, PART_FORWARD, 0, 50);
	add(&r, PART_BACKWARD, 50, 90);
	add_work(&r, 1, 10, 40, 80);
	add_work(&r, 1, 20, 60, 100);
	add_work(&r, 1, 60, 100, 140);
	add_work(&r, 0, 60, 140, 150); /* of no step */
	make(&r);
	assert_int_equal(60, r.phases.steps[0].device_ns[STEP_PHASE_FORWARD]);
	assert_int_equal(40, r.phases.steps[0].device_ns[STEP_PHASE_BACKWARD]);
	assert_int_equal(0, r.phases.steps[1].device_ns[STEP_PHASE_BACKWARD]);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_has_what_lies_between_its_operators),
		cmocka_unit_test(a_gap_across_the_end_of_a_step_belongs_to_no_pass),
		cmocka_unit_test(
			a_gap_within_one_of_steps_that_overlap_belongs_to_the_pass),
		cmocka_unit_test(labels_alone_tell_what_is_labelled_and_have_no_gaps),
		cmocka_unit_test(of_phases_at_once_the_first_has_the_time),
		cmocka_unit_test(work_is_of_the_phase_that_launched_it_whenever_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
