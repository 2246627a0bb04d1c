#!/bin/sh
# Stands in for ptxas: calls POLY_TEST_PTXAS with -v and adds what it says about
# registers and spills to POLY_TEST_LOG.
log=$(mktemp)
"$POLY_TEST_PTXAS" -v "$@" > "$log" 2>&1
code=$?
cat "$log" | tee -a "$POLY_TEST_LOG"
rm -f "$log"
exit $code
