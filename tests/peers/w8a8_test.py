#!/usr/bin/env python3
"""W8A8 on our plain path beside transformers with compressed-tensors, layer by layer and as a whole.

Each linear layer of the blocks gets the same input here and there, what the plain path feeds it. At most 1e-4 of the activations' codes
differ, by one step (ties of f32 arithmetic); the outputs agree within 1e-5 of the layer's largest, those codes apart: where a token has
such a code, our output is compared with their weight times our codes. And the mean likelihood agrees within 0.3 %.

usage: w8a8_test.py PROGRAMS [FOLDER [WINDOWS.json]]    (a Python with torch, transformers and compressed-tensors)
PROGRAMS holds write_forms, w8a8_layers and plain_scores. Without FOLDER, a W8A8 folder as we write it, tiny random models.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from compressed_tensors.quantization.lifecycle.forward import forward_quantize
from safetensors.torch import load_file

OUTPUT_WITHIN, CODES_OFF, LIKELIHOOD_WITHIN = 1e-5, 1e-4, 3e-3


def codes_of(quantised, scale):
    codes = quantised / scale
    assert (codes - codes.round()).abs().max() < 1e-3, "no multiple of the scale"
    return codes.round()


def compare_layers(model, seen):
    """Names of layers that differ, the share of codes that do, and the largest distance of an output, over its layer's largest."""
    wrong, codes, off, furthest = [], 0, 0, 0.0
    for name in sorted({key.rsplit(".", 1)[0] for key in seen}):
        module = model.get_submodule(name.removesuffix(".weight"))
        ours_in, ours, value = (seen[f"{name}.{part}"] for part in ("quantised", "output", "input"))
        # A batch of one: they take the first of two dimensions for the batch.
        theirs_in = forward_quantize(module, value[None], "input", module.quantization_scheme.input_activations)[0]
        theirs = module(value[None])[0]
        scale = value.abs().amax(-1, keepdim=True) / 127.5
        steps = (codes_of(ours_in, scale) - codes_of(theirs_in, scale)).abs()
        same = steps.amax(-1) == 0
        wanted = torch.where(same[:, None], theirs, torch.nn.functional.linear(ours_in, module.weight, module.bias))
        distance = ((ours - wanted).abs().max() / theirs.abs().max()).item()
        codes, off, furthest = codes + steps.numel(), off + int(steps.sum()), max(furthest, distance)
        if distance > OUTPUT_WITHIN or steps.max() > 1:
            wrong.append(f"{name}: {distance:.1e}, steps {int(steps.max())}")
    return wrong, off / codes, furthest


def likelihood(model, windows):
    total, count = 0.0, 0
    for window in windows:
        logits = model(torch.tensor(window)[None]).logits[0, :-1]
        total += torch.nn.functional.cross_entropy(logits, torch.tensor(window[1:]), reduction="sum").item()
        count += len(window) - 1
    return total / count


def check(programs, folder, windows, layer_windows):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad(), tempfile.TemporaryDirectory(prefix="torquetum-w8a8-") as made:
        theirs = likelihood(model, windows)  # the first forward also unpacks the weights
        tokens = pathlib.Path(made, "tokens.json")
        tokens.write_text(json.dumps({"windows": layer_windows}))
        subprocess.run([programs / "w8a8_layers", folder, tokens, made], check=True)
        wrong, off, furthest = compare_layers(model, load_file(pathlib.Path(made, "model.safetensors")))
        tokens.write_text(json.dumps({"windows": windows}))
        ours = json.loads(subprocess.run([programs / "plain_scores", folder, tokens, "--threads", "1"], check=True,
                                         capture_output=True, text=True).stdout)["nll_per_token"]
    if off > CODES_OFF:
        wrong.append(f"{off:.1e} of the codes differ")
    if abs(ours / theirs - 1) > LIKELIHOOD_WITHIN:
        wrong.append(f"likelihood {ours} and {theirs}")
    print(f"{'FAILED' if wrong else 'ok    '} {folder}: outputs within {furthest:.1e}, {off:.1e} of the codes off by a step, "
          f"{ours:.5f} nats a token and {theirs:.5f} {'; '.join(wrong[:4])}", flush=True)
    return not wrong


def main():
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    programs = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        windows = json.loads(pathlib.Path(sys.argv[3]).read_text())["windows"]
        sys.exit(not check(programs, pathlib.Path(sys.argv[2]), windows, [windows[0][:64]]))
    with tempfile.TemporaryDirectory(prefix="torquetum-forms-") as made:
        subprocess.run([programs / "write_forms", made], check=True)
        cases = sorted(pathlib.Path(made).glob("*-int8-w8a8"))
        random = torch.Generator().manual_seed(3)
        windows = torch.randint(0, 96, (6, 100), generator=random).tolist()
        good = [check(programs, case / "compressed-tensors", windows, windows) for case in cases]
        sys.exit(not good or not all(good))


if __name__ == "__main__":
    main()
