// What a tool found, in one document that scripts and people both read: report.json, and report.html drawn from it.
//
// A Report has a header (who ran what, when, on which inputs), a verdict, sections of typed blocks for people, and
// `data`, which belongs to the tool: scripts read numbers there and need not look through the sections. Charts are
// declared (a kind and its numbers), never in the words of a drawing library. docs/report.md explains the form,
// report.schema.json fixes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace tqm::report {

inline constexpr int kSchemaVersion = 1;

// Every sentence in both languages; an empty zh shows the English.
struct Text {
  std::string en = {};
  std::string zh = {};
};

enum class Verdict {
  accepted,     // checked against the original, good enough
  repaired,     // good enough after the worst parts went back
  rolled_back,  // checked, and not good enough: nothing was kept
  undecided,    // the check could not tell; nothing was kept
  done,         // there was nothing to judge: an inspection, a bill
};
std::string_view name(Verdict verdict);  // "rolled-back"

// A measured number with the bounds of its interval.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

// std::monostate shows as a dash, and so does a number that is not finite (null in the file).
using Value = std::variant<std::monostate, bool, int64_t, double, Interval, std::string, Text>;

// How the numbers of a fact, a column or an axis are shown. The file holds them unscaled: bytes, seconds, fractions.
struct Format {
  enum class Kind {
    number,    // as it is, with `digits` decimals, thousands apart
    percent,   // a fraction: 0.031 shows as 3.1 %
    bytes,     // shows in KiB, MiB or GiB
    duration,  // seconds: shows in µs, ms, s, min or h
    code,      // a string in a fixed-width face: a path, a name, a hash
  };
  Kind kind = Kind::number;
  int digits = -1;        // decimals; -1 is four significant digits
  std::string unit = {};  // written after a plain number
};

// Key and value, one a line. `good` colours the value: met or missed.
struct Fact {
  Text name = {};
  Value value = {};
  Format format = {};
  Text note = {};
  std::optional<bool> good = std::nullopt;
};
struct Facts {
  Text title = {};
  bool headline = false;  // the few numbers a reader came for: drawn large
  std::vector<Fact> facts = {};
};

struct Column {
  Text title = {};
  Format format = {};
};
struct Table {
  Text title = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Value>> rows = {};  // each as long as `columns`
  std::vector<size_t> highlighted = {};       // rows that the report is about
  Text note = {};
};

struct Axis {
  Text title = {};
  Format format = {};
  bool logarithmic = false;
};
struct Series {
  // What the series is, which decides its colour; `original` and `result` are the two sides of a comparison.
  enum class Role { plain, original, result, accept_boundary, reject_boundary };
  Text name = {};
  std::vector<double> x = {};  // line, scatter, sequential; elsewhere the chart's categories take its place
  std::vector<double> y = {};
  std::vector<double> low = {};  // bounds of y: none, or as many as y. A band on lines, error bars elsewhere
  std::vector<double> high = {};
  Role role = Role::plain;
};
// A line across the chart at a value of the measured axis: a threshold, a target.
struct Mark {
  Text name = {};
  double value = 0;
};
struct Chart {
  enum class Kind {
    line,
    scatter,
    bar,         // one group of bars a category
    interval,    // a forest plot: one row a category, estimates with their bounds lying along the measured axis
    sequential,  // the path of a sequential test between its boundaries, x = rounds
  };
  Kind kind = Kind::line;
  Text title = {};
  Axis x = {};  // bar and interval: what the categories are
  Axis y = {};  // what was measured, whichever way the chart lies
  std::vector<Text> categories = {};
  std::vector<Series> series = {};
  std::vector<Mark> marks = {};
  Text note = {};
};

struct Paragraphs {
  std::vector<Text> paragraphs = {};
};

enum class Level { info, warning, error };
struct Notice {
  Level level = Level::info;
  Text text = {};
};

// One or two sources side by side, with numbered remarks in the margin.
struct Source {
  Text title = {};
  std::string language = {};  // "cuda", "bang", "json"; may be empty
  std::string text = {};
};
struct CodeNote {
  size_t source = 0;  // index in Code::sources
  int line = 1;       // counted from 1
  Level level = Level::info;
  std::string id = {};  // "TQ0012"; may be empty
  Text text = {};
};
struct Code {
  Text title = {};
  std::vector<Source> sources = {};
  std::vector<CodeNote> notes = {};
};

// What several models (programs) said to the same prompts. The page marks where each leaves the first.
struct Sample {
  std::string prompt = {};
  std::vector<std::string> outputs = {};  // as many as Samples::names
};
struct Samples {
  Text title = {};
  std::vector<Text> names = {};
  std::vector<Sample> samples = {};
};

using Block = std::variant<Facts, Table, Chart, Paragraphs, Notice, Code, Samples>;

struct Section {
  Text title = {};
  std::vector<Block> blocks = {};
};

// An input read or an output written.
struct File {
  std::string name = {};         // what it is to the command: "model", "calibration", "compressed-tensors"
  std::string path = {};         // as the user gave it
  std::string fingerprint = {};  // may be empty
  uint64_t bytes = 0;
};

struct Host {
  std::string system = {};     // "Debian GNU/Linux 12, x86_64"
  std::string processor = {};  // "AMD EPYC 9654"
  int threads = 0;             // used, not present
  uint64_t memory_bytes = 0;
  std::vector<std::string> devices = {};  // accelerators used
};

struct Report {
  Text title = {};                        // "SmolLM2-135M-Instruct to INT8 W8A8"
  std::string tool = {};                  // "torquetum-compress"
  std::string version = {};               // of the tool
  std::vector<std::string> command = {};  // argv
  std::string started = {};               // 2026-11-30T20:37:19Z; time is passed in
  std::string finished = {};
  int attempt = 1;
  Host host = {};
  std::vector<File> inputs = {};
  std::vector<File> outputs = {};
  Verdict verdict = Verdict::done;
  Text sentence = {};  // the verdict in one sentence
  std::vector<Section> sections = {};
  Json data = Json::object();
};

// The document. A Report whose parts don't fit together (a row too short, bounds for some points only) is our own bug.
Json to_json(const Report& report);

// The self-contained page that draws a document; asks nothing of any network.
std::string to_html(const Json& document);

// Writes report.html and then report.json into folder (made if missing), each whole or not at all.
Status write(const Report& report, const std::filesystem::path& folder);

// The JSON Schema (draft 2020-12) of the document.
std::string_view schema();

}  // namespace tqm::report
