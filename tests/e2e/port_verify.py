#!/usr/bin/env python3
"""torquetum port verify as a user runs it. usage: port_verify.py TORQUETUM-PORT PORT-MUTANTS"""

import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, MUTANTS = sys.argv[1], sys.argv[2]
CASES = pathlib.Path(__file__).resolve().parent.parent / "cases" / "port" / "verify"
SOURCE, HARNESS = CASES / "elementwise.cu", CASES / "elementwise.toml"


def verify(*arguments, code=0):
    done = subprocess.run([PROGRAM, "verify", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
    return done


def statuses_and_form():
    rows = json.loads(verify(SOURCE, "--harness", HARNESS, "--json").stdout)
    found = {row["kernel"]: row for row in rows}
    assert list(found) == ["saxpy", "reverse_rows", "block_sum", "reads_past_the_end"], list(found)
    for name in ("saxpy", "reverse_rows", "block_sum"):
        assert found[name]["status"] == "agrees", found[name]
        assert found[name]["origin"] == "harness elementwise.toml"
        assert "__is_mpu" in found[name]["assumes"], found[name]
    fault = found["reads_past_the_end"]
    assert fault["status"] == "original-fault" and "out-of-bounds" in fault["reason"] and fault["fault_line"] == 29, fault
    assert all(row["file"].endswith("elementwise.cu") and row["line"] > 0 and row["tier"] in ("A", "B", "C", "D") for row in rows)


def a_wrong_translation_is_told_apart(folder):
    out = folder / "out"
    subprocess.run([PROGRAM, "translate", SOURCE, "-o", out], check=True, capture_output=True)
    wrong = folder / "wrong.mlu"
    text = (out / "elementwise.mlu").read_text()
    saxpy = text.index("__bang_add(", text.index("void saxpy"))
    wrong.write_text(text[:saxpy] + text[saxpy:].replace("__bang_add(", "__bang_sub(", 1))
    report = folder / "report"
    done = verify(SOURCE, "--harness", HARNESS, "--kernel", "saxpy", "--translation", wrong, "--json", "--report", report, code=2)
    (row,) = json.loads(done.stdout)
    assert row["status"] == "differs" and "y[" in row["reason"], row
    assert row["smallest"].endswith("n = 1"), row
    assert json.loads((report / "report.json").read_text())["data"][0]["kernel"] == "saxpy"
    assert "saxpy" in (report / "report.html").read_text()


def a_translation_that_leaves_its_buffers_is_a_failed_check(folder):
    out = folder / "whole"
    subprocess.run([PROGRAM, "translate", SOURCE, "-o", out], check=True, capture_output=True)
    text = (out / "elementwise.mlu").read_text()
    begin = text.index("if (__is_mpu()) return;", text.index("void saxpy"))
    for body, said in (
        ("y[n] = a;", "out-of-bounds"),
        ("y[1l << 40] = a;", "in no memory of the device"),
        ("__memcpy(y + n - 1, x, 256, GDRAM2GDRAM);", "out-of-bounds"),
        ("*(float*)8 = a;", "in no memory of the device"),
        ("for (volatile int i = 0; i < 1; i = 0) y[0] = a;", "ran for more than"),
    ):
        wrong = folder / "leaves.mlu"
        wrong.write_text(f"{text[:begin]}if (taskId == 0) {{ {body} }}\n  {text[begin:]}")
        done = verify(SOURCE, "--harness", HARNESS, "--kernel", "saxpy", "--translation", wrong, "--json", "--seconds", "1", code=2)
        (row,) = json.loads(done.stdout)
        assert row["status"] == "differs" and said in row["reason"], (body, row)


def without_a_harness_the_launch_is_guessed():
    (row,) = json.loads(verify(SOURCE, "--kernel", "saxpy", "--json").stdout)
    assert row["status"] == "agrees" and row["origin"].startswith("guessed"), row


def every_branch_is_run_or_named():
    rows = json.loads(verify(CASES / "branches.cu", "--harness", CASES / "branches.toml", "--json").stdout)
    found = {row["kernel"]: row for row in rows}
    for name in ("guarded", "proven"):
        assert found[name]["status"] == "agrees" and not found[name]["notes"], found[name]
        assert found[name]["branches"] == found[name]["branches_run"] > 0, found[name]
    hidden = found["hidden"]
    assert hidden["status"] == "not-run" and hidden["branches"] - hidden["branches_run"] == 1, hidden
    assert hidden["reason"] == "code of it was never run: branches.cu:14:7: the condition was never true", hidden


def what_clang_does_not_survive_is_left_out(folder):
    sources = folder / "deep"
    sources.mkdir()
    (sources / "deep.cu").write_text("int deep = " + "1 + " * 300000 + "1;\n")
    (sources / "other.cu").write_text("__global__ void other(int* x) { x[threadIdx.x] = 1; }\nvoid run(int* x) { other<<<1, 32>>>(x); }\n")
    done = subprocess.run([PROGRAM, "translate", sources, "-o", folder / "rest"], capture_output=True, text=True)
    assert done.returncode == 0 and "not read  Clang ended by signal" in done.stdout, done.stdout + done.stderr
    assert (folder / "rest" / "other.mlu").exists() and "**Not read.** Clang ended" in (folder / "rest" / "PORTING.md").read_text()
    rows = json.loads(verify(sources, "--json").stdout)
    assert [(row["kernel"], row["status"]) for row in rows] == [("", "not-run"), ("other", "agrees")], rows


def refusals(folder):
    text = HARNESS.read_text().replace('element = "f32"', 'element = "float"', 1)
    bad = folder / "bad.toml"
    bad.write_text(text)
    done = verify(SOURCE, "--harness", bad, code=1)
    assert "there is no element type 'float' (" in done.stderr and "bad.toml:" in done.stderr, done.stderr
    done = verify(folder / "none.cu", code=1)
    assert "none.cu" in done.stderr, done.stderr


def planted_faults_are_found():
    done = subprocess.run([MUTANTS, SOURCE, HARNESS, "12", "5"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    last = done.stdout.strip().split("\n")[-1]
    caught, all_of_them = int(last.split()[1]), int(last.split()[3].rstrip(","))
    # Some slips change nothing: a loop over a dimension of length one that runs twice writes the same again.
    assert all_of_them >= 8 and 10 * caught >= 7 * all_of_them, done.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        statuses_and_form()
        a_wrong_translation_is_told_apart(folder)
        a_translation_that_leaves_its_buffers_is_a_failed_check(folder)
        without_a_harness_the_launch_is_guessed()
        every_branch_is_run_or_named()
        what_clang_does_not_survive_is_left_out(folder)
        refusals(folder)
        planted_faults_are_found()


main()
