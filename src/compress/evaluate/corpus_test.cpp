#include "compress/evaluate/corpus.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <stdlib.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "compress/evaluate/byte_tokenizer.hpp"

namespace tqm::compress {
namespace {

namespace fs = std::filesystem;

class Corpus : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "corpus-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file(const std::string& name, const std::string& content) {
    const fs::path path = folder_ / name;
    EXPECT_TRUE(write_file_atomic(path, content).ok());
    return path;
  }
  fs::path folder_;
};

std::string joined(const std::vector<std::string>& documents) {
  std::string text;
  for (const std::string& document : documents) text += document;
  return text;
}

std::string prose(size_t bytes, uint64_t seed) {
  Random random(seed);
  std::string text;
  while (text.size() < bytes) text += static_cast<char>('a' + random.below(26));
  return text;
}

TEST_F(Corpus, JsonLinesAreADocumentEach) {
  const auto documents = read_documents(
      file("a.jsonl", "{\"text\": \"one\\r\\ntwo\"}\n\n  \n{\"text\": \"\"}\r\n{\"text\": \"床前明月光\", \"id\": 3}"));
  ASSERT_TRUE(documents.ok()) << documents.error().message();
  EXPECT_EQ(*documents, (std::vector<std::string>{"one\r\ntwo", "床前明月光"}));
}

TEST_F(Corpus, ALineThatIsNoDocumentIsRefusedByItsNumber) {
  const fs::path no_text = file("a.jsonl", "{\"text\": \"one\"}\n{\"txt\": \"two\"}\n");
  const auto documents = read_documents(no_text);
  ASSERT_FALSE(documents.ok());
  EXPECT_EQ(documents.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(documents.error().what, "the line is no object with a \"text\"");
  EXPECT_EQ(documents.error().where, no_text.string() + ", line 2");

  const auto broken = read_documents(file("b.jsonl", "{\"text\": \"one\"}\n{\"text\": \n"));
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, ErrorKind::bad_input);
  EXPECT_NE(broken.error().where.find("b.jsonl, line 2"), std::string::npos) << broken.error().message();

  EXPECT_EQ(read_documents(folder_ / "none.txt").error().kind, ErrorKind::not_found);
}

TEST_F(Corpus, PlainTextIsPartedAtFormFeedsElseBlankLinesElseLines) {
  const std::string page = prose(5000, 1), paragraph = prose(1500, 2);
  EXPECT_EQ(read_documents(file("pages.txt", page + "\n\n" + page + "\f" + page))->size(), 2U);

  std::string paragraphs;
  for (int i = 0; i < 9; ++i) paragraphs += paragraph + "\r\n \r\n";
  const auto three = read_documents(file("paragraphs.txt", paragraphs));
  ASSERT_EQ(three->size(), 3U);
  EXPECT_EQ(joined(*three), paragraphs);  // bytes as they are
  EXPECT_EQ((*three)[1].substr(0, 5), paragraph.substr(0, 5));

  std::string lines;
  for (int i = 0; i < 6; ++i) lines += paragraph + "\n";
  const auto two = read_documents(file("lines.txt", lines));
  ASSERT_EQ(two->size(), 2U);
  EXPECT_EQ(joined(*two), lines);

  EXPECT_TRUE(read_documents(file("empty.txt", ""))->empty());
  EXPECT_TRUE(read_documents(file("blank.txt", "\n\n \n"))->empty());
  EXPECT_EQ(read_documents(file("short.txt", "no line end"))->size(), 1U);
}

TEST_F(Corpus, AStreamIsCutIntoWindowsAndTheRestDropped) {
  const auto windows = stream_windows(ByteTokenizer(), file("a.txt", "abc\r\ndefg"), 4);
  ASSERT_TRUE(windows.ok());
  EXPECT_EQ(*windows, (Windows{{'a', 'b', 'c', '\r'}, {'\n', 'd', 'e', 'f'}}));
  const auto lines = stream_windows(ByteTokenizer(), file("a.jsonl", "{\"text\":\"ab\"}\n{\"text\":\"cd\"}"), 5);
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(*lines, (Windows{{'a', 'b', '\n', 'c', 'd'}}));
}

TEST_F(Corpus, ATextTooShortIsRefusedWithItsLength) {
  const auto windows = stream_windows(ByteTokenizer(), file("a.txt", "abc"), 4);
  ASSERT_FALSE(windows.ok());
  EXPECT_EQ(windows.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(windows.error().what, "the text has 3 tokens, one window needs 4");
}

TEST_F(Corpus, ADocumentIsAWindowOfItsOwn) {
  ByteTokenizer tokenizer;
  tokenizer.leading_space = true;
  const fs::path path = file("a.jsonl", "{\"text\":\"abcdef\"}\n{\"text\":\"g\"}\n{\"text\":\"hi\"}");
  EXPECT_EQ(*document_windows(tokenizer, path, 5, true, true),
            (Windows{{256, 'a', 'b', 'c', 'd'}, {256, 'g', 257}, {256, 'h', 'i', 257}}));
  EXPECT_EQ(*document_windows(tokenizer, path, 9, false, false), (Windows{{'a', 'b', 'c', 'd', 'e', 'f'}, {'h', 'i'}}));
}

TEST_F(Corpus, DocumentsAreJsonLinesWhateverTheFileIsCalled) {
  const auto refusal = [](const fs::path& path) {
    return document_windows(ByteTokenizer(), path, 9, false, false).error();
  };
  EXPECT_EQ(*document_windows(ByteTokenizer(), file("a.txt", "{\"text\":\"abc\"}\n"), 9, false, false),
            (Windows{{'a', 'b', 'c'}}));
  const fs::path prose = file("b.txt", "{\"text\":\"abc\"}\n\nA line of prose.\n");
  EXPECT_EQ(refusal(prose).kind, ErrorKind::bad_input);
  EXPECT_NE(refusal(prose).where.find(prose.string() + ", line 3"), std::string::npos) << refusal(prose).where;
  const fs::path number = file("c.txt", "17\n");
  EXPECT_EQ(refusal(number).what, "the line is no object with a \"text\"");
  EXPECT_EQ(refusal(number).where, number.string() + ", line 1");
}

TEST_F(Corpus, MarksThatTheVocabularyLacksAreRefused) {
  const fs::path path = file("a.jsonl", "{\"text\":\"abc\"}");
  EXPECT_EQ(document_windows(ByteTokenizer(false), path, 9, true, false).error().what,
            "the vocabulary has no BOS token");
  EXPECT_EQ(document_windows(ByteTokenizer(false), path, 9, false, true).error().what,
            "the vocabulary has no EOS token");
  EXPECT_EQ(document_windows(ByteTokenizer(), file("b.jsonl", "{\"text\":\"a\"}"), 9, false, false).error().what,
            "no document has two tokens, so there is nothing to score");
}

TEST_F(Corpus, SampledWindowsAreFullShuffledAndTheSameForASeed) {
  std::vector<std::string> documents;
  for (char c = 'a'; c <= 'z'; ++c) documents.push_back(std::string(9, c));
  const Windows windows = sampled_windows(ByteTokenizer(), documents, 4, 7);
  EXPECT_EQ(windows.size(), 52U);
  for (const auto& window : windows)
    EXPECT_EQ(window, std::vector<int32_t>(4, window[0]));  // none across two documents
  EXPECT_FALSE(std::is_sorted(windows.begin(), windows.end()));
  EXPECT_EQ(windows, sampled_windows(ByteTokenizer(), documents, 4, 7));
  EXPECT_NE(windows, sampled_windows(ByteTokenizer(), documents, 4, 8));
}

TEST_F(Corpus, ShortDocumentsAreJoinedIntoWindows) {
  const Windows windows = sampled_windows(ByteTokenizer(), {"ab", "cde", "fgh"}, 4, 1);
  ASSERT_EQ(windows.size(), 2U);  // eight tokens, joined
  std::multiset<int32_t> tokens;
  for (const auto& window : windows) tokens.insert(window.begin(), window.end());
  EXPECT_EQ(tokens.size(), 8U);
}

TEST_F(Corpus, DocumentsAreDealtWholeByShareOfTheBytes) {
  std::vector<std::string> documents;
  Random random(3);
  for (int i = 0; i < 400; ++i) documents.push_back(prose(20 + random.below(400), static_cast<uint64_t>(i)));
  documents.push_back(documents[0]);  // an equal one goes to the same part
  const std::vector<double> shares{0.2, 0.1, 0.7};
  const auto parts = split_documents(documents, shares, 11);
  ASSERT_EQ(parts.size(), 3U);
  std::multiset<std::string> dealt;
  const auto total = static_cast<double>(joined(documents).size());
  for (size_t p = 0; p < 3; ++p) {
    EXPECT_NEAR(static_cast<double>(joined(parts[p]).size()) / total, shares[p], 0.01);
    dealt.insert(parts[p].begin(), parts[p].end());
  }
  EXPECT_EQ(dealt, std::multiset<std::string>(documents.begin(), documents.end()));
  int holders = 0;
  for (const auto& part : parts) holders += std::find(part.begin(), part.end(), documents[0]) != part.end();
  EXPECT_EQ(holders, 1);
  EXPECT_EQ(parts, split_documents(documents, shares, 11));
  EXPECT_NE(parts, split_documents(documents, shares, 12));
}

TEST_F(Corpus, ASharedRunIsRefusedWhereverItLies) {
  const std::string run = prose(200, 50);
  for (const size_t before : {0U, 1U, 57U, 99U, 100U, 431U})
    for (const size_t other_before : {0U, 13U, 250U}) {
      const std::vector<std::string> one{prose(300, 1), prose(before, 2) + run + prose(70, 3)};
      const std::vector<std::string> other{prose(other_before, 4) + run + prose(90, 5), prose(300, 6)};
      const auto status = check_apart(one, "calibration.txt", other, "test.txt");
      ASSERT_FALSE(status.ok()) << before << " " << other_before;
      EXPECT_EQ(status.error().kind, ErrorKind::bad_input);
      EXPECT_TRUE(status.error().what.starts_with("both hold the same 20")) << status.error().what;
      EXPECT_NE(status.error().what.find(run.substr(1, 40)), std::string::npos) << status.error().what;
      const std::string place = "calibration.txt, document 2, byte " + std::to_string(before);
      EXPECT_TRUE(status.error().where.starts_with(place.substr(0, 33))) << status.error().where;
    }
}

TEST_F(Corpus, WhatIsSharedByChanceIsNot) {
  const std::string run = prose(190, 50);
  EXPECT_TRUE(check_apart({prose(300, 1) + run + prose(70, 3)}, "a", {prose(77, 4) + run + prose(90, 5)}, "b").ok());
  const std::string rule = "\n" + std::string(500, '-') + "\n";
  EXPECT_TRUE(check_apart({prose(300, 1) + rule}, "a", {prose(77, 4) + rule + prose(90, 5)}, "b").ok());
  EXPECT_TRUE(check_apart({"Yes.", prose(63, 9)}, "a", {"Yes.", prose(63, 9)}, "b").ok());
  EXPECT_TRUE(check_apart({}, "a", {prose(300, 1)}, "b").ok());
}

TEST_F(Corpus, AWholeSharedDocumentIsRefused) {
  const std::string poem = "床前明月光，疑是地上霜。\n举头望明月，低头思故乡。\n";
  const auto status = check_apart({"x", poem}, "a", {poem}, "b");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what, "both hold the same 74 bytes \"床前明月光，疑是地上霜。 举头望明月，低头思故乡。\"");
  EXPECT_EQ(status.error().where, "a, document 2, byte 0; b, document 1, byte 0");
}

}  // namespace
}  // namespace tqm::compress
