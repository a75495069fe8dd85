/*
 * Files of other programs: see foreign_head.h.  What the bytes mean is from the
 * producers' sources: memray's records.h (within a frame of LZ4 since 1.7), Perfetto's
 * trace.proto, XLA's xplane.proto, perf.data-file-format.txt, Lib/hotshot.
 */
#include "ingest/foreign_head.h"

#include <stdbool.h>
#include <stdint.h>

#define LOOKED_AT   4096 /* bytes that names are looked for in */
#define SQLITE      "SQLite format 3\0"
#define LZ4_FRAME   "\x04\x22\x4d\x18"
#define LZ4_LOOK_AT 64 /* its header and the first literals */

struct head {
	const char *magic;
	size_t bytes; /* of it */
	struct foreign_file file;
};

#define MAGIC(text) (text), sizeof(text) - 1

/* clang-format off */
static const struct foreign_file memray = {
	"a recording of memray",
	"'memray transform speedscope FILE' writes what ptool reads" };
static const struct foreign_file xplane = {
	"a recording of XLA (xplane.pb)",
	"ptool reads the trace.json.gz that xprof makes of it, and "
	"jax.profiler.start_trace(DIR, create_perfetto_trace=True) writes one" };
static const struct foreign_file perfetto = {
	"a trace of Perfetto in protobuf (.pftrace)",
	"'traceconv json FILE trace.json' writes what ptool reads" };
static const struct foreign_file nsys = {
	"an export of Nsight Systems (nsys export --type sqlite)",
	"'nsys stats FILE' prints its tables; ptool reads what torch.profiler "
	"exports of the same program" };
static const struct foreign_file rocpd = {
	"a database of ROCm's profiler (rocpd)",
	"'rocpd convert -i FILE --output-format pftrace' and then 'traceconv json "
	"FILE trace.json' write what ptool reads" };

static const struct foreign_file pyinstrument = {
	"what pyinstrument prints",
	"'pyinstrument -r session -o FILE.pyisession PROGRAM' writes what ptool reads" };

static const struct foreign_file memray_table = {
	"a table of memray",
	"'memray transform speedscope RECORDING' writes what ptool reads" };
static const struct foreign_file callgrind = {
	"a callgrind profile", "'callgrind_annotate FILE' prints it" };
static const struct foreign_file yappi_callgrind = {
	"a callgrind profile of yappi",
	"yappi.get_func_stats().save('OUT.prof', type='pstat') writes what ptool reads" };

static const struct {
	const char *words; /* near its beginning */
	struct foreign_file file;
} pages[] = {
	{ "<title>GPU Memory Timeline HTML",
	  { "a page with the picture of a memory timeline",
	    "export_memory_timeline() to a name that ends in .raw.json.gz writes its "
	    "data" } },
	{ "viz/MemoryViz.js",
	  { "a page of torch.cuda._memory_viz",
	    "ptool reads the snapshot that it was made from" } },
	{ "<svg",
	  { "a picture (SVG) other than a flame graph of py-spy, inferno or "
	    "flamegraph.pl", NULL } },
	{ "pyinstrumentHTMLRenderer",
	  { "a page of pyinstrument",
	    "'pyinstrument -r session -o FILE.pyisession PROGRAM' writes what ptool "
	    "reads" } },
	{ "<title>memray",
	  { "a page of memray",
	    "'memray transform speedscope RECORDING' writes what ptool reads" } },
	{ "github.com/catapult-project/catapult",
	  { "a page of Chrome's trace viewer, as viztracer writes",
	    "'viztracer -o result.json PROGRAM' writes what ptool reads" } },
	{ "content=\"ptool report\"",
	  { "a page of ptool report", "ptool reads the recording that it shows" } },
	{ "<!doctype html", { "a web page", "ptool reads the recording that it shows" } },
	{ "<!DOCTYPE html", { "a web page", "ptool reads the recording that it shows" } },
};

static const struct head heads[] = {
	{ MAGIC("\x13\x0fhotshot-version"),
	  { "a hotshot profile of Python 2",
	    "python2 -c \"import hotshot.stats; hotshot.stats.load('FILE')"
	    ".dump_stats('OUT.prof')\" writes what ptool reads" } },
	{ MAGIC("MOJ"),
	  { "a recording of Austin (MOJO)",
	    "'mojo2austin FILE OUT' writes what ptool reads" } },
	{ MAGIC("# callgrind format"),
	  { "a callgrind profile", "'callgrind_annotate FILE' prints it" } },
	{ MAGIC("PERFILE2"),
	  { "a recording of perf",
	    "'perf script -i FILE | stackcollapse-perf.pl >out.folded' writes what "
	    "ptool reads" } },
	{ MAGIC("FLR\0"), { "a recording of Java's flight recorder", NULL } },
	/* its first words: 0, 3, 0 */
	{ MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	  { "a CPU profile of gperftools", NULL } },
	{ MAGIC("heap profile:"), { "a heap profile of gperftools", NULL } },
	{ MAGIC("\xfd" "7zXZ\0"), { "a file compressed by xz", "'xz -dk FILE' unpacks it" } },
	{ MAGIC("BZh"), { "a file compressed by bzip2", "'bzip2 -dk FILE' unpacks it" } },
	{ MAGIC("7z\xbc\xaf\x27\x1c"), { "an archive of 7-Zip", "'7z x FILE' unpacks it" } },
	{ MAGIC("Rar!\x1a\x07"), { "a RAR archive", "'unrar x FILE' unpacks it" } },
	{ MAGIC("\x7f" "ELF"), { "a program", NULL } },
	{ MAGIC("\x89PNG"), { "a picture", NULL } },
};

/* Of files whose first bytes their producers do not document. */
static const struct {
	const char *suffix;
	struct foreign_file file;
} names[] = {
	{ ".nsys-rep",
	  { "a report of Nsight Systems, as its name says",
	    "'nsys stats FILE' prints its tables; ptool reads what torch.profiler "
	    "exports of the same program" } },
	{ ".qdrep",
	  { "a report of Nsight Systems, as its name says",
	    "'nsys stats FILE' prints its tables; ptool reads what torch.profiler "
	    "exports of the same program" } },
	{ ".ncu-rep",
	  { "a report of Nsight Compute, as its name says",
	    "'ncu --import FILE' prints it; it measures single kernels, ptool reads "
	    "whole programs: record with torch.profiler" } },
	{ ".xplane.pb",
	  { "a recording of XLA, as its name says",
	    "ptool reads the trace.json.gz that xprof makes of it" } },
};
/* clang-format on */

static bool has_magic(struct bytes head, const struct head *known)
{
	return head.n >= known->bytes && memcmp(head.p, known->magic, known->bytes) == 0;
}

static struct str first_bytes(struct bytes head, size_t n)
{
	return (struct str){ (const char *)head.p, head.n < n ? head.n : n };
}

static bool contains(struct bytes head, const char *text)
{
	return str_contains(first_bytes(head, LOOKED_AT), str_of(text));
}

/* Behind a line that is a name with dots; NULL: there is no such line. */
static const uint8_t *behind_name(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *start = p;

	while (p < end && (*p == '.' || *p == '_' || (*p >= '0' && *p <= '9') ||
			   (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z')))
		p++;
	return p > start && p < end && *p == '\n' ? p + 1 : NULL;
}

/* Of protocol 0 or 1: a class or function, which is called or remembered next. */
static bool names_a_class(struct bytes head)
{
	const uint8_t *end = head.p + head.n;
	const uint8_t *p = head.p[0] == 'c' ? behind_name(head.p + 1, end) : NULL;

	p = p ? behind_name(p, end) : NULL;
	return p && p < end && (*p == '(' || *p == 'p' || *p == 'q');
}

/*
 * Protocols 2 to 5 begin with their number; 0 and 1 with the name of a class, or with a
 * dict or list that is remembered as the first object.
 */
bool foreign_is_pickle(struct bytes head)
{
	static const struct head plain[] = { { MAGIC("(dp0\n"), { NULL, NULL } },
					     { MAGIC("(lp0\n"), { NULL, NULL } },
					     { MAGIC("}q\0"), { NULL, NULL } },
					     { MAGIC("]q\0"), { NULL, NULL } } };

	if (head.n > 2 && head.p[0] == 0x80 && head.p[1] >= 2 && head.p[1] <= 5)
		return true;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (has_magic(head, &plain[i]))
			return true;
	return head.n > 2 && names_a_class(head);
}

static struct foreign_file pickle_file(struct bytes head)
{
	struct foreign_file file = { NULL, NULL };

	if (contains(head, "YFuncStat")) {
		file.what = "a pickle of yappi (.ystat)";
		file.instead =
			"python3 -c \"import yappi; yappi.YFuncStats(['FILE'])"
			".save('OUT.prof', type='pstat')\" writes what ptool reads";
	} else if (contains(head, "device_traces") || contains(head, "segments")) {
		file.what = "a pickle of protocol 0 or 1";
		file.instead = "snapshots of torch.cuda.memory have protocol 2 to 5";
	} else {
		file.what = "a Python pickle other than a snapshot of torch.cuda.memory";
	}
	return file;
}

/* Pictures, and pages that show recordings; the more special first. */
static struct foreign_file page_file(struct bytes head)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		if (contains(head, pages[i].words))
			return pages[i].file;
	return (struct foreign_file){ NULL, NULL };
}

/* A number of the version, "\r\n", and flags or a time: Lib/importlib. */
static bool is_pyc(struct bytes head)
{
	bool is_version = head.n > 3 && ((head.p[1] >= 0x0b && head.p[1] <= 0x0f) ||
					 head.p[1] == 0xf2 || head.p[1] == 0xf3);

	return head.n >= 8 && is_version && head.p[2] == '\r' && head.p[3] == '\n';
}

/* A field of protobuf's wire format. */
struct field {
	uint64_t number;
	unsigned type; /* 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
	struct bytes content;
};

static bool take_varint(struct bytes *p, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; p->n && shift < 64; shift += 7) {
		uint8_t byte = *p->p++;
		p->n--;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* False: there is none.  What is longer than the bytes is all of them. */
static bool take_field(struct bytes *p, struct field *f)
{
	uint64_t key, n;

	if (!take_varint(p, &key))
		return false;
	*f = (struct field){ .number = key >> 3, .type = key & 7 };
	if (f->number == 0)
		return false;
	if (f->type == 0)
		return take_varint(p, &n);
	n = f->type == 1 ? 8 : 4;
	if (f->type == 2 && !take_varint(p, &n))
		return false;
	if (f->type != 1 && f->type != 2 && f->type != 5)
		return false;
	n = n < p->n ? n : p->n;
	f->content = (struct bytes){ p->p, (size_t)n };
	p->p += n;
	p->n -= (size_t)n;
	return true;
}

/* TracePacket: a timestamp (8) or the number of its sequence (10), which all writers set. */
static bool is_packet(struct bytes packet)
{
	struct field f;
	bool has_number = false;

	while (packet.n && take_field(&packet, &f))
		has_number |= f.type == 0 && (f.number == 8 || f.number == 10);
	return has_number && packet.n == 0;
}

/* XPlane: its name (2) is that of a host or a device. */
static bool is_plane(struct bytes plane)
{
	struct field f;

	while (plane.n && take_field(&plane, &f)) {
		struct str name = { (const char *)f.content.p, f.content.n };
		if (f.number == 2 && f.type == 2)
			return str_starts_with(name, STR_LIT("/host:")) ||
			       str_starts_with(name, STR_LIT("/device:")) ||
			       str_is(name, "Task Environment");
		if (f.number > 6)
			return false;
	}
	return false;
}

static bool is_text(struct bytes head)
{
	for (size_t i = 0; i < head.n && i < LOOKED_AT; i++)
		if (head.p[i] < '\t')
			return false;
	return true;
}

/* Both are messages that hold others as field 1. */
static struct foreign_file protobuf_file(struct bytes head)
{
	struct field f;

	while (!is_text(head) && head.n && take_field(&head, &f)) {
		if (f.number == 1 && f.type == 2 && is_plane(f.content))
			return xplane;
		if (f.number != 1 || f.type != 2 || f.content.n == 0)
			break;
		if (is_packet(f.content))
			return perfetto;
	}
	return (struct foreign_file){ NULL, NULL };
}

struct foreign_file foreign_database(struct bytes head)
{
	static const struct {
		const char *table;
		const struct foreign_file *file;
	} tables[] = { { "CUPTI_ACTIVITY_KIND_", &nsys },
		       { "TARGET_INFO_SYSTEM_ENV", &nsys },
		       { "NVTX_EVENTS", &nsys },
		       { "rocpd_", &rocpd } };
	struct str text = first_bytes(head, head.n);

	if (!str_starts_with(text, (struct str){ MAGIC(SQLITE) }))
		return (struct foreign_file){ NULL, NULL };
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (str_contains(text, str_of(tables[i].table)))
			return *tables[i].file;
	return (struct foreign_file){ "a SQLite database other than a ptool store",
				      NULL };
}

static struct foreign_file by_name(struct str name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct str suffix = str_of(names[i].suffix);
		if (name.n > suffix.n &&
		    str_equal(str_behind(name, name.n - suffix.n), suffix))
			return names[i].file;
	}
	return (struct foreign_file){ NULL, NULL };
}

static bool is_memray(struct bytes head)
{
	struct str first = first_bytes(head, LZ4_LOOK_AT);

	return str_starts_with(first, STR_LIT("memray\0")) ||
	       (str_starts_with(first, STR_LIT(LZ4_FRAME)) &&
		str_contains(first, STR_LIT("memray")));
}

static struct foreign_file by_bytes(struct bytes head)
{
	struct foreign_file file = foreign_database(head);

	if (file.what)
		return file;
	if (is_memray(head))
		return memray;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (has_magic(head, &heads[i]))
			return heads[i].file;
	if (foreign_is_pickle(head))
		return pickle_file(head);
	if (is_pyc(head))
		return (struct foreign_file){ "compiled Python (.pyc)", NULL };
	if (contains(head, "version: 1\n") && contains(head, "\nevents: "))
		return contains(head, "creator: yappi") ? yappi_callgrind : callgrind;
	if (str_starts_with(first_bytes(head, LOOKED_AT),
			    STR_LIT("allocator,num_allocations,size,")))
		return memray_table;
	if (contains(head, "Time and Allocation Profiling Report"))
		return (struct foreign_file){ "a profile of Haskell (GHC)", NULL };
	if (contains(head, " _     ._   __/__   _ _  _  _ _/_   Recorded: "))
		return pyinstrument;
	file = page_file(head);
	return file.what ? file : protobuf_file(head);
}

struct foreign_file foreign_file(struct bytes head, struct str name)
{
	struct foreign_file file = by_bytes(head);

	return file.what ? file : by_name(name);
}
