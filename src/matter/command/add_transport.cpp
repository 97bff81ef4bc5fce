#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "matter/command/commands.hpp"
#include "matter/command/read_options.hpp"
#include "matter/command/transport_report.hpp"
#include "matter/structure/element.hpp"
#include "report/host.hpp"
#include "task/session.hpp"

namespace tqm::matter {
namespace {

constexpr double kSameTemperature = 0.01;         // of it: what runs at one setting may differ by in their means
constexpr size_t kMostBytes = size_t{512} << 20;  // of kept positions, all files together

struct Given {
  std::vector<std::string> files, command;
  std::filesystem::path out;
  std::string mobile;
  std::vector<double> temperatures;
  std::optional<double> frame_fs;
  double skip_ps = 0;
  TransportOptions options;
  ReadGiven read;
  bool json = false;
};

struct Group {
  double temperature = 0;
  std::vector<Track> runs;
};

Result<double> temperature_of(const Given& given, size_t file, const Track& track) {
  if (given.temperatures.size() == 1) return given.temperatures.front();
  if (!given.temperatures.empty()) return given.temperatures[file];
  if (track.temperature && *track.temperature > 0) return *track.temperature;
  return Error{ErrorKind::bad_input, "the frames carry neither temperature_k nor velocities", track.name,
               "give --temperature, one for all files or one a file"};
}

Result<std::vector<Group>> read_groups(const Given& given, task::Session& session) {
  const ReadOptions read = TRY(read_options(given.read));
  TrackOptions options;
  options.mobile = given.options.mobile;
  options.frame_fs = given.frame_fs;
  options.skip_fs = given.skip_ps * 1000;
  options.most_bytes = kMostBytes / given.files.size();
  int64_t before = 0, now = 0;
  options.progress = [&](int64_t frames) {
    now = before + frames;
    session.progress("read", now, 0, "frames");
    return session.check_stop();
  };
  std::vector<Group> groups;
  for (size_t file = 0; file < given.files.size(); ++file) {
    Track track = TRY(read_track(given.files[file], given.read.from, read, options));
    before = now;
    const double temperature = TRY(temperature_of(given, file, track));
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return std::abs(group.temperature - temperature) <= kSameTemperature * group.temperature;
    });
    if (same == groups.end()) same = groups.insert(groups.end(), {temperature, {}});
    same->runs.push_back(std::move(track));
  }
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.temperature < b.temperature; });
  return groups;
}

report::Report whole_report(const Given& given, const TransportFindings& found, int64_t began_ns, int attempt) {
  report::Report r = transport_report(found);
  r.tool = "torquetum-matter";
  r.version = std::string(version());
  r.command = given.command;
  r.started = utc_text(began_ns);
  r.finished = utc_text(system_clock().wall_ns());
  r.attempt = attempt;
  r.host = report::this_host(1);
  for (const std::string& file : given.files) {
    std::error_code code;
    const auto bytes = std::filesystem::file_size(file, code);
    r.inputs.push_back({"trajectory", file, "", code ? uint64_t{0} : static_cast<uint64_t>(bytes)});
  }
  return r;
}

Result<int> run(Given given) {
  const int64_t began_ns = system_clock().wall_ns();
  const auto element = element_by_symbol(given.mobile);
  if (!element)
    return Error{ErrorKind::usage, "--mobile names " + given.mobile + ", which is no element", "--mobile", "say Li"};
  if (given.options.charge == 0)
    return Error{ErrorKind::usage, "an ion without charge carries no current", "--charge", "give its charge in e"};
  if (given.temperatures.size() > 1 && given.temperatures.size() != given.files.size())
    return Error{ErrorKind::usage,
                 fmt::format("{} temperatures for {} files", given.temperatures.size(), given.files.size()),
                 "--temperature", "give one for all files, or one a file"};
  given.options.mobile = *element;
  task::Session session = TRY(task::Session::start({.json = given.json}));
  std::vector<Group> groups = TRY(read_groups(given, session));
  TransportFindings found;
  found.options = given.options;
  std::vector<ArrheniusPoint> points;
  for (size_t i = 0; i < groups.size(); ++i) {
    session.progress("analyse", static_cast<int64_t>(i), static_cast<int64_t>(groups.size()), "temperatures");
    TRY(session.check_stop());
    Transport t = TRY(transport(groups[i].runs, groups[i].temperature, given.options));
    groups[i].runs.clear();
    points.push_back(point_of(t));
    found.temperatures.push_back(std::move(t));
  }
  if (points.size() > 1) found.carried_on = TRY(arrhenius(points, given.options.target_temperature));

  const report::Report r = whole_report(given, found, began_ns, static_cast<int>(session.attempt()));
  if (!given.out.empty()) {
    TRY(report::write(r, given.out));
    session.artifact(given.out / "report.json", "report");
  }
  std::cout << (given.json ? dump_json(r.data) + "\n" : transport_text(found));
  if (!given.out.empty() && !given.json) std::cout << (given.out / "report.html").string() << "\n";
  const bool something = std::any_of(found.temperatures.begin(), found.temperatures.end(),
                                     [](const Transport& t) { return t.standing != Standing::refused; });
  return something ? 0 : 1;
}

}  // namespace

Action add_transport(CLI::App& app, std::vector<std::string> command_line) {
  auto given = std::make_shared<Given>();
  given->command = std::move(command_line);
  CLI::App* command =
      app.add_subcommand("transport", "Diffusion and conductivity of ions from trajectories, with intervals");
  command->footer(
      "Files at one temperature (within 1 %) are seeds and pooled; several temperatures make an Arrhenius line to "
      "--target.\n"
      "A value needs 100 effective jumps, a flagged one 30; below there is only an upper bound. Exit status 1 where "
      "every\n"
      "temperature is refused.\n"
      "Examples:\n"
      "  torquetum matter transport md-700K.xyz --mobile Li --charge 1\n"
      "  torquetum matter transport md-*.xyz --mobile Li --charge 1 -o transport\n"
      "  torquetum matter transport XDATCAR --mobile Na --charge 1 --temperature 900 --frame-fs 20 --skip-ps 5");
  command->add_option("TRAJECTORY", given->files, "read: " + form_names(false))->required()->check(CLI::ExistingFile);
  command->add_option("--mobile", given->mobile, "the element that conducts, such as Li")->required();
  command->add_option("--charge", given->options.charge, "of one of its ions, in e")->required();
  command
      ->add_option("--temperature", given->temperatures,
                   "K, one for all files or one a file, 600,700,…; else as the frames say")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--target", given->options.target_temperature, "K that the Arrhenius line is carried on to")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--jump", given->options.jump, "Å: the length of a jump, by which jumps are counted")
      ->check(CLI::Range(0.5, 20.0))
      ->capture_default_str();
  command->add_option("--frame-fs", given->frame_fs, "fs between frames, where the file does not say")
      ->check(CLI::PositiveNumber);
  command->add_option("--skip-ps", given->skip_ps, "ps of equilibration at the beginning, left out")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("-o,--out", given->out, "a folder for report.html and report.json");
  add_read_options(*command, given->read);
  command->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run(*given); };
}

}  // namespace tqm::matter
