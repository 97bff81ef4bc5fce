#!/bin/bash
# torquetum port scan as a user runs it: port_scan.sh PROGRAM
set -u
program=$1
cases=$(cd "$(dirname "$0")/../cases/port/scan" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect EXIT TEXT ARGUMENTS...: the exit code, and a text that stands in the output or the errors
expect() {
  local code=$1 text=$2 output actual
  shift 2
  output=$("$program" "$@" 2>&1)
  actual=$?
  if [ "$actual" != "$code" ] || [[ "$output" != *"$text"* ]]; then
    echo "FAILED: torquetum-port $*: exit code $actual, wanted $code and '$text' in:"
    echo "$output"
    failed=1
  fi
}

expect 0 "10 kernels (expected tier:" scan "$cases/everyday"
expect 0 '"kernel": "block_sum"' scan "$cases/everyday/kernels.cu" --json
expect 0 '"template_arguments": "float, 256"' scan "$cases/everyday" --calls --json
expect 0 "cnnlMatMulEx" scan "$cases/libraries" --calls
expect 0 "TQP1010" scan "$cases/refused" -I "$cases/refused/include"
expect 0 "TQP1004 × 1" scan "$cases/half_read"
expect 0 "[]" scan "$cases/tree/src/plain.cpp" --json
expect 0 "Examples:" scan --help
expect 1 "PATH is required" scan
expect 1 "there is no such file or folder (/nowhere)" scan /nowhere
expect 1 '"kind":"not_found"' scan /nowhere --json
expect 1 "did you mean scan?" scn
expect 1 "--jobs" scan "$cases/tree" --jobs 0

# The macro brings the kernel in, and Clang reads it.
"$program" scan "$cases/half_read" -D COMPANY_USES_HALVES --json >"$folder/given.json"
python3 - "$folder/given.json" <<'CHECK' || failed=1
import json, sys
rows = {row["kernel"]: row for row in json.load(open(sys.argv[1]))}
assert rows["left_out"]["read_by"] == "clang", rows["left_out"]
assert all(row["tier"] in ("A", "B", "C", "D", "none") for row in rows.values())
CHECK

# A sum too deep for Clang ends its process; the other file and the words of this one are there.
{
  echo '__global__ void beside_it(int* x) { x[threadIdx.x] = 1; }'
  python3 -c "print('int deep = ' + '1 + ' * 300000 + '1;')"
} >"$folder/deep.cu"
echo '__global__ void other(int* x) { x[threadIdx.x] = 1; }' >"$folder/other.cu"
expect 0 "TQP1001 $folder/deep.cu: Clang could not read the file" scan "$folder"
expect 0 "2 kernels" scan "$folder"

exit $failed
