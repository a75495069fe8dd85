/* Assets (asset.h) that gzip packed when the program was built. */
#ifndef PTOOL_BASE_ASSET_UNPACK_H
#define PTOOL_BASE_ASSET_UNPACK_H

#include <stddef.h>

#include "base/str.h"

/* *out is all of it; what is returned holds it, and the caller frees that. */
char *asset_unpack(const unsigned char *packed, size_t n, struct str *out);

#endif
