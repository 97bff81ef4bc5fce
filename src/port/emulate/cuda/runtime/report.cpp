#include "port/emulate/cuda/runtime/report.hpp"

#include <cstdio>

#include "base/file.hpp"
#include "port/emulate/cuda/runtime/block.hpp"
#include "port/emulate/cuda/runtime/fault.hpp"
#include "port/emulate/cuda/runtime/options.hpp"

namespace tqm::port::cuda {

LaunchResult result_so_far() {
  const Counters& c = counters();
  LaunchResult result;
  result.ran = true;
  result.faults = faults();
  result.counters = {{"launches", c.launches},
                     {"blocks", c.blocks},
                     {"threads", c.threads},
                     {"barriers", c.barriers},
                     {"warp_operations", c.warp_operations},
                     {"global_loads", c.global_loads},
                     {"global_stores", c.global_stores},
                     {"shared_loads", c.shared_loads},
                     {"shared_stores", c.shared_stores},
                     {"atomics", c.atomics},
                     {"approximate_calls", c.approximate_calls}};
  return result;
}

void write_report() {
  if (options().report_file.empty()) return;
  const auto written = write_file_atomic(options().report_file, result_text(result_so_far()));
  if (!written) std::fprintf(stderr, "torquetum: %s\n", written.error().message().c_str());
}

}  // namespace tqm::port::cuda
