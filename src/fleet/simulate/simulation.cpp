#include "fleet/simulate/simulation.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "fleet/simulate/truth.hpp"
#include "fleet/simulate/world.hpp"
#include "fleet/store/ledger_rows.hpp"
#include "fleet/store/store.hpp"

namespace tqm::fleet {
namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kBeginMs = 20'804 * kDayMs;  // the middle of a month

class Simulation {
 public:
  Simulation(const SimulationOptions& options, std::unique_ptr<Store> store)
      : decide_(options.decide),
        store_(std::move(store)),
        random_(options.seed * 2 + 1),
        world_(options.seed, {"cpu.1", "a100.8", "mlu370-x8.8"}, 4 + options.seed % 9),
        steps_(options.steps) {
    truth_.check_months = options.seed % 2 == 0;
    trouble_ = std::array<uint64_t, 3>{150, 600, 2400}[options.seed % 3];
    organisations_ = options.organisations > 0 ? options.organisations
                     : options.seed % 50 == 0  ? 1000
                                               : 3 + static_cast<int>(random_.below(10));
    for (const char* id : {"cpu.1", "a100.8", "mlu370-x8.8"}) {
      NodeType type;
      type.id = id;
      type.domestic = type.id.starts_with("mlu");
      type.prices = {{0, static_cast<Micro>(1 + random_.below(300'000'000)), {}, {}}};
      types_.push_back(std::move(type));
    }
  }

  SimulationResult run() {
    restart(0);
    for (int i = 0; i < organisations_ && fault_.empty(); ++i) make_organisation(i);
    for (int step = 1; step <= steps_ && fault_.empty(); ++step) {
      ++result_.steps;
      pass(250 * static_cast<int64_t>(1 + random_.below(6)));
      if (fault_.empty()) act();
      check(step % 100 == 0);
    }
    settle();
    check(true);
    read([&](Connection& c) -> Status {
      const LedgerCheck ledger = TRY(verify_ledger(c));
      result_.accounts = ledger.accounts;
      result_.transactions = ledger.transactions;
      const Rows rows = TRY(c.run("SELECT COUNT(*), CAST(COALESCE(SUM(seconds), 0) AS BIGINT) FROM attempt"));
      result_.attempts = rows[0].number(0);
      result_.seconds = rows[0].number(1);
      return {};
    });
    result_.jobs = static_cast<int64_t>(truth_.jobs.size());
    result_.fault = fault_;
    return result_;
  }

 private:
  int64_t wall_ms() const { return kBeginMs + world_.now_ms + wall_offset_ms_; }
  Now now() const { return {wall_ms(), {epoch_, world_.now_ms - began_ms_}}; }
  Actor actor() const { return {"operator", wall_ms()}; }
  std::string fresh(const char* what) { return std::string(what) + std::to_string(++ids_); }

  void fault(const std::string& text) {
    if (fault_.empty() && !text.empty()) fault_ = "step " + std::to_string(result_.steps) + ": " + text;
  }
  template <class F>
  auto write(F f) {
    auto done = store_->write(std::move(f));
    if (!done.ok() && done.error().kind == ErrorKind::internal) fault(done.error().message());
    return done;
  }
  template <class F>
  void read(F f) {
    const Status done = store_->read(std::move(f));
    if (!done.ok()) fault(done.error().message());
  }

  void restart(int64_t away_ms) {
    up_ms_ = world_.now_ms + away_ms;
    up_ = false;
    ++result_.restarts;
  }

  // Time, then whatever has arrived, then a pass of reconcile.
  void pass(int64_t ms) {
    world_.advance(ms);
    if (const std::string twice = world_.running_twice(); !twice.empty())
      fault("job " + twice + " runs twice at the same time");
    std::vector<Message> arrived = world_.take_arrived();
    if (!up_ && world_.now_ms >= up_ms_) {
      began_ms_ = world_.now_ms;
      epoch_ = write([](Connection& c) { return next_epoch(c); }).take();
      up_ = true;
    }
    for (const Message& message : arrived)
      if (up_ && fault_.empty()) handle(message);
    if (up_ && fault_.empty()) reconcile_once();
  }

  bool dies() {  // the service, at this point
    if (calm_ || random_.below(trouble_) != 0) return false;
    restart(static_cast<int64_t>(random_.below(8000)));
    return true;
  }

  void handle(const Message& message) {
    if (dies()) return;
    Shim& shim = world_.shims[message.shim];
    touched_jobs_.insert(shim.job);
    Answer answer{message.shim, message.kind, false, {}, message.use.to, message.sent_ms, 0};
    Status done;
    if (message.kind == Message::claim) {
      auto permit =
          write([&](Connection& c) { return claim_attempt(c, decide_, shim.job, shim.attempt, shim.holder, now()); });
      permit.ok() ? void(answer.permit = *permit) : void(done = permit.error());
    } else if (message.kind == Message::renew) {
      auto permit =
          write([&](Connection& c) { return renew_attempt(c, decide_, shim.job, shim.holder, message.use, now()); });
      permit.ok() ? void(answer.permit = *permit) : void(done = permit.error());
    } else {
      done = write([&](Connection& c) {
        return end_attempt(c, decide_, shim.job, shim.holder, message.use, message.reason, now());
      });
    }
    if (!done.ok() && done.error().kind != ErrorKind::conflict) fault(done.error().message());
    answer.refused = !done.ok();
    if (done.ok() && message.kind != Message::claim) compare_use(shim, message);
    world_.answer(answer, dies());
  }

  void compare_use(const Shim& shim, const Message& message) {
    TrueJob& job = truth_.jobs.at(shim.job);
    int64_t& checkpoint = job.checkpoint[shim.attempt];
    read([&](Connection& c) -> Status {
      const JobRow row = TRY(job_of(c, shim.job));
      if (row.lease.attempt != shim.attempt) return {};  // an end that came again
      if (row.lease.holder != shim.holder) fault("an answer to a shim that does not hold job " + shim.job);
      if (row.meter.counted < message.use.to) fault("seconds of job " + shim.job + " were lost");
      if (row.meter.counted > shim.ran_s) fault("seconds of job " + shim.job + " are counted that were not run");
      checkpoint = std::max(checkpoint, message.use.checkpoint);
      if (message.kind == Message::end && job.ended_as.empty() && is_final(row.state)) job.ended_as = name(row.state);
      if (message.kind == Message::end && message.reason == EndReason::done && row.state != JobState::done)
        fault("job " + shim.job + " is done, and its state is " + std::string(name(row.state)));
      return {};
    });
  }

  void reconcile_once() {
    auto desired = write([&](Connection& c) { return desired_jobs(c, decide_, now()); });
    if (!desired.ok()) return fault(desired.error().message());
    for (const Action& action : decide_.reconcile(*desired, world_.tasks(), world_.free_nodes(), now().steady)) {
      if (!fault_.empty() || dies()) return;
      if (!calm_ && random_.below(40) == 0) continue;  // forgotten: the next pass says it again
      carry_out(action);
    }
  }

  void carry_out(const Action& action) {
    const auto known = truth_.jobs.find(action.job);
    if (known == truth_.jobs.end()) return;
    touched_jobs_.insert(action.job);
    touched_organisations_.insert(known->second.organisation);
    switch (action.kind) {
      case ActionKind::start: {
        auto started = write([&](Connection& c) { return start_attempt(c, decide_, action.job, now()); });
        if (started.ok() && *started && !dies()) submit(action);
        break;
      }
      case ActionKind::submit:
        submit(action);
        break;
      case ActionKind::stop:
        world_.stop(action.job, action.attempt, action.reason);
        break;
      case ActionKind::kill:
        world_.kill(action.job, action.attempt);
        break;
      case ActionKind::node_down:
        (void)write([&](Connection& c) { return note_node_down(c, action.job, action.attempt, now()); });
        break;
      case ActionKind::lose:
        lose(action, known->second);
        break;
      case ActionKind::finish:
        (void)write([&](Connection& c) { return finish_job(c, action.job, action.state, now()); });
        break;
    }
  }

  void submit(const Action& action) {
    read([&](Connection& c) -> Status {
      const JobRow row = TRY(job_of(c, action.job));
      world_.submit(action.job, action.attempt, row.node_type, row.nodes);
      return {};
    });
  }

  void lose(const Action& action, TrueJob& job) {
    JobRow before;
    read([&](Connection& c) -> Status {
      before = TRY(job_of(c, action.job));
      return {};
    });
    const Status done = write(
        [&](Connection& c) { return lose_attempt(c, decide_, action.job, action.attempt, action.reason, now()); });
    if (!done.ok() || before.lease.attempt != action.attempt || before.lease.state == LeaseState::ended) return;
    ++result_.lost_attempts;
    if (before.want == Want::run) ++job.lost;
    const int64_t again = before.meter.counted - std::min(before.meter.counted, job.checkpoint[action.attempt]);
    const Micro credit =
        before.lease.state == LeaseState::claimed
            ? true_price(job.terms, before.meter.seconds) - true_price(job.terms, before.meter.seconds - again)
            : 0;
    truth_.given[job.organisation] += credit;
    read([&](Connection& c) -> Status {
      const Rows rows = TRY(c.run("SELECT amount FROM lot WHERE id = $1",
                                  {"redone-" + action.job + "-" + std::to_string(action.attempt)}));
      if ((rows.empty() ? 0 : rows[0].number(0)) != credit)
        fault("job " + action.job + " is credited another sum than it lost");
      const JobRow row = TRY(job_of(c, action.job));
      if (is_final(row.state) && job.ended_as.empty()) job.ended_as = name(row.state);
      return {};
    });
  }

  // What people do.
  void act() {
    if (!up_) return;
    const uint64_t dice = random_.below(100);
    if (dice < 22) return order();
    if (dice < 34) return give();
    if (dice < 37) return give_back();
    if (dice < 47) return wish();
    if (dice < 50) return (void)write([&](Connection& c) { return expire_lots(c, decide_, wall_ms()); });
    if (dice < 52) return world_.fail_host();
    if (dice < 54) return world_.cut_off_host();
    if (dice < 72) return world_.mend_host();
    if (dice < 73) return restart(static_cast<int64_t>(random_.below(9000)));
    if (dice < 80) return jump();
    if (dice < 83) return new_price();
    if (dice < 86) return bill();
  }

  std::string any_organisation() {
    return "org" + std::to_string(random_.below(static_cast<uint64_t>(organisations_)));
  }

  void make_organisation(int index) {
    OrganisationRow row{
        "org" + std::to_string(index), "Organisation", static_cast<OrganisationKind>(random_.below(4)), wall_ms(), {}};
    if (random_.below(3) == 0) row.limits.running_jobs = 1 + static_cast<int64_t>(random_.below(2));
    if (random_.below(3) == 0) row.limits.nodes = 2 + static_cast<int64_t>(random_.below(2));
    if (truth_.check_months && random_.below(3) == 0) row.limits.month = static_cast<Micro>(random_.below(200)) * kYuan;
    const Status made = write([&](Connection& c) { return create_organisation(c, decide_, row, actor()); });
    if (!made.ok()) return fault(made.error().message());
    truth_.given[row.id] = kTrialCredit;
    truth_.limits[row.id] = row.limits;
    kinds_[row.id] = row.kind;
  }

  void order() {
    const std::string organisation = any_organisation();
    const NodeType& type = types_[static_cast<size_t>(random_.below(types_.size()))];
    Submission order;
    order.id = fresh("job");
    order.organisation = organisation;
    order.idempotency_key = fresh("key");
    order.spec.command = {"true"};
    order.spec.node_type = type.id;
    order.spec.nodes = 1 + static_cast<int64_t>(random_.below(2));
    order.spec.time_limit_s = 1 + static_cast<int64_t>(random_.below(150));
    order.spec.retries = static_cast<int64_t>(random_.below(4));
    order.quote = make_quote(type, order.spec.nodes, has_sector_subsidy(kinds_[organisation]), wall_ms()).take();
    const auto send = [&] { return write([&](Connection& c) { return submit_job(c, decide_, order, actor()); }); };
    const auto first = send();
    if (!first.ok()) {
      if (first.error().kind != ErrorKind::payment) fault(first.error().message());
      return;
    }
    truth_.jobs[order.id] = {organisation, order.quote.terms, order.spec.time_limit_s, order.spec.retries, 0, {}, ""};
    touched_jobs_.insert(order.id);
    if (random_.below(3) == 0) {  // the answer was lost, and the client asks again
      const std::string id = order.id;
      order.id = fresh("job");
      const auto second = send();
      if (!second.ok() || *second != id) fault("a request that was repeated made another job");
      order.spec.nodes += 1;
      if (const auto third = send(); third.ok() || third.error().kind != ErrorKind::conflict)
        fault("another request under a used key was taken");
    }
  }

  void give() {
    const std::string organisation = any_organisation();
    Lot lot{fresh("lot"),
            organisation,
            static_cast<LotKind>(random_.below(5)),
            {},
            static_cast<Micro>(1 + random_.below(300)) * kYuan};
    if (lot.kind == LotKind::trial) lot.balance = kTrialCredit;
    if (lot.kind == LotKind::research) lot.balance = static_cast<Micro>(1 + random_.below(30'000)) * kYuan;
    if (lot.kind == LotKind::voucher || lot.kind == LotKind::research)
      lot.expires_ms = wall_ms() + 1 + static_cast<int64_t>(random_.below(90'000));
    const bool may = lot.kind == LotKind::trial ? false
                     : lot.kind == LotKind::research
                         ? may_have_research_vouchers(kinds_[organisation]) &&
                               truth_.research[organisation] + lot.balance <= kMostResearchVouchers
                         : true;
    const int times = random_.below(3) == 0 ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      const Status given = write([&](Connection& c) { return give_credit(c, decide_, lot, "", actor()); });
      if (given.ok() != may)
        fault("a " + std::string(name(lot.kind)) + " was " + (given.ok() ? "given" : "refused") + " against the rule");
    }
    if (!may) return;
    truth_.given[organisation] += lot.balance;
    if (lot.kind == LotKind::research) truth_.research[organisation] += lot.balance;
    lots_.push_back(lot);
  }

  void give_back() {
    if (lots_.empty()) return;
    const Lot& lot = lots_[static_cast<size_t>(random_.below(lots_.size()))];
    const Micro amount = static_cast<Micro>(1 + random_.below(100)) * kYuan;
    const std::string key = fresh("refund");
    const auto send = [&] {
      return write([&](Connection& c) { return refund_lot(c, lot.id, amount, key, "", actor()); });
    };
    if (!send().ok()) return;
    if (lot.kind != LotKind::paid) fault("a voucher was refunded");
    if (!send().ok()) fault("a refund that was repeated is refused");
    truth_.refunded[lot.organisation] += amount;
  }

  void wish() {
    if (truth_.jobs.empty()) return;
    auto one = truth_.jobs.begin();
    std::advance(one, static_cast<int64_t>(random_.below(truth_.jobs.size())));
    const Want want = static_cast<Want>(random_.below(3));
    (void)write([&](Connection& c) { return set_want(c, one->first, want, actor()); });
    touched_jobs_.insert(one->first);
  }

  void jump() {
    const int64_t most = truth_.check_months ? 3'600'000 : 40 * kDayMs;
    wall_offset_ms_ =
        static_cast<int64_t>(random_.below(static_cast<uint64_t>(most))) * (random_.below(2) == 0 ? -1 : 1);
  }

  void new_price() {
    NodeType& type = types_[static_cast<size_t>(random_.below(types_.size()))];
    type.prices.push_back({std::max(type.prices.back().from_ms + 1, wall_ms()),
                           static_cast<Micro>(1 + random_.below(300'000'000)),
                           {},
                           {}});
  }

  void bill() {
    const std::string organisation = any_organisation();
    const int64_t from = wall_ms() - static_cast<int64_t>(random_.below(60'000));
    const auto made =
        write([&](Connection& c) { return bill_organisation(c, organisation, from, wall_ms(), actor()); });
    if (!made.ok()) return fault(made.error().message());
    Micro lines = 0;
    for (const BillLine& line : made->lines) lines += line.net;
    if (lines != made->exact || made->rounded % kFen != 0 || made->remainder() < 0 || made->remainder() >= kFen)
      fault("a bill that does not add up");
  }

  // No more faults and orders: everything must come to its end.
  void settle() {
    calm_ = true;
    for (int i = 0; i < 40 && fault_.empty(); ++i) {
      for (Host& host : world_.hosts) host = {host.node_type, true, false, -1};
      pass(1000);
    }
    for (auto& [id, job] : truth_.jobs)
      if (fault_.empty()) (void)write([&](Connection& c) { return set_want(c, id, Want::cancel, actor()); });
    bool open = true;
    for (int i = 0; i < 120 && open && fault_.empty(); ++i) {
      pass(1000);
      read([&](Connection& c) -> Status {
        open = !TRY(jobs_not_final(c)).empty();
        return {};
      });
    }
    if (open) fault("a job does not come to its end");
  }

  void check(bool whole) {
    if (fault_.empty())
      read([&](Connection& c) -> Status {
        if (whole) {
          fault(TRY(check_everything(c, truth_, wall_ms())));
        } else {
          for (const std::string& job : touched_jobs_)
            if (truth_.jobs.contains(job)) fault(TRY(check_job(c, truth_, job)));
          for (const std::string& organisation : touched_organisations_)
            fault(TRY(check_organisation(c, truth_, organisation, wall_ms())));
        }
        return {};
      });
    touched_jobs_.clear();
    touched_organisations_.clear();
  }

  const Decide& decide_;
  std::unique_ptr<Store> store_;
  Random random_;
  World world_;
  int steps_;
  Truth truth_;
  SimulationResult result_;
  std::string fault_;
  std::vector<NodeType> types_;
  std::map<std::string, OrganisationKind> kinds_;
  std::vector<Lot> lots_;
  std::set<std::string> touched_jobs_, touched_organisations_;
  int organisations_ = 0;
  int64_t ids_ = 0, epoch_ = 0, began_ms_ = 0, up_ms_ = 0, wall_offset_ms_ = 0;
  uint64_t trouble_ = 0;  // the service dies at one point in so many
  bool up_ = false, calm_ = false;
};

}  // namespace

Result<SimulationResult> simulate(const SimulationOptions& options) {
  StoreOptions store;
  store.durable = false;
  store.threaded = false;
  return Simulation(options, TRY(Store::open(options.address, store))).run();
}

}  // namespace tqm::fleet
