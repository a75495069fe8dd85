/* Drawings in ASCII: see drawn_ascii.h. */
#include "base/drawn_ascii.h"

#include <stddef.h>

char drawn_ascii(uint32_t code)
{
	static const struct {
		uint32_t code;
		char ascii;
	} drawings[] = {
		{ 0x2026, '~' }, /* what was cut out of a name */
		{ 0x2581, '.' }, { 0x2582, ':' }, { 0x2583, '-' }, { 0x2584, '=' },
		{ 0x2585, '+' }, { 0x2586, '*' }, { 0x2587, '*' }, { 0x2588, '#' },
		{ 0x2593, '=' }, { 0x2592, '-' }, { 0x2591, '.' }, { 0x258c, '|' },
		{ 0x258f, '|' }, { 0x2508, ':' }, { 0x203a, '>' },
	};

	for (size_t i = 0; i < sizeof(drawings) / sizeof(*drawings); i++)
		if (drawings[i].code == code)
			return drawings[i].ascii;
	return '\0';
}
