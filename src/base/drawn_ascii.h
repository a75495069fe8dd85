/* What ptool itself draws beyond ASCII, where a terminal shows ASCII alone. */
#ifndef PTOOL_BASE_DRAWN_ASCII_H
#define PTOOL_BASE_DRAWN_ASCII_H

#include <stdint.h>

/* The character in its place; '\0': ptool does not draw that, names have it. */
char drawn_ascii(uint32_t code);

#endif
