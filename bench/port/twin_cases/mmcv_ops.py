"""Twins of mmcv."""
import numpy as np
from twin import UNGUARDED, Case, In, InOut, Out, f32, flag, i32, scratch, twin

M = "mmcv/ops/csrc/common/mlu/"
C = "mmcv/ops/csrc/common/cuda/"


@twin("mmcv", M + "bbox_overlaps_mlu_kernel.mlu", "MLUUnion1KernelBBoxOverlaps<float>",
      cuda=(C + "bbox_overlaps_cuda_kernel.cuh", "bbox_overlaps_cuda_kernel<float>", "const float*, const float*, float*, int, int, int, bool, int"))
def bbox_overlaps(rng):
    def boxes(n):
        corner = rng.uniform(0, 50, (n, 2))
        return np.concatenate([corner, corner + rng.uniform(1, 30, (n, 2))], 1).astype(np.float32)

    for n, m, mode, aligned in ((20, 7, 0, False), (33, 33, 1, True), (5, 40, 1, False)):
        a, b = boxes(n), boxes(m)
        x = a[:, None, :] if not aligned else a
        y = b[None, :, :] if not aligned else b
        low, high = np.maximum(x[..., :2], y[..., :2]), np.minimum(x[..., 2:], y[..., 2:])
        size = np.maximum(high - low, 0)
        common = size[..., 0] * size[..., 1]
        area_x = (x[..., 2] - x[..., 0]) * (x[..., 3] - x[..., 1])
        area_y = (y[..., 2] - y[..., 0]) * (y[..., 3] - y[..., 1])
        whole = (area_x + area_y - common) if mode == 0 else np.broadcast_to(area_x, common.shape)
        iou = common / np.maximum(whole, 0)
        words = [In(a), In(b), Out(iou.astype(np.float32), 1e-4), i32(n), i32(m), i32(mode), flag(aligned), i32(0)]
        yield Case(words, (4, 1, 1), "union1", cuda=words, worst=0.01)


@twin("mmcv", M + "focal_loss_sigmoid_mlu_kernel.mlu", "forward::MLUUnion1KernelFocalLossSigmoidForward<float>", ["async"],
      cuda=(C + "sigmoid_focal_loss_cuda_kernel.cuh", "sigmoid_focal_loss_forward_cuda_kernel<float>", "int, const float*, const int64_t*, const float*, float*, float, float, int"),
      theirs=UNGUARDED)
def focal_loss(rng):
    for n, c in ((16, 80), (37, 5)):
        x = rng.uniform(-4, 4, (n, c)).astype(np.float32)
        target = rng.integers(0, c + 1, n).astype(np.int32)
        alpha, gamma = 0.25, 2.0
        p = 1 / (1 + np.exp(-x.astype(np.float64)))
        positive = -alpha * (1 - p) ** gamma * np.log(np.maximum(p, 1.2e-38))
        negative = -(1 - alpha) * p**gamma * np.log(np.maximum(1 - p, 1.2e-38))
        out = np.where(np.arange(c)[None, :] == target[:, None], positive, negative)
        result = Out(out.astype(np.float32), 2e-3)
        cuda = [i32(n * c), In(x), In(target.astype(np.int64)), np.uint64(0), result, f32(gamma), f32(alpha), i32(c)]
        yield Case([In(x), In(target), np.uint64(0), i32(n), i32(c), f32(alpha), f32(gamma), result], (4, 1, 1), "union1", cuda=cuda, worst=0.2)


@twin("mmcv", M + "tin_shift_mlu_kernel.mlu", "MLUUnion1KernelTinShift",
      cuda=(C + "tin_shift_cuda_kernel.cuh", "tin_shift_forward_cuda_kernel<float>", "int, const float*, const int*, float*, int, int, int, int, int, int"))
def tin_shift(rng):
    batch, time, channels, area, groups = 2, 5, 8, 12, 4
    x = rng.standard_normal((batch, time, channels, area)).astype(np.float32)
    shifts = rng.integers(-3, 4, (batch, groups)).astype(np.int32)
    out = np.zeros_like(x)
    for i in range(batch):
        for c in range(channels):
            s = shifts[i, c // (channels // groups)]
            for t in range(time):
                if 0 <= t + s < time:
                    out[i, t + s, c] = x[i, t, c]
    result = InOut(np.zeros_like(x), out)
    cuda = [i32(batch * channels * area), In(x), In(shifts), result, i32(batch), i32(channels), i32(time), i32(area), i32(groups), i32(channels // groups)]
    yield Case([In(x), In(shifts), result, i32(batch), i32(time), i32(channels), i32(area), i32(groups), i32(channels // groups), i32(2)],
               (4, 1, 1), "union1", cuda=cuda)


@twin("mmcv", M + "voxelization_mlu_kernel.mlu", "MLUUnion1KernelDynamicVoxelize", ["async"])
def dynamic_voxelize(rng):
    points, feats = 700, 4
    p = rng.uniform(-2, 12, (points, feats)).astype(np.float32)
    voxel, low, high = np.float32([0.5, 0.25, 1]), np.float32([0, 0, 0]), np.float32([10, 10, 8])
    grid = np.round((high - low) / voxel).astype(np.int32)
    c = np.floor((p[:, :3] - low) / voxel).astype(np.int32)
    inside = ((c >= 0) & (c < grid)).all(1)
    coors = np.where(inside[:, None], c[:, ::-1], -1).astype(np.int32)
    # Of a point outside only the first coordinate is promised.
    expected = coors.T.copy()
    yield Case([In(p), Out(expected), *[f32(v) for v in voxel], *[f32(v) for v in low], *[f32(v) for v in high], *[i32(v) for v in grid], i32(points), i32(feats)],
               (4, 1, 1), "union1")


@twin("mmcv", M + "roi_pool_mlu_kernel.mlu", "forward::MLUKernelRoiPool", theirs=UNGUARDED,
      cuda=(C + "roi_pool_cuda_kernel.cuh", "roi_pool_forward_cuda_kernel<float>", "int, const float*, const float*, float*, int*, int, int, float, int, int, int"))
def roi_pool(rng):
    # On corners between pixels the two texts differ: the BANG side rounds them, as the first RoI pooling did, and the CUDA side does not.
    # So the CUDA side is held to whole corners at scale 1, where they mean the same.
    for scale, whole in ((1.0, True), (0.5, False)):
        batch, channels, height, width, ph, pw, rois = 2, 32, 10, 12, 3, 3, 5
        x = rng.standard_normal((batch, height, width, channels)).astype(np.float32)
        r = np.zeros((rois, 5), np.float32)
        r[:, 0] = rng.integers(0, batch, rois)
        r[:, 1:3] = rng.uniform(0, 10, (rois, 2))
        r[:, 3:] = r[:, 1:3] + rng.uniform(2, 10, (rois, 2))
        if whole:
            r = np.floor(np.minimum(r, 9))  # no bin is empty: there the BANG side divides an integer by zero
        out = np.zeros((rois, ph, pw, channels), np.float32)
        argmax = np.full((rois, ph, pw, channels), -1, np.int32)
        for i in range(rois):
            image = x[int(r[i, 0])]
            x1, y1 = int(np.floor(r[i, 1] * scale + 0.5)), int(np.floor(r[i, 2] * scale + 0.5))
            x2, y2 = int(np.floor(r[i, 3] * scale + 0.5)), int(np.floor(r[i, 4] * scale + 0.5))
            bh, bw = np.float32(max(y2 - y1 + 1, 1)) / np.float32(ph), np.float32(max(x2 - x1 + 1, 1)) / np.float32(pw)
            for a in range(ph):
                for b in range(pw):
                    ys, ye = [min(max(int(v) + y1, 0), height) for v in (np.floor(a * bh), np.ceil((a + 1) * bh))]
                    xs, xe = [min(max(int(v) + x1, 0), width) for v in (np.floor(b * bw), np.ceil((b + 1) * bw))]
                    if ye <= ys or xe <= xs:
                        continue
                    window = image[ys:ye, xs:xe].reshape(-1, channels)
                    best = window.argmax(0)
                    out[i, a, b] = window.max(0)
                    argmax[i, a, b] = (ys + best // (xe - xs)) * width + xs + best % (xe - xs)
        yield Case([i32(2), In(x), In(r), i32(batch), i32(channels), i32(height), i32(width), i32(ph), i32(pw), i32(rois), f32(scale), Out(out), Out(argmax)],
                   (4, 1, 1), "union1",
                   cuda=None if not whole else [i32(out.size), In(x.transpose(0, 3, 1, 2)), In(r), Out(out.transpose(0, 3, 1, 2)), Out(argmax.transpose(0, 3, 1, 2)), i32(ph), i32(pw), f32(scale),
                         i32(channels), i32(height), i32(width)])


@twin("mmcv", M + "roi_align_mlu_kernel.mlu", "forward::MLUUnion1KernelRoiAlignAvg",
      cuda=(C + "roi_align_cuda_kernel.cuh", "roi_align_forward_cuda_kernel<float>", "int, const float*, const float*, float*, float*, float*, int, int, float, int, int, bool, int, int, int"))
def roi_align(rng):
    channels, height, width, ph, pw, rois, scale, ratio = 24, 9, 11, 2, 3, 4, 0.5, 2
    x = rng.standard_normal((2, height, width, channels)).astype(np.float32)
    r = np.zeros((rois, 5), np.float32)
    r[:, 0] = rng.integers(0, 2, rois)
    r[:, 1:3] = rng.uniform(0, 10, (rois, 2))
    r[:, 3:] = r[:, 1:3] + rng.uniform(2, 9, (rois, 2))
    out = np.zeros((rois, ph, pw, channels), np.float64)
    for i in range(rois):
        image = x[int(r[i, 0])].astype(np.float64)
        x1, y1, x2, y2 = r[i, 1:].astype(np.float64) * scale - 0.5
        bh, bw = (y2 - y1) / ph, (x2 - x1) / pw
        for a in range(ph):
            for b in range(pw):
                for u in range(ratio):
                    for v in range(ratio):
                        y, z = y1 + a * bh + (u + 0.5) * bh / ratio, x1 + b * bw + (v + 0.5) * bw / ratio
                        if y < -1 or y > height or z < -1 or z > width:
                            continue
                        y, z = max(y, 0), max(z, 0)
                        y0, z0 = int(y), int(z)
                        y3, z3 = y0 + 1, z0 + 1
                        if y0 >= height - 1:
                            y0 = y3 = height - 1
                            y = float(y0)
                        if z0 >= width - 1:
                            z0 = z3 = width - 1
                            z = float(z0)
                        ly, lz = y - y0, z - z0
                        out[i, a, b] += ((1 - ly) * (1 - lz) * image[y0, z0] + (1 - ly) * lz * image[y0, z3] + ly * (1 - lz) * image[y3, z0] + ly * lz * image[y3, z3]) / ratio**2
    yield Case([In(x), In(r), i32(channels), flag(True), i32(ph), i32(pw), i32(height), i32(width), i32(ratio), f32(scale), i32(rois), i32(2),
                Out(out.astype(np.float32), 1e-4)], (4, 1, 1), "union1",
               cuda=[i32(out.size), In(x.transpose(0, 3, 1, 2)), In(r), Out(out.astype(np.float32).transpose(0, 3, 1, 2), 1e-4), scratch(4), scratch(4), i32(ph), i32(pw),
                     f32(scale), i32(ratio), i32(1), flag(True), i32(channels), i32(height), i32(width)])


@twin("mmcv", M + "masked_conv2d_mlu_kernel.mlu", "MLUKernelMaskedCol2imForward",
      cuda=(C + "masked_conv2d_cuda_kernel.cuh", "MaskedCol2imForward<float>", "int, const float*, int, int, int, const int64_t*, const int64_t*, int, float*"))
def masked_col2im(rng):
    height, width, channels, count = 6, 7, 20, 9
    flat = rng.permutation(height * width)[:count]
    h, w = (flat // width).astype(np.int32), (flat % width).astype(np.int32)
    col = rng.standard_normal((count, channels)).astype(np.float32)
    im = np.zeros((height, width, channels), np.float32)
    im[h, w] = col
    yield Case([In(col), i32(height), i32(width), i32(channels), In(h), In(w), i32(count), InOut(np.zeros_like(im), im), i32(2)], (4, 1, 1), "union1",
               cuda=[i32(count * channels), In(col.T), i32(height), i32(width), i32(channels), In(h.astype(np.int64)), In(w.astype(np.int64)), i32(count),
                     InOut(np.zeros((channels, height, width), np.float32), im.transpose(2, 0, 1))])
