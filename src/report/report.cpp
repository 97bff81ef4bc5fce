#include "report/report.hpp"

#include <cmath>
#include <utility>

namespace tqm::report {

namespace {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (double value : values) list.push_back(number(value));
  return list;
}

Json text(const Text& text) {
  Json json = {{"en", text.en}};
  if (!text.zh.empty()) json["zh"] = text.zh;
  return json;
}

Json texts(const std::vector<Text>& list) {
  Json json = Json::array();
  for (const Text& item : list) json.push_back(text(item));
  return json;
}

void put(Json& json, const char* key, const Text& value) {
  if (!value.en.empty()) json[key] = text(value);
}

struct ValueToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(int64_t value) const { return value; }
  Json operator()(double value) const { return number(value); }
  Json operator()(const Interval& value) const {
    return {{"value", number(value.value)}, {"low", number(value.low)}, {"high", number(value.high)}};
  }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const Text& value) const { return text(value); }
};

std::string_view name(Format::Kind kind) {
  switch (kind) {
    case Format::Kind::number:
      return "number";
    case Format::Kind::percent:
      return "percent";
    case Format::Kind::bytes:
      return "bytes";
    case Format::Kind::duration:
      return "duration";
    case Format::Kind::code:
      return "code";
  }
  ASSERT(false);
}

std::string_view name(Series::Role role) {
  switch (role) {
    case Series::Role::plain:
      return "plain";
    case Series::Role::original:
      return "original";
    case Series::Role::result:
      return "result";
    case Series::Role::accept_boundary:
      return "accept-boundary";
    case Series::Role::reject_boundary:
      return "reject-boundary";
  }
  ASSERT(false);
}

std::string_view name(Chart::Kind kind) {
  switch (kind) {
    case Chart::Kind::line:
      return "line";
    case Chart::Kind::scatter:
      return "scatter";
    case Chart::Kind::bar:
      return "bar";
    case Chart::Kind::interval:
      return "interval";
    case Chart::Kind::sequential:
      return "sequential";
  }
  ASSERT(false);
}

std::string_view name(Level level) {
  switch (level) {
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  ASSERT(false);
}

Json format(const Format& format) {
  Json json = {{"kind", name(format.kind)}};
  if (format.digits >= 0) json["digits"] = format.digits;
  if (!format.unit.empty()) json["unit"] = format.unit;
  return json;
}

Json axis(const Axis& axis) {
  Json json = {{"title", text(axis.title)}, {"format", format(axis.format)}};
  if (axis.logarithmic) json["logarithmic"] = true;
  return json;
}

struct BlockToJson {
  Json operator()(const Facts& block) const {
    Json json = {{"type", "facts"}};
    put(json, "title", block.title);
    if (block.headline) json["headline"] = true;
    json["facts"] = Json::array();
    for (const Fact& fact : block.facts) {
      Json item = {
          {"name", text(fact.name)}, {"value", std::visit(ValueToJson{}, fact.value)}, {"format", format(fact.format)}};
      put(item, "note", fact.note);
      if (fact.good) item["good"] = *fact.good;
      json["facts"].push_back(std::move(item));
    }
    return json;
  }

  Json operator()(const Table& block) const {
    Json json = {{"type", "table"}};
    put(json, "title", block.title);
    json["columns"] = Json::array();
    for (const Column& column : block.columns) {
      json["columns"].push_back({{"title", text(column.title)}, {"format", format(column.format)}});
    }
    json["rows"] = Json::array();
    for (const auto& row : block.rows) {
      ASSERT(row.size() == block.columns.size());
      Json cells = Json::array();
      for (const Value& value : row) cells.push_back(std::visit(ValueToJson{}, value));
      json["rows"].push_back(std::move(cells));
    }
    if (!block.highlighted.empty()) {
      for (size_t row : block.highlighted) ASSERT(row < block.rows.size());
      json["highlighted"] = block.highlighted;
    }
    put(json, "note", block.note);
    return json;
  }

  Json operator()(const Chart& block) const {
    bool by_category = block.kind == Chart::Kind::bar || block.kind == Chart::Kind::interval;
    Json json = {{"type", "chart"},
                 {"kind", name(block.kind)},
                 {"title", text(block.title)},
                 {"x", axis(block.x)},
                 {"y", axis(block.y)}};
    if (by_category) json["categories"] = texts(block.categories);
    json["series"] = Json::array();
    for (const Series& series : block.series) {
      size_t points = by_category ? block.categories.size() : series.x.size();
      ASSERT(series.y.size() == points && (by_category ? series.x.empty() : true));
      ASSERT(series.low.size() == series.high.size() && (series.low.empty() || series.low.size() == points));
      Json item = {{"name", text(series.name)}, {"role", name(series.role)}};
      if (!by_category) item["x"] = numbers(series.x);
      item["y"] = numbers(series.y);
      if (!series.low.empty()) {
        item["low"] = numbers(series.low);
        item["high"] = numbers(series.high);
      }
      json["series"].push_back(std::move(item));
    }
    if (!block.marks.empty()) {
      json["marks"] = Json::array();
      for (const Mark& mark : block.marks) {
        json["marks"].push_back({{"name", text(mark.name)}, {"value", number(mark.value)}});
      }
    }
    put(json, "note", block.note);
    return json;
  }

  Json operator()(const Paragraphs& block) const { return {{"type", "text"}, {"paragraphs", texts(block.paragraphs)}}; }

  Json operator()(const Notice& block) const {
    return {{"type", "notice"}, {"level", name(block.level)}, {"text", text(block.text)}};
  }

  Json operator()(const Code& block) const {
    ASSERT(block.sources.size() == 1 || block.sources.size() == 2);
    Json json = {{"type", "code"}};
    put(json, "title", block.title);
    json["sources"] = Json::array();
    for (const Source& source : block.sources) {
      Json item = {{"title", text(source.title)}};
      if (!source.language.empty()) item["language"] = source.language;
      item["text"] = source.text;
      json["sources"].push_back(std::move(item));
    }
    json["notes"] = Json::array();
    for (const CodeNote& note : block.notes) {
      ASSERT(note.source < block.sources.size() && note.line >= 1);
      Json item = {{"source", note.source}, {"line", note.line}, {"level", name(note.level)}};
      if (!note.id.empty()) item["id"] = note.id;
      item["text"] = text(note.text);
      json["notes"].push_back(std::move(item));
    }
    return json;
  }

  Json operator()(const Samples& block) const {
    Json json = {{"type", "samples"}};
    put(json, "title", block.title);
    json["names"] = texts(block.names);
    json["samples"] = Json::array();
    for (const Sample& sample : block.samples) {
      ASSERT(sample.outputs.size() == block.names.size());
      json["samples"].push_back({{"prompt", sample.prompt}, {"outputs", sample.outputs}});
    }
    return json;
  }
};

Json files(const std::vector<File>& list) {
  Json json = Json::array();
  for (const File& file : list) {
    Json item = {{"name", file.name}, {"path", file.path}};
    if (!file.fingerprint.empty()) item["fingerprint"] = file.fingerprint;
    item["bytes"] = file.bytes;
    json.push_back(std::move(item));
  }
  return json;
}

Json host(const Host& host) {
  return {{"system", host.system},
          {"processor", host.processor},
          {"threads", host.threads},
          {"memory_bytes", host.memory_bytes},
          {"devices", host.devices}};
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
      return "accepted";
    case Verdict::repaired:
      return "repaired";
    case Verdict::rolled_back:
      return "rolled-back";
    case Verdict::undecided:
      return "undecided";
    case Verdict::done:
      return "done";
  }
  ASSERT(false);
}

Json to_json(const Report& report) {
  Json sections = Json::array();
  for (const Section& section : report.sections) {
    Json blocks = Json::array();
    for (const Block& block : section.blocks) blocks.push_back(std::visit(BlockToJson{}, block));
    sections.push_back({{"title", text(section.title)}, {"blocks", std::move(blocks)}});
  }
  return {{"schema_version", kSchemaVersion},
          {"title", text(report.title)},
          {"tool", report.tool},
          {"version", report.version},
          {"command", report.command},
          {"started", report.started},
          {"finished", report.finished},
          {"attempt", report.attempt},
          {"host", host(report.host)},
          {"inputs", files(report.inputs)},
          {"outputs", files(report.outputs)},
          {"verdict", name(report.verdict)},
          {"sentence", text(report.sentence)},
          {"data", report.data},
          {"sections", std::move(sections)}};
}

}  // namespace tqm::report
