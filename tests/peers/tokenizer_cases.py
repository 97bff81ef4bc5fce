#!/usr/bin/env python3
"""Makes tests/cases/compress/tokenizer: small vocabularies of each kind with the ids that PyPI `tokenizers` gives, and templates
with the text that Jinja gives in Hugging Face's settings.

usage: tokenizer_cases.py FOLDER    (a Python with tokenizers and jinja2)
"""
import json
import pathlib
import random
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from jinja_peer import reference

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
TEKKEN = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
          r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
          r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")

CORPUS = [
    "The instrument turns a reading of one sky into a reading of another; the same rings, the same numbers.",
    "It's what we'll do, and they've done: don't ask, we're there. I'd say she'd know, I'm sure.",
    "def turn(ring, angle):\n    if angle > 360:\n        angle = angle - 360\n    return ring.at(angle)\n",
    "简仪把一种坐标变成另一种坐标。北京的天文台在城东。星星很多,夜很长。",
    "for (int i = 0; i < 128; ++i) {\n\tsum += a[i] * b[i];\n}\r\n\r\n",
    "Numbers: 1, 22, 333, 4444, 55555 and 3.14159; half is ½, two squared 2².",
    "Grüße aus München, señor. Où est la gare? Привет, мир. καλημέρα",
] * 3

TEXTS = [
    "Hello world", "the same rings", "  two  blanks ", "behind   ", "\n\n\n", "\r\n a\r\nb\r\n\r\n", "\t\tx\t",
    "it's I'LL we'Ve don't", "½ 5½ 2² Ⅷ ٣٤٥ 1234567 12 345", "简仪把坐标变成数字,你好!「」。", "カタカナ 한국어", "🦙🚀 👩‍👩‍👧 🏳️‍🌈",
    "def f(x):\n    return x**2  # código\n\tif True:\r\n", "Ünïcödé e\u0301 \u212b \uf900", "\u180e\u200b\u00a0\u3000x\u2028y\u0085z",
    "<|begin|>user\nhi<|end|> and <s>x</s>", "Привет мир", "a" * 70, " " * 37 + "x", "\n" * 9 + " " * 5, "!@#$%^&*()_+-=[]{}|;':\",./<>?",
    "\x00\x01\x7f", "▁x ▁▁", "", " ", "ring=ring;;  ring", "tool  <tool> call<tool>", "ABC abcDEF aBC",
]


def texts():
    rng = random.Random(7)
    letters = "aAthe 019\n\r\t'.,!中星🦙½²Ⅷ٣éß\u00a0\u3000\u0301<>|_-/▁"
    return TEXTS + ["".join(rng.choice(letters) for _ in range(rng.randint(1, 50))) for _ in range(60)]


def byte_level(name, steps, normalizer=None, ignore_merges=False, bos=False):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = steps
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
                                  special_tokens=["<|begin|>", "<|end|>"])
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_tokens([AddedToken("<tool>", lstrip=True, rstrip=name == "smollm", normalized=False)])
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 0)])
    return tokenizer


def pieces(metaspace):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    if metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=480, show_progress=False, special_tokens=special))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    made = json.loads(tokenizer.to_str())
    made["added_tokens"] = made["added_tokens"][:3]  # bytes are no added tokens
    if not metaspace:
        made["pre_tokenizer"] = None  # it kept the trainer's words short
    return Tokenizer.from_str(json.dumps(made))


def vocabularies():
    split = lambda pattern: pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    yield "gpt-2", byte_level("gpt-2", pre_tokenizers.ByteLevel(add_prefix_space=False))
    yield "smollm", byte_level("smollm", pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]))
    yield "llama-bpe", byte_level("llama-bpe", split(LLAMA3), ignore_merges=True, bos=True)
    yield "qwen2", byte_level("qwen2", split(QWEN2), normalizer=normalizers.NFC())
    yield "tekken", byte_level("tekken", split(TEKKEN), ignore_merges=True, bos=True)
    yield "pieces", pieces(False)
    yield "metaspace", pieces(True)


def write(path, value, indent=None):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=indent, separators=None if indent else (",", ":")) + "\n", newline="")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, tokenizer in vocabularies():
        (folder / name).mkdir(parents=True, exist_ok=True)
        write(folder / name / "tokenizer.json", json.loads(tokenizer.to_str()))
        golden = []
        for special in (False, True):
            tokenizer.encode_special_tokens = not special
            for text in texts():
                golden.append({"text": text, "special": special, "ids": tokenizer.encode(text, add_special_tokens=False).ids})
        write(folder / name / "golden.json", golden)
    cases = json.loads((folder / "templates.json").read_text())
    write(folder / "rendered.json", [reference(case["template"], cases["variables"]) for case in cases["cases"]], 1)


if __name__ == "__main__":
    main()
