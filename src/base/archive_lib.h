/*
 * libarchive, loaded when the first archive is opened: with what it needs itself
 * (libxml2, ICU, the C++ library) it would cost each start of ptool 2 ms.  Where the
 * build found no name to load it by it is linked, and there is no difference.
 */
#ifndef PTOOL_BASE_ARCHIVE_LIB_H
#define PTOOL_BASE_ARCHIVE_LIB_H

#include <archive.h>
#include <archive_entry.h>

#include "base/err.h"

/* Every function of it that ptool calls. */
#define ARCHIVE_FUNCTIONS(X)                          \
	X(archive_entry_filetype)                     \
	X(archive_entry_hardlink)                     \
	X(archive_entry_is_encrypted)                 \
	X(archive_entry_pathname)                     \
	X(archive_entry_size)                         \
	X(archive_entry_size_is_set)                  \
	X(archive_errno)                              \
	X(archive_error_string)                       \
	X(archive_filter_bytes)                       \
	X(archive_read_data_block)                    \
	X(archive_read_free)                          \
	X(archive_read_new)                           \
	X(archive_read_next_header)                   \
	X(archive_read_open1)                         \
	X(archive_read_set_callback_data)             \
	X(archive_read_set_read_callback)             \
	X(archive_read_set_seek_callback)             \
	X(archive_read_support_format_gnutar)         \
	X(archive_read_support_format_zip_seekable)   \
	X(archive_read_support_format_zip_streamable) \
	X(archive_set_error)

struct archive_lib {
#define ARCHIVE_MEMBER(name) __typeof__(name) *(name);
	ARCHIVE_FUNCTIONS(ARCHIVE_MEMBER)
#undef ARCHIVE_MEMBER
};

/* For as long as the process lives.  NULL with err set (ERR_IO): it is not installed. */
const struct archive_lib *archive_lib(struct err *err);

#endif
