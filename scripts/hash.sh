#!/bin/sh
# hash.sh FILE: its SHA-256 as a Content-Security-Policy names it, "sha256-...".
set -eu
octal=$(sha256sum <"$1" | cut -c 1-64 | sed 's/../0x& /g' | xargs printf '\\%03o')
# shellcheck disable=SC2059 # the octal numbers are the format
printf 'sha256-%s' "$(printf "$octal" | base64)"
