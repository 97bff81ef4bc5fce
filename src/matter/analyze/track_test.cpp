#include "matter/analyze/track.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stats/sample_walk.hpp"

namespace tqm::matter {
namespace {

class Frames : public FrameReader {
 public:
  explicit Frames(std::vector<Structure> frames) : frames_(std::move(frames)) {}
  Result<std::optional<Structure>> next() override {
    if (at_ == frames_.size()) return std::optional<Structure>();
    return std::optional<Structure>(frames_[at_++]);
  }

 private:
  std::vector<Structure> frames_;
  size_t at_ = 0;
};

// Two lithium ions that walk and four oxygens that stand; all of it drifts, and positions are wrapped into the cell.
std::vector<Structure> walking(size_t points, bool wrapped_into = true, const Mat3& cell = Mat3::identity() * 10) {
  const Coordinates walk =
      stats::sample_walk({.walkers = 2, .points = points, .jumps = 40, .jump = 2, .vibration = 0.1}, 4);
  std::vector<Structure> frames;
  for (size_t t = 0; t < points; ++t) {
    Structure s;
    s.cell = cell;
    s.numbers = {3, 8, 8, 3, 8, 8};
    s.time = 10.0 * static_cast<double>(t);
    const Vec3 drift = Vec3{0.03, -0.02, 0.05} * static_cast<double>(t);
    size_t ion = 0;
    for (size_t i = 0; i < 6; ++i) {
      Vec3 x = Vec3{1, 2, 3} * static_cast<double>(i) + drift;
      if (s.numbers[i] == 3) {
        x += Vec3{walk[ion][t], walk[ion + 1][t], walk[ion + 2][t]};
        ion += 3;
      }
      s.positions.push_back(x);
    }
    if (wrapped_into) {
      const auto fractions = wrapped_fractional_positions(s);
      for (size_t i = 0; i < 6; ++i) s.positions[i] = fractions[i] * cell;
    }
    frames.push_back(std::move(s));
  }
  return frames;
}

Result<Track> track_of(std::vector<Structure> frames, TrackOptions options = {}) {
  Frames reader(std::move(frames));
  return read_track(reader, "frames", options);
}

std::string refusal(std::vector<Structure> frames, TrackOptions options = {}) {
  const auto track = track_of(std::move(frames), options);
  return track ? "accepted" : track.error().what;
}

TEST(Track, WrappedPositionsAreUnwrappedAndTheFrameworksDriftTakenOff) {
  const Coordinates walk =
      stats::sample_walk({.walkers = 2, .points = 200, .jumps = 40, .jump = 2, .vibration = 0.1}, 4);
  const Mat3 tilted{{Vec3{10, 0, 0}, Vec3{-2, 9, 0}, Vec3{1, 3, 11}}};
  for (const Mat3& cell : {Mat3::identity() * 10, tilted}) {
    const auto track = track_of(walking(200, true, cell));
    ASSERT_TRUE(track.ok()) << track.error().message();
    ASSERT_EQ(track->ions(), 2u);
    ASSERT_EQ(track->points(), 200u);
    EXPECT_EQ(track->step_fs, 10);
    EXPECT_EQ(track->frames, 200);
    EXPECT_FALSE(track->cell_varies);
    EXPECT_NEAR(track->volume, determinant(cell), 1e-9);
    for (size_t series = 0; series < 6; ++series)
      for (const size_t t : {50, 199})
        EXPECT_NEAR(track->mobile[series][t] - track->mobile[series][0], walk[series][t] - walk[series][0], 1e-9);
    for (const auto& series : track->framework.at(8)) EXPECT_NEAR(series.back(), series.front(), 1e-9);
  }
}

TEST(Track, OurEnginesPositionsAreContinuousAndTakenAsTheyAre) {
  std::vector<Structure> frames = walking(40, false);
  frames[20].positions[0] += Vec3{6, 0, 0};  // more than half a cell: an image could not be told
  for (size_t t = 0; t < frames.size(); ++t) {
    frames[t].time.reset();
    frames[t].notes = {{"ensemble", "csvr"},
                       {"step", std::to_string(t)},
                       {"time_fs", std::to_string(2.5 * static_cast<double>(t))},
                       {"temperature_k", t % 2 == 0 ? "690" : "710"}};
  }
  const auto track = track_of(frames);
  ASSERT_TRUE(track.ok()) << track.error().message();
  EXPECT_NEAR(track->mobile[0][20] - track->mobile[0][19], 6, 2.5);
  EXPECT_EQ(track->step_fs, 2.5);
  ASSERT_TRUE(track->temperature.has_value());
  EXPECT_NEAR(*track->temperature, 700, 1e-9);
}

TEST(Track, LongTrajectoriesAreKeptMoreSeldom) {
  TrackOptions options;
  options.most_bytes = 1;  // the least that is kept: 256 points
  const auto few = track_of(walking(1500), options);
  ASSERT_TRUE(few.ok());
  EXPECT_LE(few->points(), 257u);
  EXPECT_GE(few->points(), 128u);
  EXPECT_EQ(few->frames, 1500);
  const auto all = track_of(walking(1500));
  ASSERT_TRUE(all.ok());
  const auto stride = static_cast<size_t>(few->step_fs / all->step_fs + 0.5);
  for (size_t t = 0; t < few->points(); ++t) EXPECT_NEAR(few->mobile[4][t], all->mobile[4][t * stride], 1e-9);
}

TEST(Track, ACellThatBreathesCarriesNobodyAlong) {
  std::vector<Structure> frames = walking(60, false);
  for (size_t t = 0; t < frames.size(); ++t) {
    const double scale = 1 + 0.01 * std::sin(static_cast<double>(t));
    frames[t].cell = frames[t].cell * scale;
    for (size_t i = 0; i < 6; ++i)
      frames[t].positions[i] = Vec3{1, 2, 3} * static_cast<double>(i) * scale + Vec3{20, 0, 0} * (i == 0 ? scale : 0);
  }
  const auto track = track_of(frames);
  ASSERT_TRUE(track.ok());
  EXPECT_TRUE(track->cell_varies);
  for (const double x : track->mobile[0]) EXPECT_NEAR(x, track->mobile[0][0], 1e-9);
}

TEST(Track, EquilibrationIsSkippedAndFramesWrittenTwiceCountOnce) {
  std::vector<Structure> frames = walking(100);
  frames.insert(frames.begin() + 50, frames[49]);
  TrackOptions options;
  options.skip_fs = 300;
  const auto track = track_of(frames, options);
  ASSERT_TRUE(track.ok()) << track.error().message();
  EXPECT_EQ(track->frames, 70);
}

TEST(Track, VelocitiesGiveTheCurrentAndTheTemperature) {
  std::vector<Structure> frames = walking(30);
  for (Structure& frame : frames) {
    frame.velocities.assign(6, Vec3{0.001, 0, 0});
    frame.velocities[3] = {0.004, 0, 0};
  }
  const auto track = track_of(frames);
  ASSERT_TRUE(track.ok());
  ASSERT_EQ(track->current.size(), 30u);
  EXPECT_NEAR(track->current[7].x, 0.003, 1e-12);  // relative to the oxygens
  EXPECT_GT(*track->temperature, 0);
}

TEST(Track, Refusals) {
  std::vector<Structure> frames = walking(40);
  EXPECT_EQ(refusal(frames), "accepted");
  TrackOptions sodium;
  sodium.mobile = 11;
  EXPECT_EQ(refusal(frames, sodium), "there is no Na");
  EXPECT_EQ(refusal(walking(19)), "19 frames are too few for a diffusion coefficient");

  auto changed = frames;
  changed[5].positions[2] += Vec3{4.5, 0, 0};
  EXPECT_EQ(refusal(changed).substr(0, 31), "atom 3 (O) moves by 0.45 of the");
  changed = frames;
  for (Structure& frame : changed) frame.notes["ensemble"] = "Langevin";
  EXPECT_EQ(refusal(changed), "a Langevin trajectory has no diffusion of its own: the friction sets it");
  changed = frames;
  changed[9].numbers[1] = 16;
  EXPECT_EQ(refusal(changed), "the atoms are not those of the first frame");
  changed = frames;
  changed.erase(changed.begin() + 7);
  EXPECT_EQ(refusal(changed), "frames are not evenly spaced in time: 20 fs after 10 fs");
  changed = frames;
  changed[3].periodic[2] = false;
  EXPECT_EQ(refusal(changed), "the cell is not periodic in all directions");
  changed = frames;
  for (Structure& frame : changed) frame.time.reset();
  EXPECT_EQ(refusal(changed), "the frames carry no time");
  TrackOptions spaced;
  spaced.frame_fs = 5;
  const auto track = track_of(changed, spaced);
  ASSERT_TRUE(track.ok());
  EXPECT_EQ(track->step_fs, 5);
}

}  // namespace
}  // namespace tqm::matter
