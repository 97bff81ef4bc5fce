#!/usr/bin/env python3
"""Our own kernels, each through torquetum port verify. usage: port_corpus.py TORQUETUM-PORT [WORD]

tests/cases/port/translate holds the sources, a folder a pattern, each with its harness; expected.tsv beside them says
what becomes of each kernel: source, kernel, tier, status and, where the original is at fault, the fault and its line. A
kernel passes with that status and that tier or a better one; one that is listed as differing is an open fault of ours,
is printed, and counts for nothing. UPDATE=1 writes expected.tsv anew; look at the change. WORD: only sources whose path
holds it.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

PROGRAM = sys.argv[1]
WORD = sys.argv[2] if len(sys.argv) > 2 else ""
CASES = pathlib.Path(__file__).resolve().parent.parent / "cases" / "port" / "translate"
EXPECTED = CASES / "expected.tsv"
AT_ONCE = 2
PROVED = ("agrees", "original-fault")
LEAST = {"kernels": 100, "in tier A or B": 40, "with barriers": 30, "refusals": 20}


def program(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, 2), f"{arguments}: exit {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


def verified(source):
    return program("verify", source, "--harness", source.with_suffix(".toml"), "--json")


def fault_of(row):
    return f"{row['reason'].split()[0].rstrip(':,')}:{row['fault_line']}" if row["status"] == "original-fault" else ""


def as_line(source, row):
    return [str(source.relative_to(CASES)), row["kernel"], row["tier"], row["status"], fault_of(row)]


def read_expected():
    lines = [line.split("\t") for line in EXPECTED.read_text().splitlines()] if EXPECTED.exists() else []
    return {(line[0], line[1]): line for line in lines}


def complaint(line, row, expected):
    """What is wrong with a verified kernel, or None."""
    said = f"{line[0]}: {line[1]}: {row['status']}, tier {row['tier']}: {row['reason']} {row['smallest']}"
    before = expected.get((line[0], line[1]))
    if row["status"] not in PROVED:
        print("open: " + said, flush=True)
    if os.environ.get("UPDATE") == "1":
        return None
    if before is None:
        return f"{said}: expected.tsv does not name it: run this test with UPDATE=1"
    if before[3] not in PROVED:
        return None
    if before[3:] != line[3:]:
        return f"{said} {line[4]}, expected {before[3]} {before[4]}"
    if row["tier"] > before[2]:
        return f"{said}, expected tier {before[2]}"
    return None


def verify_all(sources):
    """Lines as expected.tsv has them, and what is wrong."""
    expected, lines, wrong = read_expected(), [], []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for source, rows in zip(sources, pool.map(verified, sources)):
            assert rows, f"{source}: no kernel"
            for row in rows:
                lines.append(as_line(source, row))
                wrong.append(complaint(lines[-1], row, expected))
    if not WORD and os.environ.get("UPDATE") != "1":
        gone = set(expected) - {(line[0], line[1]) for line in lines}
        wrong += [f"{source}: {kernel} is gone" for source, kernel in sorted(gone)]
    if not WORD and os.environ.get("UPDATE") == "1":
        EXPECTED.write_text("".join("\t".join(line) + "\n" for line in lines))
    return lines, [one for one in wrong if one]


def refusals():
    """How many sources of refused/ are refused with the number on their first line, and what is wrong with the others."""
    folder = CASES / "refused"
    rows = {pathlib.Path(row["file"]).name: row for row in program("verify", folder, "--json")}
    wrong = []
    sources = sorted(folder.glob("*.cu"))
    for source in sources:
        number = source.read_text().splitlines()[0].removeprefix("// Refused: ")
        row = rows.get(source.name)
        if row is None or row["status"] != "refused" or not row["reason"].startswith(number):
            wrong.append(f"{source.name}: not refused with {number}: {row}")
    return len(sources), wrong


def kernel_text(text, name):
    """The kernel's own text, from its name to the brace that closes it."""
    begin = text.index("{", re.search(r"__global__[^;{]*\b" + re.escape(name) + r"\s*\(", text).start())
    depth = 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin:at]
    raise AssertionError(f"{name} does not end")


def waits(line):
    """Whether the kernel's own text waits for the threads of its block."""
    text = kernel_text((CASES / line[0]).read_text(), line[1].split("<")[0])
    return any(word in text for word in ("__syncthreads", "block.sync()", "cub::BlockReduce", "cub::BlockScan"))


def main():
    start = time.monotonic()
    sources = sorted(path for path in CASES.glob("*/*.cu") if path.with_suffix(".toml").exists() and WORD in str(path))
    lines, wrong = verify_all(sources)
    refused, more = refusals()
    proved = [line for line in lines if line[3] in PROVED]
    counts = {
        "kernels": len(proved),
        "in tier A or B": sum(line[2] in "AB" for line in proved),
        "with barriers": sum(map(waits, proved)),
        "refusals": refused,
    }
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f"; {time.monotonic() - start:.0f} s")
    print("\n".join(wrong + more))
    if not WORD:
        wrong += [f"{counts[what]} {what}, not {least}" for what, least in LEAST.items() if counts[what] < least]
    sys.exit(1 if wrong + more else 0)


main()
