/*
 * See gen_steps.h.  Durations come from a fixed sequence; ranges nest; what is allocated
 * in a step is freed in it, so that each step begins with the same total.
 */
#include "gen_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LAYERS     24
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const char shapes[] =
	"\"Concrete Inputs\": [\"\", \"\", \"\", \"1\", \"1\"], \"Input type\": [\"float\", \"float\", "
	"\"float\", \"Scalar\", \"Scalar\"], \"Input Strides\": [[1], [1024, 1], [1, 1024], [], []], "
	"\"Input Dims\": [[1024], [32, 1024], [1024, 1024], [], []], ";

static int64_t some(struct step *s, int64_t low, int64_t high)
{
	return low + (int64_t)(random_next(&s->rng) % (uint64_t)(high - low + 1));
}

static struct event *add(struct step *s, enum kind kind, const char *name)
{
	if (s->n == STEP_EVENTS || s->next_id % STEP_IDS == 0)
		abort();
	s->events[s->n] = (struct event){
		.kind = kind, .name = name, .ts_ns = s->now_ns, .tid = s->tid, .seq = -1
	};
	return &s->events[s->n++];
}

static struct event *open_range(struct step *s, enum kind kind, const char *name)
{
	struct event *e = add(s, kind, name);

	if (kind == EV_PYTHON) {
		e->id = s->next_python++;
		for (size_t i = s->depth; i > 0 && e->link == 0; i--)
			if (s->events[s->open[i - 1]].kind == EV_PYTHON)
				e->link = s->events[s->open[i - 1]].id;
	} else {
		e->id = s->next_id++;
	}
	s->open[s->depth++] = s->n - 1;
	s->now_ns += some(s, 300, 2500);
	return e;
}

static void close_range(struct step *s)
{
	struct event *e = &s->events[s->open[--s->depth]];

	s->now_ns += some(s, 200, 1500);
	e->dur_ns = s->now_ns - e->ts_ns;
	s->now_ns += some(s, 100, 900);
}

static struct event *open_op(struct step *s, const char *name)
{
	struct event *e = open_range(s, EV_OP, name);

	e->args = shapes;
	return e;
}

static void leaf(struct step *s, const char *name)
{
	open_op(s, name);
	close_range(s);
}

static void allocate(struct step *s, int64_t bytes, int64_t address)
{
	struct event *e = add(s, EV_MEMORY, "[memory]");

	s->allocated += bytes;
	e->bytes = bytes;
	e->total = s->allocated;
	e->link = INT64_C(139864267840512) + address * 4096;
	s->now_ns += some(s, 50, 300);
}

/* The innermost open operator launches work that begins when the stream is free. */
static void launch(struct step *s, enum kind kind, const char *name, int64_t dur_ns)
{
	int64_t id = s->events[s->open[s->depth - 1]].id;
	struct event *call = add(s, EV_RUNTIME,
				 kind == EV_COPY ? "cudaMemcpyAsync"
						 : "cudaLaunchKernel"),
		     *work;
	int64_t ready = s->now_ns + some(s, 2500, 5000);

	call->dur_ns = some(s, 3000, 6000);
	call->id = id;
	call->link = id + INT64_C(100000000);
	work = add(s, kind, name);
	work->ts_ns = ready > s->device_free_ns ? ready : s->device_free_ns;
	work->dur_ns = dur_ns;
	work->tid = 7;
	work->id = id;
	work->link = call->link;
	work->bytes = 1 << 20;
	s->device_free_ns = work->ts_ns + dur_ns + some(s, 700, 1500);
	s->now_ns += call->dur_ns + some(s, 200, 600);
}

/* Scratch memory comes and goes, as it does in most operators on a CPU. */
static void compute(struct step *s, int64_t address)
{
	allocate(s, 65536, address);
	s->now_ns += some(s, 20000, 90000);
	allocate(s, -65536, address);
}

static const char gemm[] = "ampere_sgemm_128x64_nn";
static const char relu[] =
	"void at::native::vectorized_elementwise_kernel<4, at::native::relu_functor<float>, "
	"at::detail::Array<char*, 2> >(int, at::native::relu_functor<float>, "
	"at::detail::Array<char*, 2>)";

static void forward_layer(struct step *s, int64_t layer, int64_t seq, bool on_gpu)
{
	open_op(s, "aten::linear")->seq = seq;
	open_op(s, "aten::t");
	open_op(s, "aten::transpose");
	leaf(s, "aten::as_strided");
	close_range(s);
	close_range(s);
	open_op(s, "aten::addmm");
	open_op(s, "aten::empty");
	allocate(s, 131072, layer);
	close_range(s);
	if (on_gpu)
		launch(s, EV_KERNEL, gemm, some(s, 9000, 40000));
	else
		compute(s, LAYERS + layer);
	close_range(s);
	close_range(s);
	open_op(s, "aten::relu");
	open_op(s, "aten::clamp_min");
	if (on_gpu)
		launch(s, EV_KERNEL, relu, some(s, 1500, 4000));
	else
		compute(s, LAYERS + layer);
	close_range(s);
	close_range(s);
}

static void backward_layer(struct step *s, int64_t layer, int64_t seq, bool on_gpu)
{
	open_op(s, "autograd::engine::evaluate_function: AddmmBackward0");
	struct event *gradient = open_op(s, "AddmmBackward0");

	gradient->seq = seq;
	gradient->is_backward = true;
	leaf(s, "aten::t");
	for (int i = 0; i < 2; i++) {
		open_op(s, "aten::mm");
		if (on_gpu)
			launch(s, EV_KERNEL, gemm, some(s, 9000, 40000));
		else
			compute(s, LAYERS + layer);
		close_range(s);
	}
	allocate(s, -131072, layer);
	close_range(s);
	close_range(s);
}

static void build_training(struct step *s, int64_t n, bool on_gpu)
{
	char *label = s->names[0];

	snprintf(label, sizeof(s->names[0]), "ProfilerStep#%" PRId64, n);
	open_range(s, EV_ANNOTATION, label);
	open_op(s, "aten::copy_");
	if (on_gpu)
		launch(s, EV_COPY, "Memcpy HtoD (Pinned -> Device)", 44083);
	close_range(s);
	open_range(s, EV_ANNOTATION, "forward");
	for (int64_t i = 0; i < LAYERS; i++)
		forward_layer(s, i, n * LAYERS + i, on_gpu);
	close_range(s);
	s->tid = on_gpu ? AUTOGRAD_TID : TRACE_PID;
	for (int64_t i = LAYERS - 1; i >= 0; i--)
		backward_layer(s, i, n * LAYERS + i, on_gpu);
	s->tid = TRACE_PID;
	open_range(s, EV_ANNOTATION, "Optimizer.step#Adam.step");
	for (int i = 0; i < 8; i++) {
		open_op(s, "aten::_foreach_add_");
		if (on_gpu)
			launch(s, EV_KERNEL, relu, some(s, 3000, 9000));
		close_range(s);
	}
	close_range(s);
	close_range(s);
}

void build_gpu(struct step *s, int64_t n)
{
	build_training(s, n, true);
}

void build_cpu(struct step *s, int64_t n)
{
	build_training(s, n, false);
}

void build_stack(struct step *s, int64_t n)
{
	static const char *const frames[] = {
		"train.py(30): <module>",
		"train.py(12): step",
		"nn.Module: Net_0",
		"model.py(88): forward",
		"torch/nn/modules/module.py(1747): _call_impl",
		"nn.Module: Sequential_0",
		"torch/nn/modules/container.py(250): forward",
		"nn.Module: Linear_0",
		"torch/nn/modules/linear.py(125): forward",
		"<built-in function linear>",
	};

	for (int64_t layer = 0; layer < LAYERS; layer++) {
		for (size_t i = 0; i < LEN(frames); i++)
			open_range(s, EV_PYTHON, frames[i]);
		forward_layer(s, layer, n * LAYERS + layer, false);
		allocate(s, -131072, layer);
		for (size_t i = 0; i < LEN(frames); i++)
			close_range(s);
	}
}

void build_allx(struct step *s, int64_t n)
{
	(void)n;
	for (int i = 0; i < 200; i++) {
		open_range(s, EV_OP, "aten::linear");
		open_range(s, EV_OP, "aten::addmm");
		close_range(s);
		open_range(s, EV_OP, "aten::add_");
		close_range(s);
		close_range(s);
	}
}

void build_names(struct step *s, int64_t n)
{
	for (int64_t i = 0; i < 500; i++) {
		int64_t k = (n * 500 + i) % NAMES;

		snprintf(s->names[k], sizeof(s->names[k]),
			 "triton_poi_fused_add_mul_relu_%05" PRId64, k);
		open_range(s, EV_OP, s->names[k]);
		close_range(s);
	}
}

void build_tracks(struct step *s, int64_t n)
{
	(void)n;
	open_range(s, EV_OP, "worker::batch");
	open_range(s, EV_OP, "worker::decode");
	close_range(s);
	close_range(s);
}
