"""A tiny random language model as a Hugging Face folder, and texts that it has written itself.

Text drawn from the model's own distribution makes the model the best predictor of it, so that any damage done by
quantising shows as a loss above zero. Embeddings and head sit on Q8_0's grid, so that every form holds them exactly and
the forms of one run differ in nothing. Standard library only; the same arguments give the same bytes.
"""

import array
import json
import math
import os
import random
import struct
import subprocess

BEGIN, END = 256, 257
VOCABULARY = 259  # the last is the one merge, of two bytes that no text holds: GGUF wants merges
PRINTABLE = set(range(0x20, 0x7F)) | {0x0A}


def byte_characters():
    """GPT-2's character for each byte."""
    plain = list(range(0x21, 0x7F)) + list(range(0xA1, 0xAD)) + list(range(0xAE, 0x100))
    characters, extra = {}, 0
    for byte in range(256):
        if byte in plain:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(256 + extra)
            extra += 1
    return characters


def write_tokenizer(folder, merges=True):
    vocabulary = {character: byte for byte, character in byte_characters().items()}
    pair = (byte_characters()[1], byte_characters()[2])
    vocabulary["".join(pair)] = END + 1
    added = []
    for content, number in (("<|begin|>", BEGIN), ("<|end|>", END)):
        vocabulary[content] = number
        added.append({"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
                      "normalized": False, "special": True})
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    write_json(folder + "/tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": byte_level, "post_processor": None, "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": [" ".join(pair)] if merges else []}})
    write_json(folder + "/tokenizer_config.json", {
        "tokenizer_class": "GPT2TokenizerFast", "bos_token": "<|begin|>", "eos_token": "<|end|>",
        "add_bos_token": False,
        "chat_template": "{% for m in messages %}<|begin|>{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
                         "{% if add_generation_prompt %}assistant: {% endif %}"})


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


def write_safetensors(path, tensors):
    """tensors: {name: (dtype, shape, bytes)}"""
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name in sorted(tensors):
        dtype, shape, data = tensors[name]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(tensors):
            file.write(tensors[name][2])


def read_safetensors(path):
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    data = content[8 + length:]
    return {name: (entry["dtype"], entry["shape"], data[entry["data_offsets"][0]:entry["data_offsets"][1]])
            for name, entry in header.items()}


def bf16(values):
    wide = array.array("f", values).tobytes()
    narrow = bytearray(len(wide) // 2)
    narrow[0::2] = wide[2::4]
    narrow[1::2] = wide[3::4]
    return bytes(narrow)


def configuration(layers=3, hidden=128, intermediate=256, heads=4, kv_heads=2, head_dim=32):
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCABULARY,
            "hidden_size": hidden, "intermediate_size": intermediate, "num_hidden_layers": layers,
            "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": head_dim,
            "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
            "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False, "bos_token_id": BEGIN,
            "eos_token_id": END, "torch_dtype": "bfloat16"}


def tensor_shapes(config):
    c, shapes = config, {"model.embed_tokens.weight": [VOCABULARY, config["hidden_size"]],
                         "lm_head.weight": [VOCABULARY, config["hidden_size"]],
                         "model.norm.weight": [config["hidden_size"]]}
    width, kv_width = c["num_attention_heads"] * c["head_dim"], c["num_key_value_heads"] * c["head_dim"]
    for layer in range(c["num_hidden_layers"]):
        block = f"model.layers.{layer}."
        shapes[block + "input_layernorm.weight"] = [c["hidden_size"]]
        shapes[block + "post_attention_layernorm.weight"] = [c["hidden_size"]]
        shapes[block + "self_attn.q_proj.weight"] = [width, c["hidden_size"]]
        shapes[block + "self_attn.k_proj.weight"] = [kv_width, c["hidden_size"]]
        shapes[block + "self_attn.v_proj.weight"] = [kv_width, c["hidden_size"]]
        shapes[block + "self_attn.o_proj.weight"] = [c["hidden_size"], width]
        shapes[block + "mlp.gate_proj.weight"] = [c["intermediate_size"], c["hidden_size"]]
        shapes[block + "mlp.up_proj.weight"] = [c["intermediate_size"], c["hidden_size"]]
        shapes[block + "mlp.down_proj.weight"] = [c["hidden_size"], c["intermediate_size"]]
    return shapes


def outer(rng, hidden, first):
    """Rows on Q8_0's grid (each block of 32 holds ±127 once); column 0 tells printable tokens from others."""
    values = []
    for token in range(VOCABULARY):
        row = [max(-127, min(127, round(rng.gauss(0, 40)))) for _ in range(hidden)]
        for at in range(0, hidden, 32):
            row[at + 1 + rng.randrange(31)] = rng.choice((-127, 127))
        row[0] = first(token)
        values += [k / 256 for k in row]
    return values


def model_tensors(config, seed):
    rng, tensors = random.Random(seed), {}
    for name, shape in tensor_shapes(config).items():
        count = math.prod(shape)
        if name == "model.embed_tokens.weight":
            values = outer(rng, shape[1], lambda token: 127)
        elif name == "lm_head.weight":
            values = outer(rng, shape[1], lambda token: 127 if token in PRINTABLE else -127)
        elif "norm" in name:
            values = [1 + 0.1 * (rng.random() - 0.5) for _ in range(count)]
            if name == "model.norm.weight":
                values[0] = 64
        else:
            # Attention says little, so that a token is predicted nearly alike in any context.
            width = (0.3 if name.endswith("o_proj.weight") else 3) / math.sqrt(shape[1])
            values = [width * (rng.random() + rng.random() - 1) for _ in range(count)]
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                values[:shape[1]] = [0] * shape[1]  # the blocks leave column 0 alone
        tensors[name] = ("BF16", shape, bf16(values))
    return tensors


def write_model(folder, seed=1, tokenizer=True, **shape):
    os.makedirs(folder)
    config = configuration(**shape)
    write_json(folder + "/config.json", config)
    write_safetensors(folder + "/model.safetensors", model_tensors(config, seed))
    if tokenizer:
        write_tokenizer(folder)


def write_random_model(folder, seed=1, **shape):
    """As write_model for large shapes: random bytes as bfloat16 numbers of one size, the signs at random."""
    os.makedirs(folder)
    config = configuration(**shape)
    rng, tensors = random.Random(seed), {}
    for name, shape_of in tensor_shapes(config).items():
        count = math.prod(shape_of)
        if "norm" in name:
            data = bf16([1.0] * count)
        else:
            # Sign and mantissa from the random byte, exponents of 2^-6 or 2^-5: |w| between 0.016 and 0.06.
            low = rng.randbytes(count)
            data = bytearray(2 * count)
            data[0::2] = low
            data[1::2] = bytes(0x3C | (byte & 0x80) for byte in rng.randbytes(count))
            data = bytes(data)
        tensors[name] = ("BF16", shape_of, data)
    write_json(folder + "/config.json", config)
    write_safetensors(folder + "/model.safetensors", tensors)
    write_tokenizer(folder)


class Program:
    """torquetum-compress in a folder of the test's own."""

    def __init__(self, path, folder):
        self.path = path
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("TORQUETUM_")}
        self.environment["XDG_CACHE_HOME"] = folder + "/cache"
        self.environment["TMPDIR"] = folder
        self.environment["OMP_NUM_THREADS"] = "1"  # what is tested here is no speed

    def __call__(self, *words, **more):
        """The finished process, its output as text."""
        done = self.raw(*words, **more)
        done.stdout, done.stderr = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        return done

    def raw(self, *words, **more):
        return subprocess.run([self.path, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                              env=self.environment, check=False, **more)

    def start(self, *words):
        return subprocess.Popen([self.path, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment)

    def start_and_fill(self, *words):
        """A process that stands still when it prints: its standard output is a pipe that is full. And the pipe's end."""
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        try:
            while os.write(write_end, b"\0" * 65536):
                pass
        except BlockingIOError:
            os.set_blocking(write_end, True)
        process = subprocess.Popen([self.path, *map(str, words)], stdin=subprocess.DEVNULL, stdout=write_end,
                                   stderr=subprocess.PIPE, env=self.environment)
        os.close(write_end)
        return process, read_end

    def json(self, *words, code=0):
        done = self(*words, "--json")
        if done.returncode != code:
            raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}, wanted {code}\n{done.stderr}")
        return json.loads(done.stdout)


def write_text(program, model, path, documents, tokens, seed=1):
    """What the model says, a line a document (JSON lines)."""
    with open(path, "w", encoding="utf-8") as file:
        for number in range(documents):
            said = program.json("generate", model, "--prompt", f"{number}: ", "--tokens", tokens, "--temperature", 1,
                                "--top-k", 0, "--top-p", 1, "--seed", seed + number, "--threads", 1)
            file.write(json.dumps({"text": said["text"]}) + "\n")


def tree(folder):
    """{name relative to the folder: bytes} of every file below it."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found
