/*
 * gen KIND BYTES >FILE: a trace of about BYTES bytes, always the same, in the text shape
 * of Kineto's exporter.
 *
 *   gpu       GPU training: operator trees on two threads, launches, kernels, arrows, memory
 *   cpu       CPU training with record_shapes and profile_memory
 *   stack     with_stack: Python frames around the operators
 *   allx      nothing but X events
 *   names     100,000 distinct names
 *   tracks    10,000 threads
 *   shuffled  gpu, with the events of each megabyte in random order
 *
 * The exporter writes all operators, then all memory records, Python frames and device
 * work: each step is built again for each of these parts.
 */
#include "gen_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS    10000
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

struct program {
	const char *name;
	void (*build)(struct step *s, int64_t n);
	int64_t lanes; /* threads whose events stand one thread after the other */
	int64_t first_tid;
	bool has_memory, is_shuffled;
};

static void build(const struct program *p, struct step *s, int64_t n, int64_t lane)
{
	s->n = s->depth = 0;
	s->now_ns = s->device_free_ns = TRACE_START_NS + 100000 + n * STEP_NS;
	s->tid = p->first_tid + lane;
	s->next_id = 1 + (n * p->lanes + lane) * STEP_IDS;
	s->next_python = s->next_id;
	s->allocated = INT64_C(1) << 20;
	s->rng = (uint64_t)(n * p->lanes + lane);
	p->build(s, n);
	if (s->now_ns > TRACE_START_NS + (n + 1) * STEP_NS)
		abort();
}

/* Which events stand in which part of the file. */
static bool is_in_part(const struct event *e, int part)
{
	bool is_op = e->kind == EV_OP || e->kind == EV_ANNOTATION;

	switch (part) {
	case 0:
		return is_op && e->tid == AUTOGRAD_TID;
	case 1:
		return is_op && e->tid != AUTOGRAD_TID;
	case 2:
		return e->kind == EV_MEMORY;
	case 3:
		return e->kind == EV_PYTHON;
	default:
		return e->kind == EV_RUNTIME || e->kind == EV_KERNEL ||
		       e->kind == EV_COPY;
	}
}

static void write_part(const struct program *p, struct step *s, struct out *o, int part,
		       int64_t steps)
{
	for (int64_t lane = 0; lane < p->lanes; lane++) {
		for (int64_t n = 0; n < steps; n++) {
			build(p, s, n, lane);
			for (size_t i = 0; i < s->n; i++)
				if (is_in_part(&s->events[i], part))
					text_event(o, &s->events[i]);
		}
	}
}

/* The bytes of the step in the middle, whose ids have a typical number of digits. */
static uint64_t step_bytes(const struct program *p, struct step *s, int64_t n)
{
	struct out o;
	uint64_t bytes;

	out_init(&o, -1, false);
	o.ev_idx = (uint64_t)n * 400;
	build(p, s, n, p->lanes / 2);
	for (size_t i = 0; i < s->n; i++)
		text_event(&o, &s->events[i]);
	bytes = out_bytes(&o);
	out_release(&o);
	return bytes * (uint64_t)p->lanes;
}

static int64_t steps_for(const struct program *p, struct step *s, uint64_t bytes)
{
	uint64_t guess = bytes / step_bytes(p, s, 0);
	uint64_t steps = bytes / step_bytes(p, s, (int64_t)guess / 2);

	return steps > 0 ? (int64_t)steps : 1;
}

static void write_trace(const struct program *p, struct step *s, uint64_t bytes)
{
	int64_t steps = steps_for(p, s, bytes);
	struct out o;

	out_init(&o, 1, p->is_shuffled);
	text_head(&o, p->has_memory);
	for (int part = 0; part <= 4; part++)
		write_part(p, s, &o, part, steps);
	for (int64_t lane = 0; lane < p->lanes && p->build != build_allx; lane++)
		text_thread_name(&o, TRACE_PID, p->first_tid + lane, false);
	if (p->build == build_gpu)
		text_thread_name(&o, 0, 7, true);
	text_tail(&o, TRACE_START_NS + steps * STEP_NS);
	out_release(&o);
}

int main(int argc, char **argv)
{
	static const struct program programs[] = {
		{ "gpu", build_gpu, 1, TRACE_PID, true, false },
		{ "cpu", build_cpu, 1, TRACE_PID, true, false },
		{ "stack", build_stack, 1, TRACE_PID, true, false },
		{ "allx", build_allx, 1, TRACE_PID, false, false },
		{ "names", build_names, 1, TRACE_PID, false, false },
		{ "tracks", build_tracks, THREADS, 100001, false, false },
		{ "shuffled", build_gpu, 1, TRACE_PID, true, true },
	};
	struct step *s = calloc(1, sizeof(*s));
	char none[] = "", *end = none;
	double bytes = argc == 3 ? strtod(argv[2], &end) : 0;

	if (!s || !(s->names = calloc(NAMES, sizeof(*s->names))))
		abort();
	for (size_t i = 0; i < LEN(programs) && bytes >= 1 && *end == '\0'; i++) {
		if (strcmp(programs[i].name, argv[1]) != 0)
			continue;
		write_trace(&programs[i], s, (uint64_t)bytes);
		free(s->names);
		free(s);
		return 0;
	}
	free(s->names);
	free(s);
	fprintf(stderr,
		"usage: gen gpu|cpu|stack|allx|names|tracks|shuffled BYTES >FILE\n");
	return 2;
}
