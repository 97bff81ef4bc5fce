#include "compress/tokenizer/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utf8proc.h>

namespace tqm::compress {

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6)), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12)), put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18)), put(0x80 | ((c >> 12) & 0x3F)), put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
  }
}

CodePoint code_point_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
  if (length == 0 || text.size() - at < length) return {};
  char32_t value = lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  if (value > 0x10FFFF) return {};
  return {value, length};
}

namespace {

size_t shortest_length(char32_t c) {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

}  // namespace

bool needs_repair(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    if (c.length == 0 || c.length != shortest_length(c.value)) return true;
    at += c.length;
  }
  return false;
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    append_utf8(out, c.length == 0 ? U'\uFFFD' : c.value);
    at += c.length == 0 ? 1 : c.length;
  }
  return out;
}

size_t announced_length(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size() - at);
}

namespace {

utf8proc_option_t options(UnicodeForm form) {
  switch (form) {
    case UnicodeForm::nfc:
      return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    case UnicodeForm::nfd:
      return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
    case UnicodeForm::nfkc:
      return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    case UnicodeForm::nfkd:
      break;
  }
  return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
}

// A stretch of valid Unicode, so that the library has nothing to refuse but a lack of memory or a length beyond 2 GiB.
void append_normalized(std::string& out, std::string_view text, UnicodeForm form) {
  utf8proc_uint8_t* raw = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &raw, options(form));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(raw, &std::free);
  if (length < 0) {
    out += text;
  } else {
    out.append(reinterpret_cast<const char*>(raw), static_cast<size_t>(length));
  }
}

}  // namespace

std::string normalize(std::string_view text, UnicodeForm form) {
  // Nothing below U+0080 changes in any form, nothing below U+0300 in NFC: most text is done here.
  const char32_t unchanged_below = form == UnicodeForm::nfc ? 0x300 : 0x80;
  bool changes = false;
  for (size_t at = 0; at < text.size() && !changes;) {
    const CodePoint c = code_point_at(text, at);
    changes = c.length == 0 || c.value >= unchanged_below;
    at += c.length;
  }
  if (!changes) return std::string(text);

  std::string out;
  out.reserve(text.size());
  size_t start = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    const size_t length = c.length == 0 ? 1 : c.length;
    if (c.length == 0 || c.length != shortest_length(c.value) || (c.value >= 0xD800 && c.value < 0xE000)) {
      append_normalized(out, text.substr(start, at - start), form);
      out += text.substr(at, length);
      start = at + length;
    }
    at += length;
  }
  append_normalized(out, text.substr(start), form);
  return out;
}

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_letter(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}

char32_t to_upper(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}
char32_t to_lower(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

bool is_word_character(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return false;
  }
}

namespace {

// Printable bytes of Latin-1 stand for themselves; the others are numbered from U+0100 on in their order.
struct ByteAlphabet {
  std::array<std::string, 256> character;
  std::array<int16_t, 512> byte{};  // by code point, −1 where it is not of the alphabet

  ByteAlphabet() {
    byte.fill(-1);
    char32_t next = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
      const bool itself = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
      const char32_t c = itself ? b : next++;
      append_utf8(character[b], c);
      byte[c] = static_cast<int16_t>(b);
    }
  }
};

const ByteAlphabet& alphabet() {
  static const ByteAlphabet instance;
  return instance;
}

}  // namespace

std::string_view byte_to_character(uint8_t byte) {
  return alphabet().character[byte];
}

std::string bytes_to_characters(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char b : bytes) out += byte_to_character(static_cast<uint8_t>(b));
  return out;
}

std::optional<std::string> characters_to_bytes(std::string_view characters) {
  std::string out;
  out.reserve(characters.size());
  for (size_t at = 0; at < characters.size();) {
    const CodePoint c = code_point_at(characters, at);
    if (c.length == 0 || c.value >= alphabet().byte.size() || alphabet().byte[c.value] < 0) return std::nullopt;
    out += static_cast<char>(static_cast<unsigned char>(alphabet().byte[c.value]));
    at += c.length;
  }
  return out;
}

}  // namespace tqm::compress
