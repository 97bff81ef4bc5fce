#include "tensor/safetensors.hpp"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace tqm::tensor {
namespace {

namespace fs = std::filesystem;

// A file in memory: header as given, then that many bytes of data.
std::string file_of(const std::string& header, size_t data) {
  const uint64_t length = header.size();
  std::string content(sizeof(length), '\0');
  std::memcpy(content.data(), &length, sizeof(length));
  return content + header + std::string(data, '\1');
}

std::string refusal(const std::string& content) {
  auto entries = parse_safetensors(std::as_bytes(std::span(content)), "x");
  return entries ? "read" : entries.error().what;
}

TEST(Safetensors, ReadsNamesTypesShapesAndPlaces) {
  const std::string content = file_of(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I8","shape":[3],"data_offsets":[8,11]},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"none":{"dtype":"F16","shape":[0,4],"data_offsets":[8,8]}})",
      11);
  auto entries = parse_safetensors(std::as_bytes(std::span(content)), "x");
  ASSERT_TRUE(entries) << entries.error().message();
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].name, "a");
  EXPECT_EQ((*entries)[0].shape, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ((*entries)[0].offset, content.size() - 11);
  EXPECT_EQ((*entries)[1].name, "none");
  EXPECT_EQ((*entries)[2].dtype, DType::i8);
}

TEST(Safetensors, WhatTheFormatForbidsIsRefused) {
  EXPECT_EQ(refusal("abc"), "the safetensors file is shorter than the length of its header");
  std::string huge = file_of("{}", 0);
  const uint64_t gigabyte = 1'000'000'000;
  std::memcpy(huge.data(), &gigabyte, 8);
  EXPECT_EQ(refusal(huge), "the safetensors header claims 1000000000 bytes; at most 100 MB are allowed");
  EXPECT_EQ(refusal(file_of("{\"a\":1}", 0).substr(0, 12)), "the safetensors file ends within its header");
  EXPECT_EQ(refusal(file_of("{\"a\":", 0)), "the safetensors header is not valid JSON");
  EXPECT_EQ(refusal(file_of("[1]", 0)), "the safetensors header is not a JSON object");
  EXPECT_EQ(refusal(file_of(R"({"a":3})", 0)), "the tensor \"a\" lacks dtype, shape or data_offsets");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"F32","shape":4,"data_offsets":[0,16]}})", 16)),
            "the tensor \"a\" has a malformed description");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", 2)),
            "the tensor \"a\" has the element type F4, which is not read");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", 10)),
            "the tensor \"a\" ends at byte 16 of the data, but the file holds 10");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,12]}})", 12)),
            "the tensor \"a\" takes 12 bytes, but F32 [4] needs 16");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[16,0]}})", 16)),
            "the tensor \"a\" has impossible offsets");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}})", 16)),
            "the tensor \"a\" has an impossible shape");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0)),
            "the tensor \"a\" has an impossible shape");
  EXPECT_EQ(
      refusal(file_of(
          R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"I8","shape":[4],"data_offsets":[2,6]}})",
          6)),
      "the tensors \"a\" and \"b\" overlap");
  EXPECT_EQ(
      refusal(file_of(
          R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"I8","shape":[4],"data_offsets":[6,10]}})",
          10)),
      "bytes before the tensor \"b\" belong to none");
  EXPECT_EQ(refusal(file_of(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})", 7)),
            "3 bytes at the end belong to no tensor");
  EXPECT_EQ(
      refusal(file_of(
          R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"I8","shape":[4],"data_offsets":[4,8]}})",
          8)),
      "the tensor \"a\" is there twice");
}

class SafetensorsFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tqm-safetensors-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_refusal() {
    auto reader = SafetensorsReader::open_folder(folder_);
    return reader ? "read" : reader.error().what;
  }
  fs::path folder_;
};

TEST_F(SafetensorsFolder, WhatIsWrittenInAnyOrderIsReadBack) {
  const std::vector<SafetensorsDescription> list = {
      {"norm", DType::bf16, {3}}, {"codes", DType::i32, {2, 2}}, {"shape", DType::i64, {2}}, {"bytes", DType::i8, {5}}};
  auto writer = SafetensorsWriter::create(folder_, list);
  ASSERT_TRUE(writer);
  for (size_t i = list.size(); i-- > 0;)
    ASSERT_TRUE(writer->put(list[i].name, std::vector<std::byte>(list[i].size(), static_cast<std::byte>(i + 1))));
  ASSERT_TRUE(writer->finish());
  auto reader = SafetensorsReader::open_folder(folder_);
  ASSERT_TRUE(reader) << reader.error().message();
  std::vector<std::string> order;
  for (const SafetensorsEntry& entry : reader->entries()) order.push_back(entry.name);
  EXPECT_EQ(order, (std::vector<std::string>{"shape", "codes", "norm", "bytes"}));  // wide types first
  for (size_t i = 0; i < list.size(); ++i) {
    const SafetensorsEntry* entry = reader->find(list[i].name);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->shape, list[i].shape);
    const HostTensor view = reader->view(*entry);
    for (std::byte byte : view.bytes) EXPECT_EQ(byte, static_cast<std::byte>(i + 1));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(view.bytes.data()) % size_of(entry->dtype), 0u);
    reader->release(*entry);
  }
  EXPECT_EQ(reader->find("nothing"), nullptr);
  const std::string content = *read_file(folder_ / "model.safetensors");
  EXPECT_NE(content.find(R"("__metadata__":{"format":"pt"})"), std::string::npos);
  uint64_t length = 0;
  std::memcpy(&length, content.data(), 8);
  EXPECT_EQ(length % 8, 0u);
}

TEST_F(SafetensorsFolder, ShardsHoldAtMostTheLimit) {
  std::vector<SafetensorsDescription> list;
  for (int i = 0; i < 7; ++i) list.push_back({"t" + std::to_string(i), DType::f32, {i == 3 ? 100 : 10}});
  auto writer = SafetensorsWriter::create(folder_, list, 100);
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->files().size(), 5u);  // two, one, the large one alone, two, one
  for (const auto& tensor : list) ASSERT_TRUE(writer->put(tensor.name, std::vector<std::byte>(tensor.size())));
  ASSERT_TRUE(writer->finish());
  auto reader = SafetensorsReader::open_folder(folder_);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(reader->entries().size(), 7u);
  const Json index = *read_json(folder_ / "model.safetensors.index.json");
  EXPECT_EQ(index["metadata"]["total_size"], 640);
  EXPECT_EQ(index["weight_map"]["t3"], writer->files()[2]);
}

TEST_F(SafetensorsFolder, IndexesThatNameWhatIsNotThereAreRefused) {
  EXPECT_EQ(folder_refusal(), "the folder has neither model.safetensors nor model.safetensors.index.json");
  ASSERT_TRUE(write_file_atomic(folder_ / "pytorch_model.bin", "x"));
  EXPECT_EQ(folder_refusal(), "the weights are a pickle (pytorch_model.bin), which is not read");
  const fs::path index = folder_ / "model.safetensors.index.json";
  ASSERT_TRUE(write_file_atomic(index, R"({"weight_map":{"a":"one.safetensors"}})"));
  EXPECT_EQ(folder_refusal(), "the shard \"one.safetensors\" is missing, which the index names");
  ASSERT_TRUE(write_file_atomic(folder_ / "one.safetensors",
                                file_of(R"({"b":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1)));
  EXPECT_EQ(folder_refusal(), "the index places the tensor \"a\" in \"one.safetensors\", which does not hold it");
  ASSERT_TRUE(write_file_atomic(index, R"({"weight_map":{"a":"../one.safetensors"}})"));
  EXPECT_EQ(folder_refusal(), "the index names \"../one.safetensors\", which is not a file of the folder");
  ASSERT_TRUE(write_file_atomic(index, R"({"weight_map":{"a":7}})"));
  EXPECT_EQ(folder_refusal(), "the index names no file for the tensor \"a\"");
  ASSERT_TRUE(write_file_atomic(index, R"({"metadata":{}})"));
  EXPECT_EQ(folder_refusal(), "the index has no \"weight_map\"");
}

TEST_F(SafetensorsFolder, UnalignedTensorsAreCopied) {
  // Seven bytes before the floats, as old writers may leave them.
  std::string content = file_of(
      R"({"a":{"dtype":"I8","shape":[7],"data_offsets":[0,7]},"b":{"dtype":"F32","shape":[1],"data_offsets":[7,11]}})",
      7);
  const float value = 2.5f;
  content.append(reinterpret_cast<const char*>(&value), 4);
  ASSERT_TRUE(write_file_atomic(folder_ / "model.safetensors", content));
  auto reader = SafetensorsReader::open_folder(folder_);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(reader->view(*reader->find("b")).f32()[0], 2.5f);
}

}  // namespace
}  // namespace tqm::tensor
