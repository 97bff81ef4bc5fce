#!/usr/bin/env python3
"""The tokenisers beside PyPI's `tokenizers` and the templates beside Jinja, live: fresh vocabularies of each kind, the sample's own
vocabulary written as a tokenizer.json, and the vocabularies carried to GGUF and back.

usage: tokenizer_test.py TOKENIZE RENDER_TEMPLATE SAMPLE.gguf    (a Python with tokenizers, jinja2 and gguf)
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from tokenizers import Tokenizer

import tokenizer_cases
from gguf_vocabulary import vocabulary
from jinja_peer import reference

failed = 0


def check(name, pairs):
    """pairs of (what, ours, theirs)"""
    global failed
    wrong = [pair for pair in pairs if pair[1] != pair[2]]
    failed += bool(wrong)
    print(f"{'FAILED' if wrong else 'ok    '} {name}: {len(pairs) - len(wrong)} of {len(pairs)} equal")
    for what, ours, theirs in wrong[:3]:
        print(f"       {what!r}\n         ours   {ours}\n         theirs {theirs}")


def ours(words, texts):
    """Ids of each text; texts are bytes."""
    done = subprocess.run([sys.argv[1], *map(str, words)], input="".join(text.hex() + "\n" for text in texts), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tokenize {words}: {done.stderr.strip()}")
    return [[int(word) for word in line.split()] for line in done.stdout.split("\n")[:-1]]


def beside(name, words, file, texts):
    peer = Tokenizer.from_file(str(file))
    for special in (False, True):
        peer.encode_special_tokens = not special
        got = ours([*words, "--special"] if special else words, [text.encode() for text in texts])
        check(f"{name}{', special tokens read' if special else ''}",
              [(text, ids, peer.encode(text, add_special_tokens=False).ids) for text, ids in zip(texts, got)])


def main():
    here = pathlib.Path(__file__).resolve().parent
    texts = tokenizer_cases.texts()
    with tempfile.TemporaryDirectory(prefix="torquetum-tokenizer-") as folder:
        folder = pathlib.Path(folder)
        for name, peer in tokenizer_cases.vocabularies():
            (folder / name).mkdir()
            peer.save(str(folder / name / "tokenizer.json"))
            beside(name, ["folder", folder / name], folder / name / "tokenizer.json", texts)
            if name == "metaspace":
                continue  # refused as GGUF
            ours(["folder", folder / name, "--write-gguf", folder / "gguf.json"], [])
            ours(["gguf", folder / "gguf.json", "--write-json", folder / "again.json"], [])
            plain = [text for text in texts if "<tool>" not in text]  # GGUF has no white space beside added tokens
            beside(f"{name} by GGUF", ["gguf", folder / "gguf.json"], folder / name / "tokenizer.json", plain)
            beside(f"{name} by GGUF, written again", ["folder", folder / name], folder / "again.json", plain)
        (folder / "sample.json").write_text(json.dumps(vocabulary(sys.argv[3])))
        ours(["gguf", folder / "sample.json", "--write-json", folder / "tokenizer.json"], [])
        beside("the sample's GGUF", ["gguf", folder / "sample.json"], folder / "tokenizer.json", texts)
        beside("the sample's folder", ["folder", folder], folder / "tokenizer.json", texts)

    cases = json.loads((here.parent / "cases/compress/tokenizer/templates.json").read_text())
    sources = [case["template"] for case in cases["cases"]]
    lines = "".join(json.dumps({"template": source, "variables": cases["variables"]}) + "\n" for source in sources)
    done = subprocess.run([sys.argv[2]], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line).get("text") for line in done.stdout.split("\n")[:-1]]
    check("templates", [(source, text, reference(source, cases["variables"]).get("text")) for source, text in zip(sources, answers)])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
