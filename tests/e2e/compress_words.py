#!/usr/bin/env python3
"""The other commands of torquetum compress, and what --help says: compress_words.py PROGRAM"""

import json
import sys
import tempfile

import tiny


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-e2e-") as folder:
        program = tiny.Program(sys.argv[1], folder)
        model, text = folder + "/model", folder + "/text.jsonl"
        tiny.write_model(model, layers=2)
        tiny.write_text(program, model, text, 4, 4500)

        found = program.json("inspect", model)
        assert found["family"] == "llama" and found["layers"] == 2 and found["vocab"] == tiny.VOCABULARY
        assert found["groups"] == "32, 64, 128" and found["bf16_bytes"] == found["stored_bytes"]
        assert len(found["tensors"]) == len(tiny.tensor_shapes(tiny.configuration(layers=2)))
        assert "2 blocks, hidden 128" in program("inspect", model).stdout

        score = program.json("evaluate", model, "--text", text, "--context", "128", "--windows", "5", "--threads", "1")
        assert score["tokens"] == 5 * 127 and 2 < score["nll_per_token"] < 4, score
        assert "perplexity" in program("evaluate", model, "--text", text, "--windows", "2", "--quiet").stdout
        begun = program.json("evaluate", model, "--documents", text, "--context", "64", "--bos", "--eos")
        assert begun["tokens"] == 4 * 63, begun
        choices = folder + "/choices.jsonl"
        with open(choices, "w", encoding="utf-8") as file:
            for answer in (0, 1, 0):
                file.write(json.dumps({"context": "abc", "choices": ["d", "e"], "answer": answer}) + "\n")
        found = program.json("evaluate", model, "--choices", choices)
        assert found["questions"] == 3, found

        same = program.json("compare", model, model, "--text", text, "--context", "128", "--windows", "4")
        assert same["loss"] == 0 and same["agreement"] == 1 and abs(same["kl_mean"]) < 1e-6, same
        assert "same first choice 100.00 %" in program("compare", model, model, "--text", text, "--windows", "2").stdout

        said = [program.json("generate", model, "--prompt", "ab", "--tokens", "12", "--temperature", "1", "--seed", seed,
                             "--threads", "1") for seed in (1, 1, 2)]
        assert said[0] == said[1] != said[2] and len(said[0]["tokens"]) == 12, said
        greedy = program("generate", model, "--prompt", "ab", "--tokens", "12", "--temperature", "0")
        assert greedy.returncode == 0 and len(greedy.stdout) >= 12
        chat = program.json("generate", model, "--chat", "--system", "s", "--prompt", "hello", "--tokens", "3")
        assert len(chat["tokens"]) == 3, chat
        refused = program("generate", model, "--prompt", "a" * 9000)
        assert refused.returncode == 1 and "8192" in refused.stderr, refused.stderr

        speed = program.json("speed", model, "--prompt", "16", "--decode", "8", "--repeats", "1", "--threads", "1")
        assert speed["decode_tokens_per_s"] > 0 and speed["weights_bytes"] > 0 and speed["threads"] == 1, speed

        # A look ahead: everything checked, nothing written. Options that may be given again take one value each.
        words = ["run", "--ignore", "*o_proj", model, "-o", folder + "/out", "--text", text, "--group", "32", "--write",
                 "gguf,safetensors", "--calibration-windows", "8", "--calibration-length", "64", "--dry-run"]
        ahead = program.json(*words)
        assert [form["form"] for form in ahead["writes"]] == ["gguf", "safetensors"], ahead
        assert "llama.cpp" in " ".join(ahead["writes"][0]["engines"]) and ahead["windows"]["calibration"] == 8
        assert ahead["memory_bytes"] > 0 and ahead["disk_bytes"] > ahead["kept_bytes"] > 0
        plain = program(*words)
        assert all(word in plain.stdout for word in ("memory", "disk", "time", "loads in")), plain.stdout
        left = {name for name in tiny.os.listdir(folder) if "out" in name}
        assert not left, left

        # Every option of every command says what it does.
        for word in ("inspect", "evaluate", "run", "compare", "generate", "speed"):
            page = program(word, "--help").stdout
            lines = page.splitlines() + [""]
            options = 0
            for line, after in zip(lines, lines[1:]):
                if not line.startswith("  -"):
                    continue
                options += 1
                # The description stands behind two blanks, or alone on the next line.
                described = "  " in line.strip() or after.startswith(" " * 20)
                assert described, f"{word}: nothing says what this does: {line}"
            assert options >= 3, page


if __name__ == "__main__":
    main()
