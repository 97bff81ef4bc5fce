#!/usr/bin/env python3
"""A GPTQ run that is killed twenty times gives the bytes of one that is not: compress_resume.py PROGRAM"""

import os
import shutil
import signal
import sys
import tempfile
import time

import tiny


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-e2e-") as folder:
        program = tiny.Program(sys.argv[1], folder)
        model, text, out = folder + "/model", folder + "/text.jsonl", folder + "/out"
        tiny.write_model(model, layers=6)
        tiny.write_text(program, model, text, 5, 3600)

        def words(*more, to=out):
            return ["run", model, "-o", to, "--text", text, "--method", "gptq", "--format", "int4", "--group", "32",
                    "--calibration-windows", "8", "--calibration-length", "128", "--threads", "1", "--no-speed",
                    "--max-loss", "50%", "--rounds", "50", "--write", "compressed-tensors,gguf", "--quiet", *more]

        started = time.monotonic()
        done = program(*words())
        length = time.monotonic() - started
        assert done.returncode == 0, done.stderr
        whole = tiny.tree(out)
        assert len(whole) > 5 and not os.path.exists(out + "-work")
        shutil.rmtree(out)

        # Killed at moments spread over the whole run, then left to go on, until twenty kills have hit.
        rng, kills, finished, resumed = tiny.random.Random(7), 0, 0, 0
        while kills < 20:
            process = program.start(*words())
            try:
                process.wait(rng.uniform(0.02, 1.0) * length)
            except tiny.subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills += 1
            _, said = process.communicate()
            if process.returncode == -signal.SIGKILL:
                resumed += os.path.exists(out + "-work/layer-00000.safetensors")
            else:
                assert process.returncode == 0, said.decode()
            if os.path.exists(out):  # done, the kill hit after it or not at all
                finished += 1
                assert tiny.tree(out) == whole, "other bytes after a kill"
                shutil.rmtree(out)
                shutil.rmtree(out + "-work", ignore_errors=True)
        done = program(*words())
        assert done.returncode == 0, done.stderr
        assert tiny.tree(out) == whole, "other bytes after the last kill"
        left = [name for name in os.listdir(folder) if "part" in name or "work" in name]
        assert left == [], left
        assert resumed > 0, "no kill left anything to go on from"
        print(f"{kills} kills, {resumed} of them with blocks done, {finished + 1} runs came to the end")
        shutil.rmtree(out)

        # SIGTERM: 75, a checkpoint, no result; other options are refused; the same go on.
        process = program.start(*words())
        while not os.path.exists(out + "-work/layer-00001.safetensors") and process.poll() is None:
            time.sleep(0.002)
        process.terminate()
        _, said = process.communicate()
        if process.returncode == 75:
            assert b"stopped" in said, said
            assert os.path.exists(out + "-work/checkpoint.json") and not os.path.exists(out)
            other = program(*[word if word != "int4" else "int3" for word in words() if word != "--write"
                              and word != "compressed-tensors,gguf"])
            assert other.returncode == 1 and "the checkpoint is of other work: plan." in other.stderr, other.stderr
            assert "--work" in other.stderr and not os.path.exists(out)
        else:  # it was quicker than the signal
            assert process.returncode == 0, said
            shutil.rmtree(out)
        done = program(*words())
        assert done.returncode == 0, done.stderr
        assert tiny.tree(out) == whole, "other bytes after SIGTERM"


if __name__ == "__main__":
    main()
