#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>

#include "base/json.hpp"
#include "base/text.hpp"
#include "matter/command/commands.hpp"
#include "matter/command/read_options.hpp"
#include "matter/io/formats.hpp"
#include "matter/io/words.hpp"

namespace tqm::matter {
namespace {

struct Given {
  std::filesystem::path in, out;
  ReadGiven read;
  std::string to, frame = "all";
  bool json = false;
};

struct Converted {
  int64_t read = 0, written = 0;
  std::map<std::string, int64_t> left_out;  // what → in how many frames
  std::map<std::string, int64_t> remarks;   // of the reader → in how many frames
};

void count(Converted& done, const Structure& s, const Format& to) {
  for (const std::string& what : left_out(s, to)) ++done.left_out[what];
  const auto remark = s.notes.find("reader");
  if (remark != s.notes.end()) ++done.remarks[remark->second];
}

constexpr int64_t kAll = 0, kLast = -1;

// A frame's number from 1, or one of these.
Result<int64_t> frame_wanted(const std::string& word) {
  if (word == "all") return kAll;
  if (word == "last") return kLast;
  const auto number = integer_of(word);
  if (number && *number >= 1) return *number;
  return Error{ErrorKind::usage, word + " is no frame", "--frame", "say a number from 1, last or all"};
}

Result<Converted> convert(const Given& given, const Format& to) {
  const ReadOptions options = TRY(read_options(given.read));
  const std::unique_ptr<FrameReader> reader = TRY(open_frames(given.in, given.read.from, options));
  const int64_t wanted = TRY(frame_wanted(given.frame));
  FrameFile file = TRY(FrameFile::create(given.out, to));
  Converted done;
  std::optional<Structure> last;
  while (auto frame = TRY(reader->next())) {
    ++done.read;
    if (wanted == kLast) {
      last = std::move(*frame);
    } else if (wanted == kAll || wanted == done.read) {
      TRY(file.write(*frame));
      count(done, *frame, to);
      if (wanted > 0) break;
    }
  }
  if (last) {
    TRY(file.write(*last));
    count(done, *last, to);
  }
  done.written = file.frames();
  if (done.written == 0) {
    if (wanted > 0)
      return Error{ErrorKind::bad_input, fmt::format("there is no frame {}: the file has {}", wanted, done.read),
                   given.in.string(), "choose another"};
    return Error{ErrorKind::bad_input, "the file holds no structure", given.in.string(), "is it empty?"};
  }
  TRY(file.commit());
  return done;
}

Json json_of(const std::map<std::string, int64_t>& counts) {
  Json list = Json::object();
  for (const auto& [what, frames] : counts) list[what] = frames;
  return list;
}

Result<int> run(const Given& given) {
  const Format* to = given.to.empty() ? TRY(format_of_name(given.out)) : TRY(format_named(given.to));
  const Converted done = TRY(convert(given, *to));
  if (given.json) {
    std::cout << dump_json(Json{{"file", given.out.string()},
                                {"form", to->name},
                                {"frames_read", done.read},
                                {"frames_written", done.written},
                                {"left_out", json_of(done.left_out)},
                                {"remarks", json_of(done.remarks)}})
              << "\n";
    return 0;
  }
  std::cout << fmt::format("{} of {} frames read are written to {}, as {}\n", done.written, done.read,
                           given.out.string(), to->name);
  for (const auto& [what, frames] : done.left_out)
    std::cout << fmt::format("left out: {} of {} frames; the form {} has no place for it\n", what, frames, to->name);
  for (const auto& [what, frames] : done.remarks) std::cout << fmt::format("remark on {} frames: {}\n", frames, what);
  return 0;
}

}  // namespace

Action add_convert(CLI::App& app) {
  auto given = std::make_shared<Given>();
  CLI::App* command = app.add_subcommand("convert", "Writes structures and trajectories in another form");
  command->footer(
      "Frame by frame: a trajectory larger than memory is converted too. Units and the sign of stress are made the "
      "same on the\n"
      "way; what the other form has no place for is named.\n"
      "Examples:\n"
      "  torquetum matter convert LLZO.cif POSCAR\n"
      "  torquetum matter convert MOVEMENT run.xyz                forces, stress and energy with the right signs\n"
      "  torquetum matter convert XDATCAR last.cif --frame last\n"
      "  torquetum matter convert dump.li run.xyz --from lammps-dump --types Li,P,S");
  command->add_option("FILE", given->in, "read: " + form_names(false))->required();
  command->add_option("OUT", given->out, "written: " + form_names(true))->required();
  add_read_options(*command, given->read);
  command->add_option("--to", given->to, "the form of OUT, where its name doesn't tell");
  command->add_option("--frame", given->frame, "all, last, or a frame's number from 1")->capture_default_str();
  command->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run(*given); };
}

}  // namespace tqm::matter
