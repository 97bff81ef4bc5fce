#!/usr/bin/env python3
"""Peak memory does not grow with the number of blocks, measuring and continuing included: compress_memory.py PROGRAM"""

import json
import os
import sys
import tempfile
import time

import tiny

# A block is 0.7 MB in bf16 and 1.5 MB in f32: 24 blocks more that stay would show as 18 MB or 36 MB.
WIDTHS = {"hidden": 192, "intermediate": 384, "heads": 6, "kv_heads": 6, "head_dim": 32}


def peak_mb(program, words, out):
    """Largest resident set of the run's own process, mapped pages included, when it has all behind it but printing."""
    process, pipe = program.start_and_fill(*words)
    while not os.path.exists(out) and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, process.stderr.read()
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
    process.kill()
    process.communicate()
    os.close(pipe)
    return peak / 1024


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-e2e-") as folder:
        program = tiny.Program(sys.argv[1], folder)
        # The allocator gives freed memory back at once, so that its habits do not blur the figures.
        program.environment |= {"MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_MMAP_THRESHOLD_": "65536"}
        rng, text = tiny.random.Random(5), folder + "/text.txt"
        with open(text, "w", encoding="utf-8") as file:
            for line in range(180):
                file.write("".join(rng.choice("abcdefghij klmnop") for _ in range(99)) + "\n" * (1 + (line % 10 == 9)))
        peaks = {}
        for layers in (8, 32):
            model, out = folder + f"/model-{layers}", folder + f"/out-{layers}"
            tiny.write_random_model(model, layers=layers, **WIDTHS)
            peaks[layers] = peak_mb(program, ["run", model, "-o", out, "--text", text, "--method", "gptq", "--format",
                                              "int8", "--group", "32", "--calibration-windows", "4",
                                              "--calibration-length", "64", "--threads", "1", "--rounds", "50",
                                              "--max-loss", "90%", "--quiet", "--json"], out)
            with open(out + "-report/report.json", encoding="utf-8") as file:
                report = json.load(file)
            # Both were measured and continued, in processes of their own.
            assert "speed" in report["data"] and "Side by side" in json.dumps(report), report["data"]["warnings"]
        print(f"{peaks[8]:.0f} MB with 8 blocks, {peaks[32]:.0f} MB with 32")
        assert abs(peaks[32] - peaks[8]) < 0.05 * peaks[8], peaks


if __name__ == "__main__":
    main()
