/*
 * See gen_text.h.  Every number is printed by hand and every literal copied with a
 * known length: the generator must not be what a benchmark waits for.
 */
#include "gen_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK        ((size_t)1 << 20)
#define EVENT_MAX    ((size_t)1 << 14) /* no event is longer; what is left free in a block */
#define EVENTS_MAX   (BLOCK / 64)
#define LIT(o, text) put((o), (text), sizeof(text) - 1)

static void put(struct out *o, const char *text, size_t n)
{
	memcpy(o->buf + o->n, text, n);
	o->n += n;
}

static void put_str(struct out *o, const char *text)
{
	put(o, text, strlen(text));
}

static void put_int(struct out *o, int64_t value)
{
	char digits[24];
	size_t at = sizeof(digits);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		digits[--at] = '-';
	put(o, digits + at, sizeof(digits) - at);
}

static void put_us(struct out *o, int64_t ns)
{
	int64_t frac = ns % 1000;

	put_int(o, ns / 1000);
	o->buf[o->n++] = '.';
	o->buf[o->n++] = (char)('0' + frac / 100);
	o->buf[o->n++] = (char)('0' + frac / 10 % 10);
	o->buf[o->n++] = (char)('0' + frac % 10);
}

static void write_all(struct out *o, const char *text, size_t n)
{
	o->written += n;
	while (o->fd >= 0 && n > 0) {
		ssize_t done = write(o->fd, text, n);

		if (done < 0) {
			perror("gen: write");
			exit(5);
		}
		text += done;
		n -= (size_t)done;
	}
}

uint64_t random_next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void write_shuffled(struct out *o)
{
	size_t *start = o->starts, n = o->nstarts, *order = start + n + 1;
	char *mixed = malloc(BLOCK), *to = mixed;

	if (!mixed)
		abort();
	memcpy(to, o->buf, start[0]); /* the head of the document, in the first block */
	to += start[0];
	start[n] = o->n;
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t left = n; left > 0; left--) {
		size_t pick = random_next(&o->rng) % left, event = order[pick];
		size_t len = start[event + 1] - start[event];

		order[pick] = order[left - 1];
		memcpy(to, o->buf + start[event], len);
		to += len;
	}
	write_all(o, mixed, o->n);
	free(mixed);
}

static void flush(struct out *o)
{
	if (o->nstarts > 0)
		write_shuffled(o);
	else
		write_all(o, o->buf, o->n);
	o->n = 0;
	o->nstarts = 0;
}

void out_init(struct out *o, int fd, bool is_shuffled)
{
	*o = (struct out){ .fd = fd, .is_shuffled = is_shuffled, .rng = 1 };
	o->buf = malloc(BLOCK);
	o->starts = malloc((2 * EVENTS_MAX + 2) * sizeof(*o->starts));
	if (!o->buf || !o->starts)
		abort();
}

void out_release(struct out *o)
{
	flush(o);
	free(o->buf);
	free(o->starts);
}

uint64_t out_bytes(const struct out *o)
{
	return o->written + o->n;
}

/* Room for one event is there from now on. */
static void begin(struct out *o)
{
	if (o->n + EVENT_MAX > BLOCK || o->nstarts == EVENTS_MAX)
		flush(o);
	if (o->is_shuffled)
		o->starts[o->nstarts++] = o->n;
}

void text_head(struct out *o, bool has_memory)
{
	LIT(o,
	    "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n"
	    "      \"id\": 0, \"name\": \"Synthetic GPU\", \"totalGlobalMem\": 17179869184,\n"
	    "      \"computeMajor\": 8, \"computeMinor\": 0,\n"
	    "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
	    "      \"regsPerBlock\": 65536, \"regsPerMultiprocessor\": 65536, \"warpSize\": 32,\n"
	    "      \"sharedMemPerBlock\": 49152, \"sharedMemPerMultiprocessor\": 167936,\n"
	    "      \"numSms\": 108, \"sharedMemPerBlockOptin\": 166912\n    }\n  ],\n"
	    "  \"record_shapes\": 1,\n");
	if (has_memory)
		LIT(o, "  \"profile_memory\": 1,\n");
	LIT(o,
	    "  \"trace_id\": \"00000000000000000000000000000001\",\n  \"traceEvents\": [\n");
}

/* ph, cat, name, pid, tid, ts and dur; the args are open behind it */
static void put_slice(struct out *o, const char *cat, const struct event *e, int64_t pid)
{
	LIT(o, "  {\n    \"ph\": \"X\", \"cat\": \"");
	put_str(o, cat);
	LIT(o, "\", \"name\": \"");
	put_str(o, e->name);
	LIT(o, "\", \"pid\": ");
	put_int(o, pid);
	LIT(o, ", \"tid\": ");
	put_int(o, e->tid);
	LIT(o, ",\n    \"ts\": ");
	put_us(o, e->ts_ns);
	LIT(o, ", \"dur\": ");
	put_us(o, e->dur_ns);
	LIT(o, ",\n    \"args\": {\n      ");
}

static void put_end(struct out *o)
{
	LIT(o, "\n    }\n  },\n");
}

static void put_ev_idx(struct out *o)
{
	LIT(o, "\"Ev Idx\": ");
	put_int(o, (int64_t)o->ev_idx++);
}

static void put_flow(struct out *o, bool is_start, const char *cat, const struct event *e,
		     int64_t id)
{
	begin(o);
	put_str(o, is_start ? "  {\n    \"ph\": \"s\", \"id\": "
			    : "  {\n    \"ph\": \"f\", \"id\": ");
	put_int(o, id);
	LIT(o, ", \"pid\": ");
	put_int(o, e->kind == EV_KERNEL || e->kind == EV_COPY ? 0 : TRACE_PID);
	LIT(o, ", \"tid\": ");
	put_int(o, e->tid);
	LIT(o, ", \"ts\": ");
	put_us(o, e->ts_ns);
	LIT(o, ",\n    \"cat\": \"");
	put_str(o, cat);
	LIT(o, "\", \"name\": \"");
	put_str(o, cat);
	put_str(o, is_start ? "\"\n  },\n" : "\", \"bp\": \"e\"\n  },\n");
}

static void put_op(struct out *o, const struct event *e)
{
	put_slice(o, e->kind == EV_OP ? "cpu_op" : "user_annotation", e, TRACE_PID);
	LIT(o, "\"External id\": ");
	put_int(o, e->id);
	LIT(o, ",");
	if (e->seq >= 0) {
		LIT(o, "\"Sequence number\": ");
		put_int(o, e->seq);
		put_str(o, e->is_backward ? ", \"Fwd thread id\": 1, "
					  : ", \"Fwd thread id\": 0, ");
	}
	LIT(o, "\"Record function id\": 0, ");
	if (e->args)
		put_str(o, e->args);
	put_ev_idx(o);
	put_end(o);
	if (e->seq >= 0)
		put_flow(o, !e->is_backward, "fwdbwd", e, e->seq + 1);
}

static void put_memory(struct out *o, const struct event *e)
{
	LIT(o,
	    "  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n"
	    "    \"pid\": ");
	put_int(o, TRACE_PID);
	LIT(o, ", \"tid\": ");
	put_int(o, e->tid);
	LIT(o, ",\n    \"ts\": ");
	put_us(o, e->ts_ns);
	LIT(o, ",\n    \"args\": {\n      \"Total Reserved\": 0, \"Total Allocated\": ");
	put_int(o, e->total);
	LIT(o, ", \"Bytes\": ");
	put_int(o, e->bytes);
	LIT(o, ", \"Addr\": ");
	put_int(o, e->link);
	LIT(o, ", \"Device Id\": -1, \"Device Type\": 0, ");
	put_ev_idx(o);
	put_end(o);
}

static void put_python(struct out *o, const struct event *e)
{
	put_slice(o, "python_function", e, TRACE_PID);
	if (e->link > 0) {
		LIT(o, "\"Python parent id\": ");
		put_int(o, e->link);
		LIT(o, ", ");
	}
	LIT(o, "\"Python id\": ");
	put_int(o, e->id);
	LIT(o, ", ");
	put_ev_idx(o);
	put_end(o);
}

static void put_runtime(struct out *o, const struct event *e)
{
	put_slice(o, "cuda_runtime", e, TRACE_PID);
	LIT(o, "\"External id\": ");
	put_int(o, e->id);
	LIT(o, ",      \"cbid\": 211, \"correlation\": ");
	put_int(o, e->link);
	put_end(o);
	put_flow(o, true, "ac2g", e, e->link);
}

static void put_device_work(struct out *o, const struct event *e)
{
	put_slice(o, e->kind == EV_KERNEL ? "kernel" : "gpu_memcpy", e, 0);
	LIT(o, "\"External id\": ");
	put_int(o, e->id);
	put_str(o,
		e->kind == EV_KERNEL
			? ",      \"queued\": 0, \"device\": 0, \"context\": 1,      \"stream\": "
			: ",      \"device\": 0, \"context\": 1,      \"stream\": ");
	put_int(o, e->tid);
	LIT(o, ", \"correlation\": ");
	put_int(o, e->link);
	if (e->kind == EV_KERNEL) {
		LIT(o,
		    ",      \"registers per thread\": 32,      \"shared memory\": 16384,      "
		    "\"blocks per SM\": 1.185185,      \"warps per SM\": 4.740741,      "
		    "\"grid\": [128, 1, 1],      \"block\": [128, 1, 1],      "
		    "\"est. achieved occupancy %\": 7");
	} else {
		LIT(o, ",      \"bytes\": ");
		put_int(o, e->bytes);
		LIT(o, ", \"memory bandwidth (GB/s)\": 23.786883951407");
	}
	put_end(o);
	put_flow(o, false, "ac2g", e, e->link);
}

void text_event(struct out *o, const struct event *e)
{
	static void (*const put_kind[])(struct out *, const struct event *) = {
		[EV_OP] = put_op,
		[EV_ANNOTATION] = put_op,
		[EV_MEMORY] = put_memory,
		[EV_PYTHON] = put_python,
		[EV_RUNTIME] = put_runtime,
		[EV_KERNEL] = put_device_work,
		[EV_COPY] = put_device_work,
	};

	begin(o);
	put_kind[e->kind](o, e);
}

void text_thread_name(struct out *o, int64_t pid, int64_t tid, bool is_stream)
{
	begin(o);
	LIT(o, "  {\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": ");
	put_us(o, TRACE_START_NS);
	LIT(o, ", \"pid\": ");
	put_int(o, pid);
	LIT(o, ", \"tid\": ");
	put_int(o, tid);
	put_str(o, is_stream ? ",\n    \"args\": {\n      \"name\": \"stream "
			     : ",\n    \"args\": {\n      \"name\": \"thread ");
	put_int(o, tid);
	put_str(o, is_stream ? " \"" : " (python3)\"");
	put_end(o);
}

void text_tail(struct out *o, int64_t end_ns)
{
	flush(o);
	o->is_shuffled = false;
	LIT(o, "  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
	put_us(o, TRACE_START_NS);
	LIT(o, ", \"dur\": ");
	put_us(o, end_ns - TRACE_START_NS);
	LIT(o,
	    ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n"
	    "    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }\n  },\n"
	    "  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n"
	    "    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
	put_us(o, TRACE_START_NS);
	LIT(o,
	    "\n  },\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
	    "    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
	put_us(o, end_ns);
	LIT(o,
	    "\n  }\n  ],\n  \"traceName\": \"bench.json\",\n  \"displayTimeUnit\": \"ms\",\n"
	    "  \"baseTimeNanoseconds\": 1790857026000000000\n}");
}
