/*
 * The text of big traces: a buffered writer, and one function a kind of event, each
 * with the very spaces, key order and line breaks of Kineto's exporter (torch 2.6).
 */
#ifndef PTOOL_BENCH_GEN_TEXT_H
#define PTOOL_BENCH_GEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind {
	EV_OP,
	EV_ANNOTATION,
	EV_MEMORY,
	EV_PYTHON,
	EV_RUNTIME,
	EV_KERNEL,
	EV_COPY,
};

/* One event.  Text is borrowed for as long as the step that built it. */
struct event {
	enum kind kind;
	const char *name;
	const char *args; /* operators: "Input Dims" and the like, or NULL */
	int64_t ts_ns, dur_ns;
	int64_t tid;          /* a stream for device work */
	int64_t id;           /* External id; Python id */
	int64_t link;         /* correlation; Python parent id (0: none); address */
	int64_t bytes, total; /* allocations, copies */
	int64_t seq;          /* sequence number, -1: none */
	bool is_backward;
};

struct out {
	char *buf;
	size_t n;
	int fd;           /* -1: count only */
	uint64_t written; /* flushed so far */
	uint64_t ev_idx;  /* "Ev Idx" of the next host event */
	bool is_shuffled; /* events leave a block in random order */
	size_t *starts;   /* of the events in the block, when shuffled */
	size_t nstarts;
	uint64_t rng;
};

/* fd -1 counts bytes and writes none.  Failure to write ends the program. */
void out_init(struct out *o, int fd, bool is_shuffled);
void out_release(struct out *o);
uint64_t out_bytes(const struct out *o);

uint64_t random_next(uint64_t *state);

void text_head(struct out *o, bool has_memory);
void text_event(struct out *o, const struct event *e);
void text_thread_name(struct out *o, int64_t pid, int64_t tid, bool is_stream);
void text_tail(struct out *o, int64_t end_ns);

#define TRACE_PID      4242
#define TRACE_START_NS INT64_C(4311020981081440)

#endif
