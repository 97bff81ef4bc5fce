// UTF-8 as the tokenisers see it: repaired, normalised, and the byte-level alphabet in which byte-level BPE spells its
// tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tqm::compress {

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

void append_utf8(std::string& out, char32_t code_point);

// The code point at `at` and its length; length 0 where the bytes there are no UTF-8. Overlong forms and surrogates
// pass, as in llama.cpp; what lies beyond U+10FFFF does not.
struct CodePoint {
  char32_t value = 0;
  size_t length = 0;
};
CodePoint code_point_at(std::string_view text, size_t at);

// llama.cpp's rule: each byte that starts no whole code point becomes U+FFFD, overlong forms become their shortest
// form.
bool needs_repair(std::string_view text);
std::string repair_utf8(std::string_view text);

// Bytes of the character that a lead byte announces, never past the end and never 0 inside the text; nothing is
// verified.
size_t announced_length(std::string_view text, size_t at);

// Text that is no valid Unicode at some place (surrogates) is normalised around that place.
std::string normalize(std::string_view text, UnicodeForm form);

bool is_white_space(char32_t code_point);  // the property White_Space
bool is_letter(char32_t code_point);
bool is_digit(char32_t code_point);  // a decimal digit of any script
char32_t to_upper(char32_t code_point);
char32_t to_lower(char32_t code_point);
bool is_word_character(char32_t code_point);  // letter, mark, number or connector

// Byte-level BPE writes each byte as one printable character; this is the character of a byte and the way back.
std::string_view byte_to_character(uint8_t byte);
std::string bytes_to_characters(std::string_view bytes);
std::optional<std::string> characters_to_bytes(
    std::string_view characters);  // nothing where a character is not of the alphabet

}  // namespace tqm::compress
