#!/usr/bin/env python3
"""The folders we write, read by other projects: every dequantised tensor equal to ours, bit for bit.

compressed-tensors and plain folders by transformers, GGUF files by the gguf package.

usage: forms_test.py WRITE_FORMS    (a Python with torch, transformers, compressed-tensors and gguf)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import gguf
import numpy
import torch
import transformers
from compressed_tensors.compressors.pack_quantized import PackedQuantizationCompressor
from compressed_tensors.quantization import QuantizationScheme
from safetensors.torch import load_file

BLOCK = {
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}
WHOLE = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
         "lm_head.weight": "output.weight"}


def gguf_name(name):
    if name in WHOLE:
        return WHOLE[name]
    _, _, layer, rest = name.split(".", 3)
    middle, ending = rest.rsplit(".", 1)
    return f"blk.{layer}.{BLOCK[middle]}.{ending}"


def tensors_of_gguf(folder, config):
    """Canonical name to values, q and k of the llama architecture put back from pair order."""
    reader = gguf.GGUFReader(folder / "model.gguf")
    architecture = reader.fields["general.architecture"].contents()

    def read(tensor):
        shape = [int(side) for side in reversed(tensor.shape)]
        return gguf.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32).reshape(shape)

    held = {tensor.name: read(tensor) for tensor in reader.tensors}
    held.pop("rope_freqs.weight", None)

    def values(name):
        array = held.pop(gguf_name(name))
        heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}.get(name.split(".")[-2])
        if architecture == "llama" and heads:
            rows = array.shape[0]
            array = array.reshape(heads, rows // heads // 2, 2, -1).swapaxes(1, 2).reshape(array.shape)
        return torch.from_numpy(array.copy())

    return values, held


def tensors_of_transformers(folder):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    if hasattr(model, "hf_quantizer") and json.loads((folder / "config.json").read_text()).get("quantization_config"):
        with torch.no_grad():  # decompresses as it goes
            model(torch.arange(8)[None])
    state = model.state_dict()
    return model, (lambda name: state[name])


def tensors_of_decompressor(folder):
    """By compressed-tensors' own code, layer by layer: transformers does not load packed zero points yet
    (github.com/vllm-project/llm-compressor issue 1618; the shapes it prepares on the meta device are not packed)."""
    config = json.loads((folder / "config.json").read_text())["quantization_config"]
    (group,) = config["config_groups"].values()
    scheme = QuantizationScheme(**group)
    stored = load_file(folder / "model.safetensors")

    def values(name):
        if name in stored:
            return stored[name].float()
        parts = {key: stored[name.removesuffix("weight") + key] for key in
                 ("weight_packed", "weight_scale", "weight_shape", "weight_zero_point")}
        parts["weight_scale"] = parts["weight_scale"].float()
        return PackedQuantizationCompressor.decompress(parts, scheme)["weight"].float()

    return values


def differences(case):
    config = json.loads((case / "original" / "config.json").read_text())
    for expected_folder in sorted(case.glob("*.expected")):
        form = expected_folder.name.removesuffix(".expected")
        expected = load_file(expected_folder / "model.safetensors")
        wrong = []
        if form == "gguf":
            values, rest = tensors_of_gguf(case / form, config)
            wrong += [name for name, ours in expected.items() if not torch.equal(values(name), ours)]
            wrong += sorted(rest)
        elif form == "compressed-tensors" and "asymmetric" in case.name:
            values = tensors_of_decompressor(case / form)
            wrong += [name for name, ours in expected.items() if not torch.equal(values(name), ours)]
        else:
            model, values = tensors_of_transformers(case / form)
            wrong += [name for name, ours in expected.items() if not torch.equal(values(name), ours)]
            # Activations in W8A8 are quantised on the way; elsewhere the logits are those of the plain weights.
            if "w8a8" not in case.name:
                plain = transformers.AutoModelForCausalLM.from_config(model.config.__class__(**{
                    key: value for key, value in config.items() if key not in ("architectures", "torch_dtype")}))
                plain.load_state_dict(dict(expected), strict=False)
                plain = plain.float().eval()
                window = torch.arange(40)[None] * 7 % config["vocab_size"]
                with torch.no_grad():
                    gap = (plain(window).logits - model.eval()(window).logits).abs().max().item()
                if gap > 1e-3:
                    wrong.append(f"logits differ by {gap}")
        yield form, len(expected), wrong


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-forms-") as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        failed = checked = 0
        for case in sorted(pathlib.Path(folder).iterdir()):
            for form, count, wrong in differences(case):
                checked += 1
                failed += bool(wrong)
                print(f"{'FAILED' if wrong else 'ok    '} {case.name} {form}: {count} tensors {' '.join(wrong[:4])}", flush=True)
        print(f"{checked - failed} of {checked} folders equal")
        sys.exit(1 if failed or not checked else 0)


if __name__ == "__main__":
    main()
