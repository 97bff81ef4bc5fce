#!/usr/bin/env python3
"""Tiny random models made by transformers, each with the logits transformers gives on two windows of random tokens.

usage: make_tiny_models.py OUT    (a Python with torch, transformers and safetensors)

Writes OUT/NAME/{config.json, *.safetensors, golden.json}; golden.json holds {"windows": [[id]], "logits": [window][token][vocab]}.
Each family and option that torquetum-compress knows has a model; the element types, sharding, and both spellings of the
configuration (before transformers 5: rope_theta, rope_scaling, torch_dtype; since: rope_parameters, dtype) are spread over them.
"""
import json
import pathlib
import sys

import torch
import transformers
from transformers import LlamaConfig, MistralConfig, Qwen2Config, Qwen3Config

SMALL = dict(vocab_size=300, hidden_size=64, intermediate_size=112, num_hidden_layers=3, num_attention_heads=8,
             num_key_value_heads=2, max_position_embeddings=256, rms_norm_eps=1e-5, tie_word_embeddings=False)
LLAMA3 = dict(rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16)
LINEAR = dict(rope_type="linear", rope_theta=10000.0, factor=4.0)


def theta(value):
    return dict(rope_type="default", rope_theta=value)


# name: (configuration, options, element type of the file, largest shard, old spelling of config.json)
MODELS = {
    "llama-mha-f32": (LlamaConfig, dict(num_key_value_heads=8), "float32", None, False),
    "llama-gqa-f32-sharded": (LlamaConfig, dict(), "float32", "100KB", True),
    "llama-mqa-bf16": (LlamaConfig, dict(num_key_value_heads=1, rms_norm_eps=1e-6), "bfloat16", None, True),
    "llama-tied-f16": (LlamaConfig, dict(tie_word_embeddings=True, rope_parameters=theta(100000.0)), "float16", None, True),
    "llama-llama3-rope-bf16": (LlamaConfig, dict(rope_parameters=LLAMA3), "bfloat16", "60KB", False),
    "llama-llama3-rope-old-f32": (LlamaConfig, dict(rope_parameters=LLAMA3, tie_word_embeddings=True), "float32", None, True),
    "llama-linear-rope-f32": (LlamaConfig, dict(rope_parameters=LINEAR), "float32", None, False),
    "llama-linear-rope-old-f16": (LlamaConfig, dict(rope_parameters=LINEAR), "float16", None, True),
    "llama-biases-f32": (LlamaConfig, dict(attention_bias=True, mlp_bias=True), "float32", None, False),
    "llama-head-dim-bf16": (LlamaConfig, dict(head_dim=20), "bfloat16", None, False),
    "mistral-head-dim-f32": (MistralConfig, dict(head_dim=16, sliding_window=None), "float32", None, True),
    "mistral-f16-sharded": (MistralConfig, dict(sliding_window=None, rope_parameters=theta(1000000.0)), "float16", "60KB", False),
    "qwen2-f32": (Qwen2Config, dict(rope_parameters=theta(1000000.0)), "float32", None, False),
    "qwen2-tied-bf16": (Qwen2Config, dict(tie_word_embeddings=True, rms_norm_eps=1e-6), "bfloat16", None, True),
    "qwen3-f32": (Qwen3Config, dict(head_dim=24, rope_parameters=theta(1000000.0)), "float32", None, False),
    "qwen3-tied-f16": (Qwen3Config, dict(head_dim=16, tie_word_embeddings=True), "float16", None, True),
    "qwen3-biases-bf16": (Qwen3Config, dict(head_dim=16, attention_bias=True), "bfloat16", None, False),
}


def old_spelling(config, dtype):
    rope = config.pop("rope_parameters", None) or {}
    config["rope_theta"] = rope.pop("rope_theta", 10000.0)
    kind = rope.pop("rope_type", "default")
    config["rope_scaling"] = None if kind == "default" else dict(rope, rope_type=kind)
    config.pop("dtype", None)
    config["torch_dtype"] = dtype
    config["transformers_version"] = "4.44.0"
    return config


def randomise(model):
    """Weights larger than an initialiser's, so that the attention is not flat; norms and biases away from one and zero."""
    for name, parameter in model.named_parameters():
        if name.endswith("norm.weight"):
            parameter.normal_(1.0, 0.3)
        elif name.endswith("bias"):
            parameter.normal_(0.0, 0.3)
        else:
            parameter.normal_(0.0, 1.0 / parameter.shape[-1] ** 0.5)


def make(folder, kind, options, dtype, shard, old, seed):
    torch.manual_seed(seed)
    config = kind(**{**SMALL, **options})
    config._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        randomise(model)
        model = model.to(getattr(torch, dtype))
        model.save_pretrained(folder, **({"max_shard_size": shard} if shard else {}))
        if old:
            path = folder / "config.json"
            path.write_text(json.dumps(old_spelling(json.loads(path.read_text()), dtype), indent=2) + "\n")
        # Read back, so that what is compared is what stands in the files; computed in f32 whatever the file's element type.
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
        windows = [torch.randint(0, config.vocab_size, (length,)) for length in (48, 17)]
        logits = [model(window[None]).logits[0].tolist() for window in windows]
    golden = dict(windows=[window.tolist() for window in windows], logits=logits)
    (folder / "golden.json").write_text(json.dumps(golden))


def main():
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    out = pathlib.Path(sys.argv[1])
    for seed, (name, (kind, options, dtype, shard, old)) in enumerate(MODELS.items()):
        make(out / name, kind, options, dtype, shard, old, seed)


if __name__ == "__main__":
    main()
