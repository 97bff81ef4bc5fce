"""How whole CUDA programs of llm.c and HeCBench are built and run at sizes for a CPU: each a Recipe in a copy of its folder.

A program's own sizes are for a GPU: its arguments are cut (ARGUMENTS), its constants replaced in the copy (SMALLER), and input files
that its checkout does not hold are made up in the form that the program reads (input files, INPUTS). Nothing is fetched.
"""

import bz2
import dataclasses
import pathlib
import random
import re
import shutil
import struct


@dataclasses.dataclass
class Recipe:
    name: str
    folder: pathlib.Path  # in the copy; the program is built and run here
    files: list
    options: list  # of `torquetum port run`
    arguments: list
    stop_at: str = ""  # the line after which the program only measures time
    why_not: str = ""  # where it can't be built at all
    sources: pathlib.Path = None  # the folder that holds all sources of the program, in the copy
    original: pathlib.Path = None  # the same in the checkout


ARGUMENTS = {
    "accuracy": "64 1000 5 1", "all-pairs-distance": "1", "atomicCost": "4 1", "b+tree": "file mil.txt command command.txt",
    "cfd": "grid.txt", "cmp": "-c0 1.98e-7 -c1 1.77e-6 -nc 5 -aph 600 -tau 0.002 -v 2 -i gather.su", "convolution3D": "1 1 6 12 12 5 1",
    "divergence": "input.txt 1", "f8cast": "1024 1", "fma": "64 64 103 64 1", "gd": "samples.txt 0.0001 10 2", "goulash": "1 0.0002",
    "haversine": "../geodesic-cuda/locations.txt 1", "hotspot3D": "64 8 2 power.txt temp.txt output.out", "is": "256 256 256", "lda": "1",
    "kmeans": "-r -n 5 -m 6 -l 2 -o -i points.txt", "lzss": "-i floats.bin", "mcpr": "alphas.csv 1", "mf-sgd": "-t 2 ratings.bin model.txt",
    "mixbench": "16 1", "mriQ": "samples.bin output.bin", "nms": "detections.txt output.txt 1", "p2p": "1", "perplexity": "200 50 1",
    "radixsort": "1", "reverse": "1", "rsc": "-f input/vectors.csv -g 8 -m 40 -r 1 -w 0", "scan2": "1 65536 256", "sobel": "picture.bmp 1",
    "spgemm": "64 64 64 64 1 1", "ss": "text.txt clEnqueueNDRangeKernel 1", "streamUM": "1 8 1", "threadcpy": "1", "unfold": "1000 1",
    "zoom": "1 3 64 64 1", "blas-gemmStridedBatched": "16 16 16 4 1",
}

# Constants of a program's sources, as (pattern, replacement); "" is every program of llm.c.
SMALLER = {
    "": [(r"\bint B = \d+;", "int B = 2;"), (r"\bint T = \d+;", "int T = 64;"), (r"\bint V = 50257;", "int V = 1017;"),
         (r"\brepeat_times = \d+;", "repeat_times = 1;"), (r"(\bint block_sizes\[\] = )\{[^}]*\}", r"\1{32, 128}")],
    "adamw": [(r"num_parameters = 1048576", "num_parameters = 4096")],
    "attention_backward": [(r"\bint C = 768;", "int C = 96;"), (r"\bint NH = 12;", "int NH = 4;"), (r"\bint B = \d+;", "int B = 1;"),
                            (r"(\bint block_sizes\[\] = )\{[^}]*\}", r"\1{32, 64}")],
    "attention_forward": [(r"\bint C = 768;", "int C = 96;")],
    "global_norm": [(r"\bint C = 768;", "int C = 64;")],
    "matmul_backward": [(r"\bint C = 768;", "int C = 96;"), (r"\bint OC = 768 \* 4;", "int OC = 96 * 4;")],
    "matmul_forward": [(r"\bint C = 768;", "int C = 128;"), (r"\bint OC = 768 \* 4;", "int OC = 128 * 2;")],
    "trimat_forward": [(r"\bint C = 768;", "int C = 96;"), (r"\bint T = \d+;", "int T = 128;")],
    "all-pairs-distance": [(r"INSTANCES 224", "INSTANCES 40"), (r"ATTRIBUTES 4096", "ATTRIBUTES 256")],
    "atomicCost": [(r"length = 922521600", "length = 81920")],
    "binomial": [(r"NUM_ITERATIONS 1000", "NUM_ITERATIONS 1"), (r"MAX_OPTIONS 1024", "MAX_OPTIONS 4")],
    "bspline-vgh": [(r"WSIZE = 12000", "WSIZE = 40"), (r"NSIZE = 2003", "NSIZE = 203")],
    "cfd": [(r"iterations 2000", "iterations 2")],
    "gd": [(r"num_files = 80", "num_files = 1")],
    "lda": [(r"num_topics = 1000", "num_topics = 64"), (r"num_words  = 10266", "num_words  = 512"), (r"block_cnt  = 500", "block_cnt  = 8"),
            (r"num_iters  = 64", "num_iters  = 4")],
    "mcpr": [(r"n = 26280, K = 21, M = 10000", "n = 400, K = 21, M = 100")],
    "mixbench": [(r"\(8\*1024\*1024\)", "(64*1024)")],
    "radixsort": [(r"128\*128\*128\*2", "128*128*2")],
    "reverse": [],
    "sheath": [(r"NUM_IONS 500000", "NUM_IONS 2000"), (r"NUM_ELECTRONS 500000", "NUM_ELECTRONS 2000"), (r"NUM_TS 1000", "NUM_TS 4")],
    "threadcpy": [(r"1024 \* 1024 \* 256 \+ 2", "1024 * 64 + 2")],
    "winograd": [(r"MAP_SIZE 1024", "MAP_SIZE 66"), (r"cpu_offset <= 100; cpu_offset\+\+", "cpu_offset <= 100; cpu_offset += 50")],
}


def numbers(seed, count, low, high):
    draw = random.Random(seed)
    return [draw.uniform(low, high) for _ in range(count)]


def floats(seed, count, low=-1.0, high=1.0):
    return struct.pack(f"<{count}f", *numbers(seed, count, low, high))


def grid_of_elements(folder):
    """cfd: count; an element a line: area, then for each of four sides the neighbour's number from 1 and the normal's parts."""
    draw = random.Random(1)
    count = 1000
    lines = [str(count)]
    for i in range(count):
        row = [f"{draw.uniform(0.5, 1.5):.6f}"]
        for step in (-1, 1, -10, 10):
            other = i + step
            row.append(str(other + 1 if 0 <= other < count else -2))
            row += [f"{draw.uniform(-1, 1):.6f}" for _ in range(3)]
        lines.append(" ".join(row))
    (folder / "grid.txt").write_text("\n".join(lines) + "\n")


def tree_of_keys(folder):
    keys = list(range(3000))
    random.Random(2).shuffle(keys)
    (folder / "mil.txt").write_text("3000\n" + "".join(f"{key}\n" for key in keys))
    (folder / "command.txt").write_text("j 60 30\nk 100\n")


def seismic_gather(folder):
    """cmp: traces of the SU form, little-endian: a header of 240 bytes, then the samples."""
    with open(folder / "gather.su", "wb") as file:
        for cdp in range(3):
            for trace in range(8):
                header = bytearray(240)
                for at, form, value in [(20, "i", cdp), (70, "h", 1), (72, "i", cdp * 50 - trace * 20), (80, "i", cdp * 50 + trace * 20),
                                        (114, "H", 200), (116, "H", 4000)]:
                    struct.pack_into("<" + form, header, at, value)
                file.write(header + floats(cdp * 8 + trace, 200))


def samples_of_two_classes(folder):
    draw = random.Random(3)
    lines = []
    for row in range(60):
        columns = sorted(draw.sample(range(1, 256), 19)) + [256]  # its reduction wants whole blocks
        lines.append(("+1 " if row % 2 else "-1 ") + " ".join(f"{c}:{draw.uniform(-1, 1):.5f}" for c in columns))
    (folder / "samples.txt").write_text("\n".join(lines) + "\n")


def layers_of_a_chip(folder):
    for name, low, high in (("power.txt", 0.0, 0.001), ("temp.txt", 320.0, 340.0)):
        (folder / name).write_text("".join(f"{v:.6f}\n" for v in numbers(4, 64 * 64 * 8, low, high)))


def points_in_space(folder):
    values = numbers(5, 400 * 8, 0.0, 10.0)
    (folder / "points.txt").write_text("".join(f"{i} " + " ".join(f"{v:.4f}" for v in values[i * 8:i * 8 + 8]) + "\n" for i in range(400)))


def unpacked_table(folder):
    packed = folder / "alphas.csv.bz2"
    if packed.exists():
        (folder / "alphas.csv").write_bytes(bz2.decompress(packed.read_bytes()))


def magnetic_samples(folder):
    (folder / "samples.bin").write_bytes(struct.pack("<2i", 64, 256) + floats(6, 64 * 3 + 256 * 3 + 64 * 2, -0.5, 0.5))


def ratings(folder):
    draw = random.Random(7)
    (folder / "ratings.bin").write_bytes(b"".join(struct.pack("<iif", draw.randrange(300), draw.randrange(200), draw.uniform(1, 5)) for _ in range(5000)))


def picture(folder):
    """sobel: a bitmap of 24 bits a pixel, smooth as photographs are."""
    wide, high = 64, 48
    pixels = bytes((2 * x + y + 30 * channel) % 256 for y in range(high) for x in range(wide) for channel in range(3))
    head = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + len(pixels), 0, 0, 54, 40, wide, high, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    (folder / "picture.bmp").write_bytes(head + pixels)


def text(folder):
    draw = random.Random(9)
    words = ["clEnqueueNDRangeKernel", "clFinish", "queue", "kernel", "event", "clEnqueueND", "of", "the", "host"]
    (folder / "text.txt").write_text(" ".join(draw.choice(words) for _ in range(6000)))


INPUTS = {
    "b+tree": tree_of_keys, "cfd": grid_of_elements, "cmp": seismic_gather, "gd": samples_of_two_classes, "hotspot3D": layers_of_a_chip,
    "kmeans": points_in_space, "lzss": lambda folder: (folder / "floats.bin").write_bytes(floats(10, 8192)), "mcpr": unpacked_table,
    "mf-sgd": ratings, "mriQ": magnetic_samples, "sobel": picture, "ss": text,
}


# Programs whose input is neither in the checkout nor of a form simple enough to make up.
NO_DATA = {"daphne": "a recorded point cloud", "egs": "a phantom and cross sections", "logic-resim": "a netlist and its waveforms",
           "prna": "tables of energies"}


def make_smaller(folder, rules):
    for file in sorted(folder.rglob("*")):
        if file.suffix not in {".cu", ".cuh", ".h", ".hpp", ".cpp", ".c", ".cc"}:
            continue
        before = file.read_text(errors="surrogateescape")
        after = before
        for pattern, smaller in rules:
            after = re.sub(pattern, smaller, after)
        if after != before:
            file.write_text(after, errors="surrogateescape")


def kernel_numbers(words):
    """The cases of every switch (kernel_num), but for those that need cuDNN; [1] where there is none."""
    found = set()
    for match in re.finditer(r"switch \(kernel_num\)\s*\{", words):
        depth, at = 1, match.end()
        while depth and at < len(words):
            depth += {"{": 1, "}": -1}.get(words[at], 0)
            at += 1
        body = re.sub(r"#ifdef ENABLE_CUDNN.*?#endif", "", words[match.end():at], flags=re.S)
        found |= {int(number) for number in re.findall(r"\bcase (\d+):", body)}
    return sorted(found) or [1]


def llm_c(checkout, scratch):
    """One recipe a program and kernel number; a program with no number takes none."""
    copy = scratch / "llm.c"
    shutil.copytree(checkout / "dev", copy / "dev")
    if (checkout / "llmc").is_dir():
        shutil.copytree(checkout / "llmc", copy / "llmc")
    folder = copy / "dev" / "cuda"
    for file in sorted(folder.glob("*.cu")):
        words = file.read_text(errors="replace")
        for pattern, smaller in SMALLER[""] + SMALLER.get(file.stem, []):
            words = re.sub(pattern, smaller, words)
        file.write_text(words)
        cases = kernel_numbers(words)
        for number in cases:
            yield Recipe(f"{file.stem} {number}", folder, [file.name], [], [str(number)], "All results match", sources=folder,
                         original=checkout / "dev" / "cuda")


def cmake_lists(text):
    """SOURCES, INCLUDE_DIRS and COMPILE_OPTIONS of add_hecbench_benchmark."""
    call = re.search(r"add_hecbench_benchmark\((.*)\)", text, re.S)
    found, key = {}, ""
    for word in (call.group(1) if call else "").split():
        if re.fullmatch(r"[A-Z_]+", word):
            key = word
        else:
            found.setdefault(key, []).append(word)
    return found


def hecbench_sample(checkout, listed):
    """Every twelfth src/*-cuda directory in the order of LC_ALL=C; or those of a list, where the checkout does not hold all."""
    if listed:
        names = [pathlib.Path(word).name for word in listed.read_text().split() if word.endswith("-cuda")]
        return [checkout / "src" / name for name in names]
    folders = sorted((path for path in (checkout / "src").glob("*-cuda") if path.is_dir()), key=lambda path: path.name.encode())
    return folders[::12] if len(folders) > 100 else folders


def hecbench(checkout, scratch, listed):
    sample = hecbench_sample(checkout, listed)
    source = scratch / "hecbench" / "src"
    source.mkdir(parents=True)
    for entry in (checkout / "src").iterdir():
        if entry not in sample:
            (source / entry.name).symlink_to(entry.resolve())
    for original in sample:
        name = original.name.removesuffix("-cuda")
        folder = source / original.name
        shutil.copytree(original, folder)
        make_smaller(folder, SMALLER.get(name, []))
        INPUTS.get(name, lambda _: None)(folder)
        yield hecbench_program(name, folder, original)


def hecbench_program(name, folder, original):
    lists = folder / "CMakeLists.txt"
    makefile = folder / "Makefile"
    found = cmake_lists(lists.read_text(errors="replace")) if lists.exists() else {}
    expand = lambda word: word.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "").replace("${CMAKE_CURRENT_LIST_DIR}/", "")
    files = [expand(word) for word in found.get("SOURCES", []) if (folder / expand(word)).exists()]
    files = files or sorted(path.name for path in folder.glob("*.cu"))
    flags = makefile.read_text(errors="replace") if makefile.exists() else ""
    options = []
    for word in dict.fromkeys([expand(w) for w in found.get("INCLUDE_DIRS", []) if "$" not in expand(w)] + re.findall(r"-I *([\w./+-]+)", flags)):
        options += ["-I", word]
    for word in dict.fromkeys([w[2:] for w in found.get("COMPILE_OPTIONS", []) if w.startswith("-D")]):
        options += ["-D", word]
    standard = re.search(r"-std=(\S+)", flags)
    options += ["--std", standard.group(1)] if standard and standard.group(1) > "c++17" else []
    if "-rdc=true" in flags:
        options.append("--rdc")
    return Recipe(name, folder, files, options, ARGUMENTS.get(name, "").split(), why_not="" if files else "no sources in the directory itself",
                  sources=folder, original=original)


def recipes(checkout, scratch, listed=None):
    """("llm.c" or "HeCBench", its recipes) of a checkout; raises SystemExit where it is neither."""
    if (checkout / "dev" / "cuda").is_dir():
        return "llm.c", llm_c(checkout, scratch)
    if (checkout / "src").is_dir():
        return "HeCBench", hecbench(checkout, scratch, listed)
    raise SystemExit(f"{checkout} has neither dev/cuda nor src/*-cuda")
