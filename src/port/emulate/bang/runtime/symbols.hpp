// What is loaded into this process: data of the executable and of libraries, which a kernel may read.
#pragma once

namespace tqm::port::bang {

bool in_loaded_data(const void* address);

}  // namespace tqm::port::bang
