#include "base/json.hpp"

#include <unordered_set>
#include <vector>

#include "base/file.hpp"

namespace tqm {
namespace {

// Builds the value in the order of the text. The library's own parser looks through all earlier keys at each key, which
// takes minutes for a vocabulary; here each open object keeps a set of them.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Json take() { return std::move(root_); }
  const std::string& what() const { return what_; }

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return put(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return put(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return put(value) != nullptr; }
  bool string(string_t& value) override { return put(std::move(value)) != nullptr; }
  bool binary(binary_t& value) override { return put(Json::binary(std::move(value))) != nullptr; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    if (!open_.back().keys.insert(value).second) {
      what_ = "the key '" + value + "' stands twice in one object";
      return false;
    }
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    what_ = e.what();
    if (const size_t at = what_.find("] "); at != std::string::npos) what_ = what_.substr(at + 2);
    return false;
  }

 private:
  struct Open {
    Json* value;
    std::unordered_set<std::string> keys;
  };
  Json* put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    auto& object = parent.get_ref<Json::object_t&>();
    object.emplace_back(std::move(key_), std::move(value));
    return &object.back().second;
  }
  // An outer value is not appended to while an inner one is open, so the pointers hold.
  bool open(Json value) {
    open_.push_back({put(std::move(value)), {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Open> open_;
  std::string key_, what_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& where) {
  Builder builder;
  if (!Json::sax_parse(text, &builder)) {
    return Error{ErrorKind::bad_input, "not valid JSON: " + builder.what(), where, "check that the file is whole"};
  }
  return builder.take();
}

Result<Json> read_json(const std::filesystem::path& path) {
  std::string text = TRY(read_file(path));
  return parse_json(text, path.string());
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tqm
