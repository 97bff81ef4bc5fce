#!/usr/bin/env python3
"""Every verdict that torquetum compress run comes to, its report, and its files loaded again: compress_run.py PROGRAM"""

import json
import os
import sys
import tempfile

import tiny


class Runs:
    def __init__(self, path, folder):
        self.folder, self.out = folder, folder + "/out"
        self.program = tiny.Program(path, folder)
        self.model, self.text = folder + "/model", folder + "/text.jsonl"
        tiny.write_model(self.model)
        tiny.write_text(self.program, self.model, self.text, 9, 3000)

    def run(self, name, code, verdict, *words):
        """A run's JSON, with what must be true of every verdict checked."""
        out = f"{self.folder}/{name}"
        text = () if "--text" in words else ("--text", self.text)
        said = self.program.json("run", self.model, "-o", out, *text, "--group", "32", "--threads", "1", *words,
                                 code=code)
        with open(out + "-report/report.json", encoding="utf-8") as file:
            report = json.load(file)
        assert said["verdict"] == verdict and report["verdict"] == verdict, (name, said["verdict"], said["sentence"])
        assert said["report"] == out + "-report/report.json" and said["loss"] == report["data"]["loss"]
        assert said["loss_low"] < said["loss"] < said["loss_high"], said
        with open(out + "-report/report.html", encoding="utf-8") as file:
            page = file.read()
        assert page.startswith("<!doctype html>") and verdict in page, page[:200]
        kept = code == 0
        assert os.path.isdir(out) == kept, f"{name}: {out}"
        assert said["out"] == (out if kept else None), said["out"]
        assert not os.path.exists(out + "-work"), f"{name}: the work folder stays"
        assert not [entry for entry in os.listdir(self.folder) if "part" in entry], os.listdir(self.folder)
        return said

    def rolled_back_and_undecided(self):
        said = self.run("rolled", 2, "rolled-back", "--format", "int3", "--method", "rtn", "--max-loss", "3%",
                        "--no-speed")
        assert said["loss_low"] > 0.03 and said["rounds"] == 50, said["sentence"]
        # Allowed exactly what it loses, no window says more on either side.
        loss = self.run("all", 2, "rolled-back", "--format", "int3", "--method", "rtn", "--max-loss", "3%",
                        "--no-speed", "--all-rounds")["loss"]
        said = self.run("near", 2, "undecided", "--format", "int3", "--method", "rtn", "--max-loss", repr(loss),
                        "--no-speed")
        assert "Undecided" in said["sentence"] and said["rounds"] > 50, said["sentence"]

    def accepted(self):
        """Three forms of one run: they load, and are equally good."""
        forms = {"compressed-tensors": "", "gguf": "/model.gguf", "safetensors": ""}
        said = self.run("kept", 0, "accepted", "--format", "int4", "--method", "gptq", "--max-loss", "5%",
                        "--calibration-windows", "16", "--calibration-length", "128", "--write", ",".join(forms),
                        "--prompt", "0: a")
        judged = said["attempts"][0]["forms"]
        assert set(judged) == set(forms)
        assert {"original", "compressed"} == set(said["speed"]), said["speed"]
        losses = {form: judged[form]["compressed"]["nll_per_token"] for form in forms}
        # The embeddings and the head of this model are exact in every form, so the blocks decide alone.
        for form, loss in losses.items():
            assert abs(loss - losses["safetensors"]) < 2e-6, losses
        original = self.program.json("evaluate", self.model, "--text", self.text, "--context", "256", "--threads", "1")
        scores = {}
        for form, file in forms.items():
            path = f"{self.folder}/kept/{form}{file}"
            scores[form] = self.program.json("evaluate", path, "--text", self.text, "--context", "256", "--threads",
                                             "1")
            assert scores[form]["tokens"] == original["tokens"]
            assert abs(scores[form]["nll_per_token"] - scores["compressed-tensors"]["nll_per_token"]) < 2e-6, scores
        # The same windows once more: compare, on the windows' mean losses that the report keeps.
        both = self.program.json("compare", self.model, f"{self.folder}/kept/gguf", "--text", self.text, "--context",
                                 "256", "--threads", "1")
        assert abs(both["compressed"]["nll_per_token"] - scores["gguf"]["nll_per_token"]) < 2e-6, both
        assert both["loss_low"] < both["loss"] < both["loss_high"] and both["kl_mean"] > 0
        assert abs(both["loss"] - said["loss"]) < 0.01, (both["loss"], said["loss"])
        continued = [self.program.json("generate", f"{self.folder}/kept/{form}{file}", "--prompt", "0: a",
                                       "--temperature", "0", "--tokens", "8", "--threads", "1")["tokens"]
                     for form, file in forms.items()]
        assert len(continued[0]) == 8 and continued[0] == continued[2], continued
        with open(f"{self.folder}/kept/compressed-tensors/README.md", encoding="utf-8") as file:
            assert "GPTQ" in file.read()

    def reloaded(self):
        """A verdict on documents that are one window each can be worked out again from OUT alone."""
        alone = self.folder + "/alone.jsonl"
        with open(self.text, encoding="utf-8") as file:
            text = "".join(json.loads(line)["text"] for line in file)
        plain = "".join(character for character in text if 0x20 <= ord(character) < 0x7F)
        with open(alone, "w", encoding="utf-8") as file:
            for at in range(0, len(plain) - 256, 256):
                file.write(json.dumps({"text": plain[at:at + 256]}) + "\n")
        said = self.run("again", 0, "accepted", "--format", "int8", "--method", "rtn", "--max-loss", "20%",
                        "--no-speed", "--all-rounds", "--text", alone)
        for model, kept in ((self.model, "original"), (self.folder + "/again/compressed-tensors", "compressed")):
            found = self.program.json("evaluate", model, "--documents", alone, "--context", "256", "--threads", "1")
            judged = said["attempts"][0]["forms"]["compressed-tensors"][kept]
            assert abs(found["nll_per_token"] - judged["nll_per_token"]) < 1e-6, (found, judged)
            assert abs(found["top1"] - judged["top1"]) < 1e-9, (found, judged)

    def repaired(self):
        said = self.run("mended", 0, "repaired", "--format", "int4", "--method", "rtn", "--max-loss", "1.5%",
                        "--repair", "--no-speed", "--write", "compressed-tensors,gguf")
        first, last = said["attempts"][0], said["attempts"][-1]
        assert first["raised_parts"] == 0 < last["raised_parts"] and 2 <= len(said["attempts"]) <= 4
        assert 4.5 < said["average_bits"] < 8.5 and said["uniform"]["bits"] >= 4
        assert said["loss_high"] < 0.015
        loaded = self.program.json("inspect", self.folder + "/mended/gguf/model.gguf")
        kinds = {tensor["stored_as"] for tensor in loaded["tensors"] if "_proj" in tensor["name"]}
        assert kinds == {"Q4_0", "Q8_0"}, kinds


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-e2e-") as folder:
        runs = Runs(sys.argv[1], folder)
        runs.rolled_back_and_undecided()
        runs.accepted()
        runs.reloaded()
        runs.repaired()


if __name__ == "__main__":
    main()
