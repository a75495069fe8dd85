/* Names of copies and sets: see transfer_name.h. */
#include "query/comm/transfer_name.h"

#include <stddef.h>

/* CUPTI's arrays lie on the device; M is the host's memory, as XPU says it, S shared. */
static const struct direction {
	const char *part;
	enum transfer_kind kind;
} directions[] = {
	{ "HtoD", TRANSFER_HTOD },
	{ "DtoH", TRANSFER_DTOH },
	{ "DtoD", TRANSFER_DTOD },
	{ "PtoP", TRANSFER_PTOP },
	{ "HtoH", TRANSFER_HTOH },
	{ "HtoA", TRANSFER_HTOD },
	{ "AtoH", TRANSFER_DTOH },
	{ "AtoA", TRANSFER_DTOD },
	{ "AtoD", TRANSFER_DTOD },
	{ "DtoA", TRANSFER_DTOD },
	{ "PEER_TO_PEER", TRANSFER_PTOP },
	{ "HOST_TO_DEVICE", TRANSFER_HTOD },
	{ "DEVICE_TO_HOST", TRANSFER_DTOH },
	{ "DEVICE_TO_DEVICE", TRANSFER_DTOD },
	{ "HOST_TO_HOST", TRANSFER_HTOH },
	{ "PeerToPeer", TRANSFER_PTOP },
	{ "HostToDevice", TRANSFER_HTOD },
	{ "DeviceToHost", TRANSFER_DTOH },
	{ "DeviceToDevice", TRANSFER_DTOD },
	{ "HostToHost", TRANSFER_HTOH },
	{ "H2D", TRANSFER_HTOD },
	{ "D2H", TRANSFER_DTOH },
	{ "D2D", TRANSFER_DTOD },
	{ "P2P", TRANSFER_PTOP },
	{ "H2H", TRANSFER_HTOH },
	{ "M2D", TRANSFER_HTOD },
	{ "D2M", TRANSFER_DTOH },
	{ "M2M", TRANSFER_HTOH },
};

static const struct memory_word {
	const char *word;
	enum host_memory memory;
} memories[] = {
	{ "Pageable", HOST_MEMORY_PAGEABLE },
	{ "Pinned", HOST_MEMORY_PINNED },
	{ "Managed", HOST_MEMORY_MANAGED },
};

/* What stands from the first parenthesis on; empty when there is none. */
static struct str places_of(struct str name)
{
	const char *open = name.n ? memchr(name.p, '(', name.n) : NULL;

	return str_behind(name, open ? (size_t)(open - name.p) : name.n);
}

enum transfer_kind transfer_kind_of(struct str name)
{
	for (size_t i = 0; i < sizeof(directions) / sizeof(*directions); i++)
		if (str_contains(name, str_of(directions[i].part)))
			return directions[i].kind;
	return TRANSFER_COPY;
}

struct transfer_name transfer_name_of(bool is_set, struct str name)
{
	struct transfer_name out = { is_set ? TRANSFER_SET : transfer_kind_of(name),
				     HOST_MEMORY_UNKNOWN };
	struct str places = places_of(name);

	for (size_t i = 0; i < sizeof(memories) / sizeof(*memories); i++)
		if (str_contains(places, str_of(memories[i].word))) {
			out.memory = memories[i].memory;
			break;
		}
	return out;
}

const char *transfer_kind_name(enum transfer_kind kind)
{
	static const char *const names[NTRANSFER_KINDS] = {
		[TRANSFER_HTOD] = "HtoD",  [TRANSFER_DTOH] = "DtoH",
		[TRANSFER_DTOD] = "DtoD",  [TRANSFER_PTOP] = "PtoP",
		[TRANSFER_HTOH] = "HtoH",  [TRANSFER_COPY] = "copy",
		[TRANSFER_SET] = "memset",
	};

	return names[kind];
}

const char *host_memory_name(enum host_memory memory)
{
	static const char *const names[NHOST_MEMORIES] = {
		[HOST_MEMORY_PAGEABLE] = "pageable",
		[HOST_MEMORY_PINNED] = "pinned",
		[HOST_MEMORY_MANAGED] = "managed",
	};

	return names[memory];
}
