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


def write_every_type(path):
    """A GGUF file with a tensor of each block type that is read, random bits in it, finite scales."""
    types = gguf.GGMLQuantizationType
    half_places = {types.Q4_0: [0], types.Q4_1: [0, 2], types.Q8_0: [0], types.Q4_K: [0, 2], types.Q6_K: [208]}
    random = numpy.random.default_rng(3)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(256)
    writer.add_block_count(1)
    writer.add_feed_forward_length(512)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)

    def add(name, rows, columns, kind):
        if kind in half_places:
            values, size = gguf.GGML_QUANT_SIZES[kind]
            blocks = random.integers(0, 256, (rows, columns // values, size), dtype=numpy.uint8)
            for place in half_places[kind]:
                scales = random.standard_normal((rows, columns // values, 1)).astype(numpy.float16)
                blocks[..., place:place + 2] = scales.view(numpy.uint8)
            writer.add_tensor(name, blocks.reshape(rows, -1), raw_dtype=kind)
            return
        values = random.standard_normal((rows, columns)).astype(numpy.float32)
        writer.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)

    add("token_embd.weight", 16, 256, types.Q6_K)
    for name, rows, columns, kind in [
            ("attn_q", 256, 256, types.Q4_K), ("attn_k", 128, 256, types.Q6_K), ("attn_v", 128, 256, types.Q4_0),
            ("attn_output", 256, 256, types.Q4_1), ("ffn_gate", 512, 256, types.Q8_0), ("ffn_up", 512, 256, types.BF16),
            ("ffn_down", 256, 512, types.F16)]:
        add(f"blk.0.{name}.weight", rows, columns, kind)
    for name in ["blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"]:
        writer.add_tensor(name + ".weight", random.standard_normal(256).astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def every_type_differences(program, folder):
    folder.mkdir()
    write_every_type(folder / "model.gguf")
    subprocess.run([program, folder / "expected", folder / "model.gguf"], check=True)
    expected = load_file(folder / "expected" / "model.safetensors")
    values, rest = tensors_of_gguf(folder, {"num_attention_heads": 4, "num_key_value_heads": 2})
    return len(expected), [name for name, ours in expected.items() if not torch.equal(values(name), ours)] + sorted(rest)


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-forms-") as folder:
        count, wrong = every_type_differences(sys.argv[1], pathlib.Path(folder, "types"))
        print(f"{'FAILED' if wrong else 'ok    '} every block type of gguf: {count} tensors {' '.join(wrong[:4])}", flush=True)
        failed, checked = int(bool(wrong)), 1
        written = pathlib.Path(folder, "written")
        subprocess.run([sys.argv[1], written], check=True)
        for case in sorted(written.iterdir()):
            for form, count, wrong in differences(case):
                checked += 1
                failed += bool(wrong)
                print(f"{'FAILED' if wrong else 'ok    '} {case.name} {form}: {count} tensors {' '.join(wrong[:4])}", flush=True)
        print(f"{checked - failed} of {checked} folders equal")
        sys.exit(1 if failed or not checked else 0)


if __name__ == "__main__":
    main()
