/*
 * To be preloaded under memcheck, which takes what mremap() adds to a mapping that it
 * moves to a fixed place for memory that may not be used (valgrind 3.19).
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

void *mremap(void *from, size_t bytes, size_t room, int flags, ...)
{
	va_list rest;

	va_start(rest, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
	va_end(rest);
	void *moved = (void *)syscall(SYS_mremap, from, bytes, room, flags, to);
	if (moved != MAP_FAILED && room > bytes)
		VALGRIND_MAKE_MEM_DEFINED((char *)moved + bytes, room - bytes);
	return moved;
}
