// The page: viewer/page.html with the style, the charts library, the viewer and the document put in. Whatever a model
// or a file name may hold, none of it can end the element that it sits in.
#include <array>
#include <report_embedded.hpp>
#include <utility>

#include "base/file.hpp"
#include "report/report.hpp"

namespace tqm::report {

namespace {

std::string escape_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// In JSON '<' only stands inside strings, where its escape means the same; without it "</script>" and "<!--" can't
// arise.
std::string escape_json(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string english(const Json& document, const char* key) {
  auto text = document.find(key);
  if (text == document.end() || !text->is_object()) return {};
  auto en = text->find("en");
  if (en == text->end() || !en->is_string()) return {};
  return parse_json(dump_json(*en), key).take().get<std::string>();  // bytes that are not UTF-8 become U+FFFD
}

}  // namespace

std::string to_html(const Json& document) {
  std::string scripts;
  for (std::string_view part : {embedded::charts_library(), embedded::words_js(), embedded::format_js(),
                                embedded::charts_js(), embedded::blocks_js(), embedded::viewer_js()}) {
    scripts += "<script>";
    scripts += part;
    scripts += "</script>\n";
  }
  const std::array<std::pair<std::string_view, std::string>, 5> parts = {{
      {"@title@", escape_text(english(document, "title"))},
      {"@style@", std::string(embedded::viewer_css())},
      {"@sentence@", escape_text(english(document, "sentence"))},
      {"@document@", escape_json(dump_json(document, -1))},
      {"@scripts@", std::move(scripts)},
  }};
  // One pass over the template: what is put in is not looked at again.
  std::string_view rest = embedded::page_html();
  std::string page;
  for (const auto& [mark, content] : parts) {
    size_t at = rest.find(mark);
    ASSERT(at != std::string_view::npos);
    page += rest.substr(0, at);
    page += content;
    rest.remove_prefix(at + mark.size());
  }
  page += rest;
  return page;
}

Status write(const Report& report, const std::filesystem::path& folder) {
  TRY(make_folders(folder));
  Json document = to_json(report);
  // report.json last: where it stands, the report is whole.
  TRY(write_file_atomic(folder / "report.html", to_html(document)));
  TRY(write_file_atomic(folder / "report.json", dump_json(document) + "\n"));
  return {};
}

std::string_view schema() {
  return embedded::schema_json();
}

}  // namespace tqm::report
