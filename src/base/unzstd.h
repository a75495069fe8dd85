/*
 * zstd (RFC 8878) as a stream that is pulled: several frames are one stream,
 * and skippable ones are skipped.  Of the bytes before damage those of the
 * broken block (128 KiB at most) may be kept back.  A frame that wants a window
 * of more than 128 MiB (zstd --long=28 and beyond) counts as damage.
 */
#ifndef PTOOL_BASE_UNZSTD_H
#define PTOOL_BASE_UNZSTD_H

#include "base/decoder.h"

extern const struct decoder unzstd_decoder;

#endif
