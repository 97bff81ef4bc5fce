#!/bin/bash
# torquetum-chips as a user runs it: chips.sh PROGRAM
set -u
program=$1
failed=0

# expect EXIT TEXT ARGUMENTS...: the exit code, and a text that stands in the output or the errors
expect() {
  local code=$1 text=$2 output actual
  shift 2
  output=$("$program" "$@" 2>&1)
  actual=$?
  if [ "$actual" != "$code" ] || [[ "$output" != *"$text"* ]]; then
    echo "FAILED: torquetum-chips $*: exit code $actual, wanted $code and '$text' in:"
    echo "$output"
    failed=1
  fi
}

expect 0 "MLU370-X8" list
expect 0 '"scheduler_resource": "gpu:a100"' list --json
expect 0 "768 KiB" show mlu370-x8
expect 0 '"answer": "refuses"' show mlu370-x8 --format fp8 --json
expect 0 "only stores" show A100 --format fp8
expect 0 "processor" detect
expect 0 '"devices"' detect --json
expect 0 "Examples:" --help
expect 0 "--format" show --help
expect 0 "torquetum chips 0." --version
expect 0 '"program":"torquetum chips"' --version --json
expect 1 "did you mean list? see torquetum chips --help" lsit
expect 1 "say which command: list, show, detect"
expect 1 "did you mean --format? see torquetum chips show --help" show a100 --fromat fp8
expect 0 "detect" --complete-words de
expect 0 "--format" --complete-words show a100 --f
expect 1 "did you mean H100?" show h101
expect 1 '"kind":"not_found"' show h101 --json
expect 1 "no such number format (int5)" show a100 --format int5
expect 1 "NAME is required" show
expect 1 "timeout" detect --timeout 0
expect 1 "timeout" detect --timeout nan
TORQUETUM_CATALOG=/nowhere expect 1 "the chip catalogue was not found (/nowhere)" list
exit $failed
