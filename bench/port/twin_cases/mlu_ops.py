"""Twins of mlu-ops."""
import numpy as np
from twin import Case, In, InOut, Out, f32, i32, twin, u32, u64

K = "kernels/"
C = "mmcv/ops/csrc/common/cuda/"


def unary(rng, kernel_type, task_dim, low, high, reference, extra=(), dtype=np.float32, tolerance=4e-7, sizes=(1, 1000, 70001)):
    for n in sizes:
        x = rng.uniform(low, high, n).astype(dtype)
        yield Case([In(x), Out(reference(x.astype(np.float64)).astype(dtype), tolerance), u64(n), *extra], task_dim, kernel_type, worst=1e-5)


@twin("mlu-ops", K + "sqrt/sqrt_union1.mlu", "MLUBlockKernel3StagePipelineSqrtFast<float,float>", ["async"])
def sqrt_3_stages(rng):
    yield from unary(rng, "block", (4, 1, 1), 0, 100, np.sqrt, sizes=(7, 1000, 700001))


@twin("mlu-ops", K + "log/log_union1.mlu", "MLUBlockKernel5StagePipelineLogFloat<float,float,float>", ["async", "sram", "cluster"])
def log_5_stages(rng):
    for n in (100, 5000, 1300000):
        x = rng.uniform(0.5, 100, n).astype(np.float32)
        yield Case([In(x), Out(np.log(x.astype(np.float64)).astype(np.float32), 1e-6), u64(n), f32(np.log(2))], (4, 1, 1), "union1", worst=1e-5)


@twin("mlu-ops", K + "div/div_union1.mlu", "MLUBlockKernel3StagePipelineDivFloat<float,float,float>", ["async"])
def div_3_stages(rng):
    for n in (3, 4097, 400001):
        x, y = rng.uniform(-9, 9, n).astype(np.float32), rng.uniform(1, 9, n).astype(np.float32)
        yield Case([In(x), In(y), Out(x / y, 4e-7), u64(n)], (4, 1, 1), "block", worst=1e-3)


@twin("mlu-ops", K + "ball_query/ball_query_union1.mlu", "MLUUnion1KernelBallQuery<float>",
      cuda=(C + "ball_query_cuda_kernel.cuh", "ball_query_forward_cuda_kernel<float>", "int, int, int, float, float, int, const float*, const float*, int*"),
      theirs={"uninitialised-read": "the pads of y and z are anything; those of x are infinite, so that no pad is ever near: the result does not depend on them"})
def ball_query(rng):
    for b, n, m, low, high, samples in ((1, 64, 16, 0.0, 0.4, 8), (2, 300, 33, 0.1, 0.5, 16)):
        xyz = rng.uniform(0, 1, (b, n, 3)).astype(np.float32)
        new = rng.uniform(0, 1, (b, m, 3)).astype(np.float32)
        d = new[:, :, None, :] - xyz[:, None, :, :]
        d2 = (d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]) + d[..., 2] * d[..., 2]
        near = (d2 == 0) | ((d2 >= np.float32(low) * np.float32(low)) & (d2 < np.float32(high) * np.float32(high)))
        idx = np.zeros((b, m, samples), np.int32)
        for i in range(b):
            for j in range(m):
                found = np.flatnonzero(near[i, j])[:samples]
                if len(found):
                    idx[i, j, :] = found[0]
                    idx[i, j, : len(found)] = found
        words = [u32(b), u32(n), u32(m), f32(low), f32(high), i32(samples), In(new), In(xyz), InOut(np.zeros_like(idx), idx)]
        yield Case(words, (4, 1, 1), "union1", cuda=words, grid=(1, b, 1), block=(64, 1, 1))


@twin("mlu-ops", K + "three_interpolate/three_interpolate_union1.mlu", "MLUKernelThreeInterpolateForward<float>", ["async"],
      cuda=(C + "three_interpolate_cuda_kernel.cuh", "three_interpolate_forward_cuda_kernel<float>", "int, int, int, int, const float*, const int*, const float*, float*"))
def three_interpolate(rng):
    for b, c, m, n in ((1, 32, 64, 128), (2, 5, 33, 70)):
        features = rng.standard_normal((b, c, m)).astype(np.float32)
        indices = rng.integers(0, m, (b, n, 3)).astype(np.int32)
        weights = rng.uniform(0, 1, (b, n, 3)).astype(np.float32)
        out = np.zeros((b, c, n), np.float64)
        for i in range(b):
            for k in range(3):
                out[i] += features[i][:, indices[i, :, k]] * weights[i, :, k].astype(np.float64)
        limit = [u32((v + 31) // 32 * 32) for v in (c, m, n)]
        yield Case([In(features), In(indices), In(weights), u32(b), u32(c), u32(m), u32(n), *limit, Out(out.astype(np.float32), 1e-5)], (4, 1, 1), "union1",
                   cuda=[i32(b), i32(c), i32(m), i32(n), In(features), In(indices), In(weights), Out(out.astype(np.float32), 1e-5)], grid=(1, c, b))


@twin("mlu-ops", K + "moe_dispatch/moe_dispatch_forward/moe_dispatch_forward_block.mlu", "MLUKernelMoeDispatchFwd<float>", ["async"])
def moe_dispatch(rng):
    for samples, capacity, hidden, experts in ((16, 8, 64, 4), (50, 7, 333, 3)):
        gates = rng.uniform(0, 1, samples).astype(np.float32)
        indices = rng.integers(-1, experts, samples).astype(np.int32)
        places = {}
        locations = np.zeros(samples, np.int32)
        for i, e in enumerate(indices):
            locations[i] = places.get(e, 0)
            places[e] = locations[i] + 1
        x = rng.standard_normal((samples, hidden)).astype(np.float32)
        dispatch = np.zeros((experts * capacity, hidden), np.float32)
        for i in range(samples):
            if indices[i] >= 0 and locations[i] < capacity:
                dispatch[indices[i] * capacity + locations[i]] += gates[i] * x[i]
        yield Case([In(gates), In(indices), In(locations), In(x), i32(samples), i32(capacity), i32(hidden), i32(experts),
                    InOut(np.zeros_like(dispatch), dispatch, 1e-6)], (4, 1, 1), "block")


@twin("mlu-ops", K + "points_in_boxes/points_in_boxes_block_kernel.mlu", "MLUBlockKernelPointsInBoxes")
def points_in_boxes(rng):
    # The CUDA side is OpenPCDet's: a box is given by its centre.
    batch, points, boxes = 2, 200, 5
    p = rng.uniform(-5, 5, (batch, points, 3)).astype(np.float32)
    b = np.concatenate([rng.uniform(-3, 3, (batch, boxes, 3)), rng.uniform(2, 5, (batch, boxes, 3)), rng.uniform(-3, 3, (batch, boxes, 1))], 2)
    b = b.astype(np.float32)
    idx = np.full((batch, points), -1, np.int32)
    for i in range(batch):
        for j in range(points):
            for k in range(boxes):
                cx, cy, cz, dx, dy, dz, rz = b[i, k].astype(np.float64)
                if abs(p[i, j, 2] - cz) > dz / 2:
                    continue
                sx, sy = p[i, j, 0] - cx, p[i, j, 1] - cy
                lx = sx * np.cos(-rz) + sy * -np.sin(-rz)
                ly = sx * np.sin(-rz) + sy * np.cos(-rz)
                if -dx / 2 < lx < dx / 2 and -dy / 2 < ly < dy / 2:
                    idx[i, j] = k
                    break
    each = (points + 3) // 4
    yield Case([u32(batch), u32(points), u32(boxes), In(p), In(b), InOut(np.full_like(idx, -1), idx), u32(points * 3), u32(boxes * 7), u32(points),
                u32(each), u32(each * 3), u32(each)], (4, 1, 1), "block")


@twin("mlu-ops", K + "lgamma/lgamma_block.mlu", "MLUBlockKernel3StagePipelineLgammaFloat<float,float>", ["async"])
def lgamma(rng):
    import math
    yield from unary(rng, "block", (4, 1, 1), 0.1, 30, np.vectorize(math.lgamma), tolerance=2e-5, sizes=(100, 5000))


@twin("mlu-ops", K + "voxel_pooling_forward/voxel_pooling_forward_union1.mlu", "MLUKernelVoxelPoolingForward", ["atomic"])
def voxel_pooling(rng):
    for batch, points, channels, vx, vy in ((2, 100, 64, 6, 5), (1, 333, 7, 4, 4)):
        xyz = np.stack([rng.integers(-1, vx + 1, (batch, points)), rng.integers(-1, vy + 1, (batch, points)), rng.integers(0, 1, (batch, points))], 2)
        xyz = xyz.astype(np.int32)
        x = rng.standard_normal((batch, points, channels)).astype(np.float32)
        out = np.zeros((batch, vy, vx, channels), np.float64)
        memo = np.full((batch, points, 3), -1, np.int32)
        for i in range(batch):
            for j in range(points):
                a, b = xyz[i, j, 0], xyz[i, j, 1]
                if 0 <= a < vx and 0 <= b < vy:
                    out[i, b, a] += x[i, j]
                    memo[i, j] = (i, b, a)
        yield Case([i32(batch), i32(points), i32(channels), i32(vx), i32(vy), i32(1), In(xyz), In(x), InOut(np.zeros(out.shape, np.float32), out.astype(np.float32), 1e-5),
                    InOut(np.full_like(memo, -1), memo)], (4, 1, 1), "union1")


@twin("mlu-ops", K + "masked_im2col/masked_im2col_forward/masked_im2col_forward_union1.mlu", "MLUUnion1MaskedIm2colForward", ["async"],
      cuda=(C + "masked_conv2d_cuda_kernel.cuh", "MaskedIm2colForward<float>", "int, const float*, int, int, int, int, int, int, const int64_t*, const int64_t*, int, float*"))
def masked_im2col(rng):
    height, width, channels, k, pad, count = 7, 9, 16, 3, 1, 11
    feature = rng.standard_normal((height, width, channels)).astype(np.float32)
    h, w = rng.integers(0, height, count).astype(np.int32), rng.integers(0, width, count).astype(np.int32)
    col = np.zeros((count, k, k, channels), np.float32)
    for i in range(count):
        for a in range(k):
            for b in range(k):
                y, x = h[i] - pad + a, w[i] - pad + b
                if 0 <= y < height and 0 <= x < width:
                    col[i, a, b] = feature[y, x]
    yield Case([i32(2), In(feature), i32(height), i32(width), i32(channels), i32(k), i32(k), i32(pad), i32(pad), In(h), In(w), i32(count),
                InOut(np.zeros_like(col), col)], (4, 1, 1), "union1",
               cuda=[i32(channels * count), In(feature.transpose(2, 0, 1)), i32(height), i32(width), i32(k), i32(k), i32(pad), i32(pad), In(h.astype(np.int64)),
                     In(w.astype(np.int64)), i32(count), Out(col.transpose(3, 1, 2, 0))])


@twin("mlu-ops", K + "dynamic_point_to_voxel/dynamic_point_to_voxel_forward/dynamic_point_to_voxel_forward_union1.mlu",
      "MLUKernelDynamicPointToVoxelForward", ["atomic", "cluster"])
def dynamic_point_to_voxel(rng):
    points, feats, voxels = 90, 20, 13
    x = rng.standard_normal((points, feats)).astype(np.float32)
    of = rng.integers(-1, voxels, points).astype(np.int32)
    coors = rng.integers(0, 9, (points, 3)).astype(np.int32)
    counts = np.zeros(points, np.int32)
    for v in of:
        if v >= 0:
            counts[v] += 1
    counts[:voxels] = np.maximum(counts[:voxels], 1)
    for mode in (0, 1):  # the largest, the mean
        low = np.float32(-3.4e38)
        start = np.full((points, feats), low if mode == 0 else 0, np.float32)
        out = start.astype(np.float64)
        for i, v in enumerate(of):
            if v >= 0:
                out[v] = np.maximum(out[v], x[i]) if mode == 0 else out[v] + x[i] / counts[v]
        yield Case([i32(mode), In(x), i32(points), i32(feats), InOut(coors, coors), InOut(np.array([voxels], np.int32), np.array([voxels], np.int32)), In(of),
                    InOut(counts, counts), InOut(start, out.astype(np.float32), 1e-5)], (4, 1, 1), "union1")


@twin("mlu-ops", K + "roi_crop/roi_crop_block.mlu", "MLUKernelRoiCropForward<float>", ["async"])
def roi_crop(rng):
    batch, height, width, channel, rois, oh, ow = 2, 6, 7, 40, 4, 3, 3
    x = rng.standard_normal((batch, height, width, channel)).astype(np.float32)
    grid = rng.uniform(-1, 1, (rois, oh, ow, 2)).astype(np.float32)
    out = np.zeros((rois, oh, ow, channel), np.float64)
    for r in range(rois):
        image = r // (rois // batch)
        for i in range(oh):
            for j in range(ow):
                yf, xf = grid[r, i, j, 0].astype(np.float64), grid[r, i, j, 1].astype(np.float64)
                px, py = (xf + 1) * (width - 1) / 2, (yf + 1) * (height - 1) / 2
                x0, y0 = int(np.floor(px)), int(np.floor(py))
                wx, wy = 1 - (px - x0), 1 - (py - y0)
                for dy, dx, weight in ((0, 0, wy * wx), (0, 1, wy * (1 - wx)), (1, 0, (1 - wy) * wx), (1, 1, (1 - wy) * (1 - wx))):
                    if 0 <= y0 + dy < height and 0 <= x0 + dx < width:
                        out[r, i, j] += weight * x[image, y0 + dy, x0 + dx]
    yield Case([In(x), i32(batch), i32(height), i32(width), i32(channel), In(grid), i32(rois), Out(out.astype(np.float32), 1e-4), i32(oh), i32(ow)],
               (4, 1, 1), "block")


@twin("mlu-ops", K + "ms_deform_attn/ms_deform_attn_forward/msda_forward_fast_union1.mlu", "MLUKernelMsDeformAttnForwardFast<float>",
      ["async", "sram", "cluster", "matmul"],
      cuda=(C + "ms_deform_attn_cuda_kernel.cuh", "ms_deformable_im2col_gpu_kernel<float>",
            "int, const float*, const int64_t*, const int64_t*, const float*, const float*, int, int, int, int, int, int, int, float*"),
      theirs={"alignment": "it pools a channel of one, and multiplies by 32 or 20 output channels, where 3.0 asks for 128 bytes and 64 channels; the later "
                           "toolchain that built it has evidently dropped both for this use",
              "missing-sync": "a copy into the weights of the last product is issued with no wait for that product: nothing documented keeps the two in order"})
def ms_deform_attn(rng):
    for batch, heads, channels, queries, points, shapes in ((1, 2, 32, 20, 4, ((6, 7), (3, 4))), (2, 1, 64, 9, 2, ((5, 5),))):
        levels = len(shapes)
        sizes = [h * w for h, w in shapes]
        keys = sum(sizes)
        value = rng.standard_normal((batch, keys, heads, channels)).astype(np.float32)
        place = rng.uniform(-0.1, 1.1, (batch, queries, heads, levels, points, 2)).astype(np.float32)
        weight = rng.uniform(0, 1, (batch, queries, heads, levels, points)).astype(np.float32)
        start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        out = np.zeros((batch, queries, heads, channels), np.float64)
        for b in range(batch):
            for q in range(queries):
                for m in range(heads):
                    for level, (h, w) in enumerate(shapes):
                        for p in range(points):
                            x, y = place[b, q, m, level, p].astype(np.float64) * (w, h) - 0.5
                            if not (-1 < x < w and -1 < y < h):
                                continue
                            x0, y0 = int(np.floor(x)), int(np.floor(y))
                            for dy in (0, 1):
                                for dx in (0, 1):
                                    if 0 <= y0 + dy < h and 0 <= x0 + dx < w:
                                        share = (1 - abs(y - y0 - dy)) * (1 - abs(x - x0 - dx))
                                        out[b, q, m] += weight[b, q, m, level, p] * share * value[b, start[level] + (y0 + dy) * w + x0 + dx, m]
        yield Case([In(value), In(np.array(shapes, np.int32)), In(start), In(place), In(weight), i32(batch), i32(keys), i32(heads), i32(channels), i32(levels),
                    i32(queries), i32(points), Out(out.astype(np.float32), 1e-4)], (4, 2, 1), "union1",
                   cuda=[i32(out.size), In(value), In(np.array(shapes, np.int64)), In(start.astype(np.int64)), In(place), In(weight), i32(batch), i32(keys), i32(heads),
                         i32(channels), i32(levels), i32(queries), i32(points), Out(out.astype(np.float32), 1e-4)])
