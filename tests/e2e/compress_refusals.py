#!/usr/bin/env python3
"""What torquetum compress refuses, and that it leaves nothing behind: compress_refusals.py PROGRAM"""

import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

import tiny


class Refusals:
    def __init__(self, path, folder):
        self.folder, self.failed = folder, 0
        self.program = tiny.Program(path, folder)
        self.model, self.text = folder + "/model", folder + "/text.jsonl"
        tiny.write_model(self.model, layers=2, hidden=64, intermediate=128, heads=2, kv_heads=1)
        # What it says does not matter here: words at random.
        self.words(self.text, 1, 60, 300)

    def words(self, path, seed, documents, length):
        rng = tiny.random.Random(seed)
        with open(path, "w", encoding="utf-8") as file:
            for _ in range(documents):
                text = "".join(rng.choice("abcdefghijklm nopqrstuvwxyz ") for _ in range(length))
                file.write(json.dumps({"text": text}) + "\n")

    def fail(self, claim, why):
        print(f"FAILED: {claim}: {why}")
        self.failed += 1

    def left(self):
        """Names in the folder that runs write into."""
        return sorted(name for name in os.listdir(self.folder) if name.startswith((".out", "out")))

    def expect(self, claim, texts, words, code=1, kept=(), **more):
        done = self.program(*words, **more)
        for text in [texts] if isinstance(texts, str) else texts:
            if text not in done.stderr:
                self.fail(claim, f"'{text}' is not in:\n{done.stderr}")
        if done.returncode != code:
            self.fail(claim, f"exit code {done.returncode}, wanted {code}:\n{done.stderr}")
        if "Traceback" in done.stderr or "this is a bug of ours" in done.stderr:
            self.fail(claim, "our own bug:\n" + done.stderr)
        left = self.left()
        if left != sorted(kept):
            self.fail(claim, f"left behind: {left}, wanted {sorted(kept)}")
        for name in left:
            path = os.path.join(self.folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        return done

    def run_words(self, *more, model=None, text=None):
        """Words of a run that is accepted, but for those that more gives in their place."""
        usual = {"-o": self.folder + "/out", "--text": text or self.text, "--method": "rtn", "--format": "int8",
                 "--group": "32", "--threads": "1", "--max-loss": "50%", "--rounds": "50"}
        given = {word.split("=")[0] for word in more}
        words = ["run", model or self.model, "--quiet", *([] if "--prompt" in given else ["--no-speed"])]
        for option, value in usual.items():
            if option not in given:
                words += [option, value]
        return words + list(more)

    def broken(self, name, change):
        """A copy of the model, changed."""
        folder = self.folder + "/" + name
        shutil.copytree(self.model, folder)
        change(folder)
        return folder

    def refuse(self, claim, texts, *more, **named):
        self.expect(claim, texts, self.run_words(*more, **named))


def header_of(folder):
    path = folder + "/model.safetensors"
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<Q", content[:8])[0]
    return path, json.loads(content[8:8 + length]), content[8 + length:]


def put_header(path, header, data):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def change_header(change):
    def act(folder):
        path, header, data = header_of(folder)
        change(header)
        put_header(path, header, data)
    return act


def change_config(**fields):
    def act(folder):
        path = folder + "/config.json"
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
        config.update(fields)
        tiny.write_json(path, config)
    return act


def truncate(folder):
    path = folder + "/model.safetensors"
    os.truncate(path, os.path.getsize(path) - 1000)


def huge_header(folder):
    with open(folder + "/model.safetensors", "r+b") as file:
        file.write(struct.pack("<Q", 1 << 30))


def overlap(header):
    first, second = sorted(name for name in header if name.endswith("q_proj.weight"))[:2]
    header[second]["data_offsets"] = header[first]["data_offsets"]


def out_of_range(header):
    header["model.norm.weight"]["data_offsets"] = [1 << 40, (1 << 40) + 128]


def missing_shard(folder):
    path, header, _ = header_of(folder)
    os.remove(path)
    names = {name: "model-00001-of-00002.safetensors" for name in header if name != "__metadata__"}
    tiny.write_json(folder + "/model.safetensors.index.json", {"metadata": {}, "weight_map": names})


def not_a_number(name):
    def act(folder):
        path, header, data = header_of(folder)
        at = header[name]["data_offsets"][0]
        put_header(path, header, data[:at + 10] + b"\xc0\x7f" + data[at + 12:])
    return act


def models(r):
    down = "model.layers.1.mlp.down_proj.weight"
    for claim, texts, change in (
            ("truncated safetensors", "the file holds", truncate),
            ("overlapping offsets", "overlap", change_header(overlap)),
            ("offsets out of range", "but the file holds", change_header(out_of_range)),
            ("a header of 1 GB", "at most 100 MB are allowed", huge_header),
            ("an empty weights file", "shorter than the length of its header",
             lambda folder: os.truncate(folder + "/model.safetensors", 0)),
            ("a shard that is missing", "the shard \"model-00001-of-00002.safetensors\" is missing", missing_shard),
            ("no weights", "has neither model.safetensors nor", lambda f: os.remove(f + "/model.safetensors")),
            ("a shape that config.json denies", "where the configuration asks for", change_config(intermediate_size=96)),
            ("NaN in a linear layer", ["holds NaN or infinity", down], not_a_number(down)),
            ("NaN in the embeddings", ["holds NaN or infinity", "embed_tokens"],
             not_a_number("model.embed_tokens.weight")),
            ("NaN in a norm", ["holds NaN or infinity", "model.norm"], not_a_number("model.norm.weight")),
            ("an unknown architecture", ["\"mamba\" is not known", "known are"],
             change_config(architectures=["MambaForCausalLM"], model_type="mamba")),
            ("a mixture of experts", ["\"mixtral\" is not known", "known are"],
             change_config(architectures=["MixtralForCausalLM"], model_type="mixtral")),
            ("no tokenizer", "tokenizer.json", lambda folder: os.remove(folder + "/tokenizer.json")),
            ("a tokenizer that is no JSON", "tokenizer.json",
             lambda folder: tiny.write_json(folder + "/tokenizer.json", [])),
            ("a config.json cut short", "config.json", lambda folder: os.truncate(folder + "/config.json", 20))):
        name = "broken-" + claim.replace(" ", "-")
        r.refuse(claim, texts, model=r.broken(name, change))
        shutil.rmtree(r.folder + "/" + name)
    r.refuse("no such model", "No such file", model=r.folder + "/nothing")
    without = r.broken("broken", lambda folder: tiny.write_tokenizer(folder, merges=False))
    r.refuse("a tokenizer that GGUF can't hold", ["no equal in GGUF", "no merges"], "--write",
             "compressed-tensors,gguf", model=without)
    r.refuse("the same in a look ahead", ["no equal in GGUF", "no merges"], "--write", "gguf", "--dry-run", model=without)
    r.expect("a tokenizer without merges in a folder", "", r.run_words(model=without), code=0, kept=["out", "out-report"])
    shutil.rmtree(without)
    r.refuse("a folder without a model", "neither config.json nor model.gguf", model=r.folder)
    r.refuse("a file that is no model", "not a model in a form that is known", model=r.text)
    nan = r.broken("broken", not_a_number(down))
    calibration = ["--method", "gptq", "--calibration-windows", "1", "--calibration-length", "64"]
    r.refuse("NaN met in GPTQ's second block", ["holds NaN or infinity", down], *calibration, model=nan)


def options(r):
    r.refuse("an unknown chip", ["h101", "did you mean H100"], "--chip", "h101")
    catalogue = r.folder + "/catalogue"
    os.makedirs(catalogue + "/chips")
    with open(os.path.dirname(os.path.abspath(__file__)) + "/../../catalog/chips/a100.toml", encoding="utf-8") as file:
        chip = "".join(line for line in file if not line.startswith("int8-w8a8 ="))  # its rate
    with open(catalogue + "/chips/a100.toml", "w", encoding="utf-8") as file:
        lines = chip.replace(', "int8-w8a8"', "").splitlines(keepends=True)
        file.writelines(line for line in lines if not line.startswith("int8-w8a8 ="))
    r.program.environment["TORQUETUM_CATALOG"] = catalogue
    r.refuse("a chip that refuses the format", ["does not compute in int8-w8a8", "formats that it takes: ", "formats that it takes: int8"],
             "--chip", "a100", "--format", "int8-w8a8")
    del r.program.environment["TORQUETUM_CATALOG"]
    r.refuse("a group that does not divide", ["48", "32, 64"], "--group", "48")
    r.refuse("3 bits into GGUF", "GGUF can't hold int3", "--format", "int3", "--write", "gguf")
    r.refuse("W8A8 into GGUF", "GGUF can't hold W8A8", "--format", "int8-w8a8", "--write", "compressed-tensors,gguf")
    r.refuse("an unknown form", ["\"onnx\" is not known", "compressed-tensors"], "--write", "onnx")
    r.refuse("no form", "is not known", "--write", "")
    r.refuse("an unknown format", "int5", "--format", "int5")
    r.refuse("W8A8 with zero points", "W8A8 is symmetric", "--format", "int8-w8a8", "--asymmetric")
    r.refuse("too few rounds", "fewer than 50 rounds", "--rounds", "49")
    for nonsense in ("abc", "-3%", "3%%", "nan", "3 %x"):
        r.refuse(f"--max-loss '{nonsense}'", "not a share", "--max-loss=" + nonsense)
    for nonsense in ("0", "100%", "1.5", "inf", "1e300"):
        r.refuse(f"--max-loss {nonsense}", "between 0 and 100 %", "--max-loss", nonsense)
    r.refuse("a pattern to ignore that fits nothing", ["no linear layer", "--ignore *nowhere"], "--ignore", "*nowhere")
    r.refuse("bits for a pattern that fits nothing", ["no linear layer", "--bits *nowhere"], "--bits", "*nowhere=8")
    r.refuse("bits that are not offered", "5 bits are not offered", "--bits", "*down_proj=5")
    r.refuse("bits without a pattern", "not a pattern with its bits", "--bits", "8")
    r.refuse("everything ignored", "every linear layer is ignored", "--ignore", "*")
    r.refuse("an empty prompt", "nothing in it to continue", "--prompt", "")
    r.refuse("a prompt beyond the model's context", "the model reads 8192 in all", "--prompt", "a" * 9000)
    r.refuse("an unknown device", "nodevice", "--device", "nodevice")
    r.refuse("a method that is none", "rtm", "--method", "rtm")
    r.refuse("a calibration token below none", "--calibration-token", "--calibration-token", "-5")
    r.refuse("a calibration token of no calibration file", "--calibration-token", "--calibration-token", "5")
    out = r.folder + "/out"
    os.mkdir(out)
    r.expect("an output that exists", "the output exists already", r.run_words(), kept=["out"])
    os.symlink("nowhere", out)
    r.expect("an output that is a dangling link", "the output exists already", r.run_words(), kept=["out"])
    r.refuse("an output below a file", "Not a directory", "-o", r.text + "/out")
    r.refuse("an output with a name too long", "File name too long", "-o", r.folder + "/" + "o" * 300)
    r.refuse("an output whose part name is too long", "File name too long", "-o", r.folder + "/" + "o" * 245)
    r.refuse("a report below a file", ["can't write the report", "Not a directory"], "--report", r.text + "/report")
    for option, place in (("--work", "out"), ("--work", "out/work"), ("--report", "out/report"), ("--report", "out"),
                          ("--scores", "out/scores")):
        r.refuse(f"{option} at {place}", ["the output's folder can't hold anything else", option], option,
                 r.folder + "/" + place)
    work = ["--work", r.folder + "/out-work"]
    r.refuse("an output in the work folder", ["the work folder can't hold anything else", "-o "], *work, "-o",
             r.folder + "/out-work/model")
    r.refuse("a report in the work folder", ["the work folder can't hold anything else", "--report"], *work, "--report",
             r.folder + "/here/../out-work")
    r.refuse("two limits of the loss", "--strict", "--strict")
    for option in ("--text", "--documents"):
        r.expect(f"{option} with questions", "--choices", ["evaluate", r.model, option, r.text, "--choices", r.text])
    for option in ("--context=64", "--windows=3", "--bos", "--eos"):
        for words in (["evaluate", r.model], ["compare", r.model, r.model]):
            r.expect(f"{words[0]} {option} with questions", "--choices", words + ["--choices", r.text, option])
    r.refuse("a prompt that nothing continues", "--prompt", "--prompt", "a", "--no-speed")
    r.expect("a system message without a chat", ["belongs to a chat", "--chat"],
             ["generate", r.model, "--prompt", "a", "--system", "s"])
    other = ["--tokenizer", r.folder + "/other.bin"]
    for words in (["inspect", r.model], ["evaluate", r.model, "--text", r.text], ["generate", r.model, "--prompt", "a"],
                  ["speed", r.model], ["compare", r.model, r.model, "--text", r.text], r.run_words()):
        r.expect(f"another tokenizer for {words[0]}", ["holds its tokenizer itself", "--tokenizer"], words + other)
    for seed in ("-1", "1.5", "18446744073709551616", "x"):
        r.refuse(f"the seed {seed}", "--seed", "--seed=" + seed)
        r.expect(f"the seed {seed} of generate", "--seed", ["generate", r.model, "--prompt", "a", "--seed=" + seed])
    for words in (["--prompt", "8192"], ["--prompt", "8000", "--decode", "193"], ["--decode", "8192"]):
        r.expect("speed beyond the context", "the model reads 8192 tokens in all", ["speed", r.model, *words])
    for words in (["generate", r.model, "--prompt", "a"], ["speed", r.model]):
        r.expect("a cache beyond the context", ["8192 tokens at most", "--max-context"],
                 words + ["--max-context", "8193"])
    r.refuse("bits with a tail", "not a pattern with its bits", "--bits", "*down_proj=8x")
    r.refuse("rounds beyond reason", "--rounds", "--rounds", "99999999999")
    for size in ("0", "-3"):
        r.expect(f"a cache of {size} tokens", "--max-context",
                 ["generate", r.model, "--prompt", "a", "--max-context", size])
    r.refuse("a work folder that is not one", ["holds other files, and no checkpoint", "--work"], "--work", r.model)
    r.refuse("scores below a file", "Not a directory", "--scores", r.text + "/scores")


def texts(r):
    short, empty = r.folder + "/short.txt", r.folder + "/empty.txt"
    r.words(r.folder + "/other.jsonl", 2, 60, 300)
    with open(short, "w", encoding="utf-8") as file:
        file.write("A few words.\n" * 20)
    open(empty, "w", encoding="utf-8").close()
    gptq = ["--method", "gptq"]
    r.refuse("a text too short to judge", ["verdict text is too short", "50 are needed"], text=short)
    r.refuse("an empty text", ["verdict text is too short", "gives 0 windows"], text=empty)
    r.refuse("a calibration text too short", ["calibration text is too short", "--calibration-length"], *gptq,
             "--calibration", short)
    r.refuse("calibration that is the text", "both hold the same", *gptq, "--calibration", r.text)
    half = r.folder + "/half.jsonl"
    with open(r.folder + "/other.jsonl", encoding="utf-8") as one, open(r.text, encoding="utf-8") as two:
        with open(half, "w", encoding="utf-8") as file:
            file.write(one.read() + two.readlines()[30])
    r.refuse("calibration that overlaps the text", "both hold the same", *gptq, "--calibration", half)
    r.refuse("no such text", "No such file", text=r.folder + "/nothing")
    r.refuse("a folder as text", "Is a directory", text=r.model)
    bad_line = r.folder + "/bad.jsonl"
    with open(bad_line, "w", encoding="utf-8") as file:
        file.write('{"text": "one"}\n{"words": 1}\n')
    r.refuse("a line that is no document", ["bad.jsonl, line 2", "\"text\""], text=bad_line)
    for claim, content, line in (("prose", "A line.\n", "line 1"), ("a line of prose", '{"text": "a"}\nA line.\n', "line 2")):
        documents = r.folder + "/documents.txt"
        with open(documents, "w", encoding="utf-8") as file:
            file.write(content)
        for words in (["evaluate", r.model], ["compare", r.model, r.model]):
            r.expect(f"{claim} as documents", ["documents.txt, " + line], words + ["--documents", documents])
    no_text = [word for word in r.run_words() if word not in ("--text", r.text)]
    r.expect("no text at all", "no text to judge on", no_text)


def works(r):
    """Strange texts that are good enough, and places that need not serve."""
    strange = r.folder + "/strange.txt"
    rng = tiny.random.Random(3)
    with open(strange, "wb") as file:  # bytes at random: no UTF-8, NULs, lines of all lengths
        file.write(rng.randbytes(20000))
    r.expect("invalid UTF-8", "", r.run_words("--json", text=strange), code=0, kept=["out", "out-report"])
    with open(strange, "w", encoding="utf-8") as file:
        file.write("".join(rng.choice("abcdefg ") for _ in range(20000)))
    r.expect("one line of 20,000 characters", "", r.run_words(text=strange), code=0, kept=["out", "out-report"])
    r.words(r.folder + "/twenty.jsonl", 4, 2, 4000)
    r.expect("another form without quantising", "",
             r.run_words("--format", "f16", "--write", "gguf,safetensors", "--json"), code=0, kept=["out", "out-report"])
    r.refuse("repair where nothing is quantised", "nothing is quantised in f16", "--format", "f16", "--repair")
    r.refuse("f16 in compressed-tensors", "holds quantised models", "--format", "f16")
    r.expect("calibration from a token on", "",
             r.run_words("--method", "gptq", "--calibration", r.folder + "/twenty.jsonl", "--calibration-token", "70",
                         "--calibration-windows", "4", "--calibration-length", "64"), code=0,
             kept=["out", "out-report"])
    r.expect("a calibration text beside rounding to nearest", "twenty.jsonl was not read",
             r.run_words("--calibration", r.folder + "/twenty.jsonl", "--json"), code=0, kept=["out", "out-report"])
    r.expect("no parents are left by a refusal", "too short", r.run_words("-o", r.folder + "/out/deep/down",
                                                                          text=r.folder + "/short.txt"))
    r.expect("parents of the output are made", "", r.run_words("-o", r.folder + "/out/deep/down"), code=0, kept=["out"])
    with open(r.folder + "/cache-file", "w", encoding="utf-8") as file:
        file.write("")
    usual = r.program.environment["XDG_CACHE_HOME"]
    r.program.environment["XDG_CACHE_HOME"] = r.folder + "/cache-file"
    r.expect("a cache that can't be written", "scores are not kept", r.run_words(), code=0, kept=["out", "out-report"])
    r.program.environment["XDG_CACHE_HOME"] = usual


def disk(r):
    """A full disk: RLIMIT_FSIZE stands in for it at any size (EFBIG says the same to a program)."""
    def limited(size):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}
    r.expect("no room for the checkpoint", "free some space", r.run_words(), **limited(2000))
    r.expect("no room for the second form", ["free some space", "safetensors"],
             r.run_words("--write", "compressed-tensors,safetensors"), kept=["out-work"], **limited(200000))
    # The report holds a page of 1 MB: larger than all of this model.
    done = r.expect("no room for the report", ["free some space", "report"], r.run_words(), kept=["out-report", "out-work"],
                    **limited(500000))
    assert "report.html" in done.stderr, done.stderr


def small_disk(r):
    """The same on a real file system that is full, where this user may mount one."""
    place = r.folder + "/out-disk"
    os.mkdir(place)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", place], capture_output=True,
                      check=False).returncode != 0:
        os.rmdir(place)
        print("skipped: no mounting here")
        return
    try:
        words = r.run_words("-o", place + "/model", "--work", r.folder + "/out-work", "--report",
                            r.folder + "/out-report", "--write", "safetensors")
        done = r.program(*words)
        if done.returncode != 1 or "No space left" not in done.stderr or os.listdir(place):
            r.fail("a full disk while a form is written", f"{done.returncode} {os.listdir(place)}\n{done.stderr}")
        if r.left() != ["out-disk", "out-work"]:
            r.fail("a full disk while a form is written", f"left behind: {r.left()}")
        subprocess.run(["mount", "-o", "remount,size=4m", place], check=True)
        done = r.program(*words)  # goes on where it stopped
        if done.returncode != 0 or os.listdir(place) != ["model"]:
            r.fail("going on after a full disk", f"{done.returncode} {os.listdir(place)}\n{done.stderr}")
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        shutil.rmtree(r.folder + "/out-report")
        done = r.program(*r.run_words("-o", place + "/other", "--work", r.folder + "/out-work", "--report",
                                      r.folder + "/out-report"))
        if done.returncode != 1 or "Read-only file system" not in done.stderr or r.left() != ["out-disk"]:
            r.fail("a read-only folder", f"{done.returncode} {r.left()}\n{done.stderr}")
    finally:
        subprocess.run(["umount", place], check=True)
        os.rmdir(place)


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-e2e-") as folder:
        refusals = Refusals(sys.argv[1], folder)
        for part in (models, options, texts, works, disk, small_disk):
            part(refusals)
        sys.exit(1 if refusals.failed else 0)


if __name__ == "__main__":
    main()
