/*
 * The engine of deflate: igzip of isa-l where it is installed, which HAVE_IGZIP tells, else
 * zlib.  -DPTOOL_USE_ZLIB takes zlib in any case.
 */
#ifndef PTOOL_BASE_IGZIP_H
#define PTOOL_BASE_IGZIP_H

#if !defined(PTOOL_USE_ZLIB) && defined(__has_include)
#if __has_include(<isa-l/igzip_lib.h>)
#define HAVE_IGZIP
#endif
#endif

#ifdef HAVE_IGZIP
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#endif
