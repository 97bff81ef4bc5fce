#!/usr/bin/env python3
"""Two runs that make the same OUT, and the same command after a kill at its very end: compress_again.py PROGRAM"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time

import tiny


class Again:
    def __init__(self, path, folder):
        self.folder, self.out = folder, folder + "/out"
        self.program = tiny.Program(path, folder)
        self.model, self.text = folder + "/model", folder + "/text.jsonl"
        tiny.write_model(self.model, layers=6)
        tiny.write_text(self.program, self.model, self.text, 5, 3600)

    def words(self, *more):
        given = {word for word in more if word.startswith("-")}
        words = ["run", self.model, "--text", self.text, "--method", "rtn", "--format", "int8",
                 "--group", "32", "--no-speed", "--quiet", "--json"]
        for option, value in (("-o", self.out), ("--threads", "0"), ("--max-loss", "50%"), ("--rounds", "50")):
            words += [] if option in given else [option, value]
        return words + list(more)

    def left(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith((".out", "out")))

    def refused(self, text, *more):
        done = self.program(*self.words(*more))
        assert done.returncode == 1 and text in done.stderr, (done.returncode, done.stderr)

    def side_by_side(self):
        """The second run is refused at once, whatever its work folder; the first is not disturbed."""
        first = self.program.start(*self.words())
        # The claim's file is there before it is locked; what comes after the lock says that it is.
        while not os.path.exists(self.folder + "/out-work") and first.poll() is None:
            time.sleep(0.001)
        first.send_signal(signal.SIGSTOP)
        assert first.poll() is None, "it ended before it could be stopped"
        before = self.left()
        self.refused("another run is making this output", "--work", self.folder + "/other-work")
        other_name = self.folder + "/here/../out"
        os.mkdir(self.folder + "/here")
        self.refused("another run is making this output", "--work", self.folder + "/other-work", "-o", other_name)
        assert self.left() == before and not os.path.exists(self.folder + "/other-work"), self.left()
        first.send_signal(signal.SIGCONT)
        _, said = first.communicate()
        assert first.returncode == 0, said
        assert self.left() == ["out", "out-report"], self.left()
        # A claim that a killed run left is free.
        self.whole, self.report = tiny.tree(self.out), tiny.tree(self.out + "-report")
        shutil.rmtree(self.out)
        with open(self.folder + "/.out.torquetum-run", "w", encoding="utf-8"):
            pass
        self.said = json.loads(self.program(*self.words()).stdout)
        assert tiny.tree(self.out) == self.whole and self.left() == ["out", "out-report"], self.left()

    def kill_at_the_end(self):
        """OUT is in place, the work folder is not removed yet."""
        shutil.rmtree(self.out, ignore_errors=True)
        process, pipe = self.program.start_and_fill(*self.words())
        while not os.path.exists(self.out) and process.poll() is None:
            time.sleep(0.001)
        process.kill()
        _, said = process.communicate()
        os.close(pipe)
        assert process.returncode == -signal.SIGKILL, said
        assert self.left() == [".out.torquetum-run", "out", "out-report", "out-work"], self.left()
        assert os.path.exists(self.out + "-work/checkpoint.json")

    def finishes(self, *more):
        done = self.program(*self.words(*more))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == self.said, done.stdout
        assert tiny.tree(self.out) == self.whole, "other bytes"
        assert self.left() == ["out", "out-report"], self.left()

    def killed_at_the_end(self):
        self.kill_at_the_end()
        with open(self.out + "-work/checkpoint.json", encoding="utf-8") as file:
            threads = json.load(file)["fingerprint"]["threads"]
        assert threads == len(os.sched_getaffinity(0)), threads
        # Another command, or another OUT, is not what was done.
        for option, value in (("--max-loss", "60%"), ("--rounds", "51"), ("--write", "gguf"), ("--seed", "2"),
                              ("--report", self.folder + "/out-report-2")):
            self.refused("the output exists already", option, value)
        assert self.left() == [".out.torquetum-run", "out", "out-report", "out-work"], self.left()
        self.finishes("--threads", str(threads))  # the same number as 0 stands for
        self.refused("the output exists already")
        assert self.left() == ["out", "out-report"], self.left()

        self.kill_at_the_end()  # and once more while the work folder is removed
        os.remove(self.out + "-work/checkpoint.json")
        os.remove(self.out + "-work/layer-00002.safetensors")
        self.finishes()
        self.kill_at_the_end()
        shutil.rmtree(self.out + "-work")
        self.finishes()

        self.kill_at_the_end()
        card = self.out + "/compressed-tensors/README.md"
        with open(card, "a", encoding="utf-8") as file:
            file.write("changed\n")
        self.refused("the output exists already, and was made by another command or changed since")
        shutil.rmtree(self.out)  # what the message advises: then it is made again
        self.finishes()

        self.kill_at_the_end()  # a record cut short tells of nothing
        with open(self.folder + "/.out.torquetum-run", "r+b") as file:
            file.truncate(100)
        self.refused("the output exists already")
        shutil.rmtree(self.out)
        self.finishes()


def main():
    with tempfile.TemporaryDirectory(prefix="torquetum-e2e-") as folder:
        again = Again(sys.argv[1], folder)
        again.side_by_side()
        again.killed_at_the_end()


if __name__ == "__main__":
    main()
