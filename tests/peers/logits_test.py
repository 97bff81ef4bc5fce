#!/usr/bin/env python3
"""Logits of the plain decoder within 1e-4 of transformers', for each family and option that make_tiny_models.py makes.

usage: logits_test.py PLAIN_SCORES    (a Python with torch, transformers and safetensors)
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WITHIN = 1e-4


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-tiny-") as folder:
        subprocess.run([sys.executable, HERE / "make_tiny_models.py", folder], check=True)
        models = sorted(pathlib.Path(folder).iterdir())
        failed = 0
        for model in models:
            command = [sys.argv[1], model, model / "golden.json", "--threads", "1"]
            done = subprocess.run(command, capture_output=True, text=True)
            difference = json.loads(done.stdout)["logit_difference"] if done.returncode == 0 else None
            good = difference is not None and difference <= WITHIN
            failed += not good
            print(f"{'ok    ' if good else 'FAILED'} {model.name}: {done.stderr.strip() or f'{difference:.1e}'}")
        print(f"{len(models) - failed} of {len(models)} within {WITHIN}")
        sys.exit(1 if failed or not models else 0)


if __name__ == "__main__":
    main()
