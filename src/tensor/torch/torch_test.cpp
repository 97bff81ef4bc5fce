#include "tensor/torch/torch.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <new>

namespace tqm::tensor {
namespace {

const c10::Device kCpu(c10::DeviceType::CPU);

TEST(Torch, EveryElementTypeGoesThereAndBack) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8_e4m3, DType::i64, DType::i32,
                            DType::i16, DType::i8, DType::u8, DType::boolean}) {
    std::byte* data = nullptr;
    const HostTensor host = HostTensor::zeros(dtype, {2, 3}, &data);
    for (size_t i = 0; i < host.bytes.size(); ++i) data[i] = static_cast<std::byte>(i % 2);
    const at::Tensor there = to_torch(host, kCpu);
    EXPECT_EQ(there.scalar_type(), torch_dtype(dtype));
    EXPECT_EQ(there.sizes().vec(), host.shape);
    const HostTensor back = to_host(there);
    EXPECT_EQ(back.dtype, dtype);
    EXPECT_EQ(back.shape, host.shape);
    EXPECT_TRUE(std::equal(back.bytes.begin(), back.bytes.end(), host.bytes.begin(), host.bytes.end()));
  }
}

TEST(Torch, ATransposedTensorComesBackInRowMajorOrder) {
  const HostTensor host = HostTensor::of_floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const HostTensor back = to_host(to_torch(host, kCpu).t());
  EXPECT_EQ(back.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(back.floats(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(Torch, AnEmptyTensorGoesThereAndBack) {
  const HostTensor back = to_host(to_torch(HostTensor::of_floats({0, 4}, {}), kCpu));
  EXPECT_EQ(back.shape, (std::vector<int64_t>{0, 4}));
}

TEST(Torch, TheCopyIsItsOwn) {
  at::Tensor copy;
  {
    const HostTensor host = HostTensor::of_floats({2}, {1, 2});
    copy = to_torch(host, kCpu);
  }
  EXPECT_EQ(copy[1].item<float>(), 2.0F);
}

TEST(Torch, TheCpuIsAlwaysThere) {
  const auto device = open_device("cpu");
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device).is_cpu());
  EXPECT_EQ(present_devices().front(), "cpu");
}

TEST(Torch, AnUnknownDeviceIsRefusedWithThosePresent) {
  for (const char* name : {"gpu", "", "cuda:", "cuda:x", "cuda:1x", "cpu:0:0"}) {
    const auto device = open_device(name);
    ASSERT_FALSE(device.ok()) << name;
    EXPECT_EQ(device.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(device.error().what, "unknown device \"" + std::string(name) + "\"");
    EXPECT_TRUE(device.error().next.starts_with("devices here: cpu")) << device.error().next;
  }
}

TEST(Torch, AnAbsentDeviceIsRefusedWithThosePresent) {
  for (const char* name : {"cuda:99", "mlu:99", "npu:-1"}) {
    const auto device = open_device(name);
    ASSERT_FALSE(device.ok()) << name;
    EXPECT_EQ(device.error().kind, ErrorKind::not_found);
    EXPECT_EQ(device.error().what, "no device \"" + std::string(name) + "\" on this machine");
    EXPECT_TRUE(device.error().next.starts_with("devices here: cpu")) << device.error().next;
  }
}

TEST(Torch, WhatLibTorchThrowsIsABreakdownThatSaysWhere) {
  const auto status = guard("layer 3", [] { at::mm(at::empty({2, 3}), at::empty({2, 3})); });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::breakdown);
  EXPECT_TRUE(status.error().what.starts_with("layer 3: ")) << status.error().what;
  EXPECT_EQ(status.error().what.find('\n'), std::string::npos);
}

TEST(Torch, OutOfMemoryIsTheSurroundingsFault) {
  const auto torch = guard("layer 3", [] { at::empty({int64_t{1} << 50}); });
  ASSERT_FALSE(torch.ok());
  EXPECT_EQ(torch.error().kind, ErrorKind::environment);
  EXPECT_EQ(torch.error().what, "layer 3: out of memory");
  const auto standard = guard("layer 4", [] { throw std::bad_alloc(); });
  ASSERT_FALSE(standard.ok());
  EXPECT_EQ(standard.error().kind, ErrorKind::environment);
}

TEST(Torch, ASpeedIsMeasuredOrTheDeviceRefused) {
  const auto flops = measured_flops("cpu");
  ASSERT_TRUE(flops.ok());
  EXPECT_GT(*flops, 1e6);
  EXPECT_FALSE(measured_flops("abacus:0").ok());
}

TEST(Torch, ThreadsAreWhatWasAsked) {
  set_threads(1);
  EXPECT_EQ(threads(), 1);
  set_threads(0);
  EXPECT_GE(threads(), 1);
}

}  // namespace
}  // namespace tqm::tensor
