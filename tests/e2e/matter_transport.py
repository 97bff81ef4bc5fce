#!/usr/bin/env python3
"""torquetum matter transport as a user runs it: values, bounds, refusals, JSON and report. matter_transport.py TORQUETUM-MATTER"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

program = sys.argv[1]


def trajectory(path, hops, seed, ions=16, frames=400, turn_back=0.0, temperature=None, extra="", melt=False):
    """Ions on a cubic lattice of 3 Å in a cell of 12 Å, positions wrapped, oxygens that vibrate; 0.1 ps a frame."""
    rng = random.Random(seed)
    moves = [(a, s) for a in range(3) for s in (3, -3)]
    place = [[3 * (i % 4), 3 * (i // 4 % 4), 3 * (i // 16)] for i in range(ions)]
    last = [rng.choice(moves) for _ in range(ions)]
    anions = [[3 * (i % 4) + 1.5, 3 * (i // 4 % 4) + 1.5, 1.5] for i in range(16)]
    with open(path, "w") as out:
        for t in range(frames):
            for i in range(ions):
                if rng.random() < hops / ions / frames:
                    axis, step = last[i]
                    last[i] = (axis, -step) if rng.random() < turn_back else rng.choice(moves)
                    place[i][last[i][0]] += last[i][1]
            comment = 'Lattice="12 0 0 0 12 0 0 0 12" Properties=species:S:1:pos:R:3'
            comment += f" time={100 * t}" + (f" temperature_k={temperature}" if temperature else "") + extra
            out.write(f"{len(anions) + ions}\n{comment}\n")
            for symbol, group in (("Li", place), ("O", anions)):
                for x in group:
                    if melt and symbol == "O":
                        x[rng.randrange(3)] += rng.choice((-0.6, 0.6))
                    out.write(symbol + "".join(f" {(c + rng.gauss(0, 0.15)) % 12:.6f}" for c in x) + "\n")


def run(*words, code=0):
    done = subprocess.run([program, "transport", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    lithium = ("--mobile", "Li", "--charge", 1)
    kelvin = {600: 150, 750: 380, 1000: 1000}
    for t, hops in kelvin.items():
        trajectory(folder / f"{t}.xyz", hops, t, temperature=t)
    files = [folder / f"{t}.xyz" for t in kelvin]

    # One temperature: the number against the walk's own.
    found = json.loads(run(files[2], *lithium, "--json"))
    row = found["temperatures"][0]
    assert row["standing"] == "value" and row["temperature_k"] == 1000 and found["arrhenius"] is None, row
    truth = 1000 / 16 / 40 * 9 / 6 * 1e-4  # cm²/s: hops an ion a ps, in Å²/ps
    d = row["diffusion_cm2_per_s"]
    assert d["low"] < truth < d["high"] and d["high"] / d["low"] < 1.6, (d, truth)
    sigma = 1.602176634e4 / (8.617333262e-5 * 1000) * 16 / 1728 * d["value"] * 10
    assert abs(row["conductivity_s_per_cm"]["value"] / sigma - 1) < 1e-6

    # Three: a line, and the report.
    text = run(*files, *lithium, "-o", folder / "out")
    assert "activation energy" in text and "at 300 K  " in text, text
    report = json.loads((folder / "out/report.json").read_text())
    line = report["data"]["arrhenius"]
    rate = 8.617333262e-5 * math.log(1000 / 150) / (1 / 600 - 1 / 1000)
    assert line["activation_energy_ev"]["low"] < rate < line["activation_energy_ev"]["high"], line
    assert (folder / "out/report.html").stat().st_size > 100_000

    # Seeds are pooled; few hops are a bound; a melt is refused; so is Langevin.
    trajectory(folder / "few.xyz", 8, 5, temperature=500)
    assert json.loads(run(folder / "few.xyz", *lithium, "--json"))["temperatures"][0]["standing"] == "upper bound"
    trajectory(folder / "again.xyz", 1000, 9, temperature=1004)
    rows = json.loads(run(files[2], folder / "again.xyz", *lithium, "--json"))["temperatures"]
    assert len(rows) == 1 and len(rows[0]["files"]) == 2, rows
    trajectory(folder / "melt.xyz", 500, 6, temperature=1500, melt=True)
    assert "the framework melts: O" in run(folder / "melt.xyz", *lithium, code=1)
    trajectory(folder / "langevin.xyz", 10, 7, frames=30, temperature=500, extra=" ensemble=langevin")
    assert "a Langevin trajectory has no diffusion of its own" in run(folder / "langevin.xyz", *lithium, code=1)
    trajectory(folder / "cold.xyz", 10, 8, frames=30)
    assert "give --temperature" in run(folder / "cold.xyz", *lithium, code=1)
    assert "2 temperatures for 3 files" in run(*files, *lithium, "--temperature", "600,700", code=1)
    assert "which is no element" in run(files[0], "--mobile", "Xx", "--charge", 1, code=1)
    assert "--charge is required" in run(files[0], "--mobile", "Li", code=1)
