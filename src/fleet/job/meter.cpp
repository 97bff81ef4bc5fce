#include "fleet/job/meter.hpp"

#include <algorithm>

namespace tqm::fleet {

Result<Counted> count(const Meter& meter, const UseReport& report) {
  const std::string where = "attempt " + std::to_string(report.attempt);
  if (report.from < 0 || report.to < report.from || report.to > kMostSeconds || report.checkpoint < 0 ||
      report.checkpoint > report.to)
    return Error{ErrorKind::bad_input,
                 "a report of use from " + std::to_string(report.from) + " to " + std::to_string(report.to), where, ""};
  if (report.attempt != meter.attempt)
    return Error{ErrorKind::conflict, "use of an attempt that is not counted any more", where, ""};
  if (report.from > meter.counted)
    return Error{ErrorKind::internal,
                 "use was acknowledged to second " + std::to_string(report.from) + " and kept only to " +
                     std::to_string(meter.counted),
                 where, ""};
  Counted counted;
  counted.after = meter;
  const int64_t reported = std::max<int64_t>(0, report.to - meter.counted);
  counted.seconds = std::min(reported, meter.paid_to - meter.seconds);
  counted.unpaid = reported - counted.seconds;
  counted.after.seconds += counted.seconds;
  counted.after.counted += counted.seconds;
  counted.after.checkpoint = std::max(meter.checkpoint, std::min(report.checkpoint, counted.after.counted));
  const Charge before = TRY(charge_of(meter.terms, meter.seconds));
  const Charge now = TRY(charge_of(meter.terms, counted.after.seconds));
  counted.charge = now - before;
  return counted;
}

Result<Extension> extend(const Meter& meter, int64_t ahead_s, int64_t time_limit_s, Micro money) {
  Extension extension;
  extension.after = meter;
  const int64_t wanted = std::min(meter.seconds + ahead_s, time_limit_s);
  if (wanted <= meter.paid_to) return extension;
  const Micro paid = TRY(charge_of(meter.terms, meter.paid_to)).net();
  const Micro reach = money > INT64_MAX - paid ? INT64_MAX : paid + std::max<Micro>(0, money);
  const int64_t covered = std::max(meter.paid_to, TRY(seconds_for(meter.terms, reach, wanted)));
  extension.after.paid_to = covered;
  extension.hold = TRY(charge_of(meter.terms, covered)).net() - paid;
  extension.short_of = wanted - covered;
  return extension;
}

int64_t paid_until(const Meter& meter) {
  return meter.counted + (meter.paid_to - meter.seconds);
}

Meter begin_attempt(const Meter& meter, int64_t attempt) {
  Meter next = meter;
  next.attempt = attempt;
  next.counted = 0;
  next.checkpoint = 0;
  next.paid_to = meter.seconds;
  return next;
}

Result<Redone> redone(const Meter& meter) {
  Redone again;
  again.seconds = meter.counted - meter.checkpoint;
  const Charge all = TRY(charge_of(meter.terms, meter.seconds));
  const Charge kept = TRY(charge_of(meter.terms, meter.seconds - again.seconds));
  again.credit = all.net() - kept.net();
  return again;
}

}  // namespace tqm::fleet
