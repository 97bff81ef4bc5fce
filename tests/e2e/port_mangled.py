#!/usr/bin/env python3
"""Mangled sources never crash torquetum port translate. usage: port_mangled.py TORQUETUM-PORT [COUNT] [SEED] [FOLDER]

COUNT (12) times a source of FOLDER (tests/cases/port/translate) is mangled: words taken out, doubled, exchanged, replaced by
others, the end cut off. Each translation must end with exit 0 or 1, with no process of it ended by a signal. Sources that do
otherwise are kept in the folder that is printed."""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

WORDS = re.compile(r"\w+|[^\w\s]|\s+")
INSERTED = ["(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "*", "&", "...", "::", "->", "template", "class", "struct", "__shared__", "for",
            "while", "return", "if", "else", "switch", "case", "goto", "float", "double", "int", "const", "auto", "sizeof", "this", "0", "-1",
            "1e400", "99999999999999999999", "threadIdx", "blockIdx.x", "__syncthreads()", "__shfl_sync", "atomicAdd", "#", "\n#if 1\n", "\"", "'"]


def mangled(text, chance):
    words = WORDS.findall(text)
    for _ in range(chance.choice((1, 2, 3, 8, 30))):
        if not words:
            break
        at = chance.randrange(len(words))
        kind = chance.randrange(6)
        if kind == 0:
            del words[at]
        elif kind == 1:
            words.insert(at, words[at])
        elif kind == 2:
            other = chance.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif kind == 3:
            words[at] = chance.choice(INSERTED)
        elif kind == 4:
            words.insert(at, chance.choice(INSERTED))
        elif chance.randrange(4) == 0:
            del words[at:]
    return "".join(words)


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    cases = pathlib.Path(__file__).resolve().parent.parent / "cases" / "port" / "translate"
    folder = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else cases
    sources = sorted([*folder.rglob("*.cu"), *folder.rglob("*.cuh")])
    assert sources, f"no source below {folder}"
    kept = pathlib.Path(tempfile.mkdtemp(prefix="mangled"))
    wrong, refused, translated = [], 0, 0
    for i in range(count):
        source = chance.choice(sources)
        file = kept / f"{i}-{source.stem}.cu"
        file.write_text(mangled(source.read_text(errors="replace"), chance))
        done = subprocess.run([program, "translate", file, "-o", kept / "out"], capture_output=True, text=True, errors="replace", timeout=300)
        if done.returncode not in (0, 1) or "not read" in done.stdout:
            wrong.append(f"{file}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
            continue
        refused += "refused" in done.stdout or done.returncode == 1
        translated += "refused" not in done.stdout and done.returncode == 0
        file.unlink()
    subprocess.run(["rm", "-rf", kept / "out"], check=True)
    if not wrong:
        kept.rmdir()
    print("\n".join(wrong))
    print(f"{count} mangled sources: {translated} translated whole, {refused} with refusals, {len(wrong)} ended otherwise")
    return 1 if wrong else 0


sys.exit(main())
