#!/bin/sh
# embed.sh FILE SYMBOL: FILE's bytes as a C array (an array, not a string
# literal, because -Woverlength-strings begins at 4095 bytes), NUL behind them.
# Lines of comments in queries stay out of the program.
set -eu
printf '#include "base/asset.h"\nconst unsigned char %s[] = {\n' "$2"
case $1 in
*/query/views/*.sql) sed '/^[[:space:]]*--/d' "$1" ;;
*) cat "$1" ;;
esac | od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
printf '0x00};\nconst unsigned long %s_len = sizeof(%s) - 1;\n' "$2" "$2"
