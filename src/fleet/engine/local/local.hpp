// The engine of one machine: each attempt is a torquetum-task of its own, which
// goes on when the service ends and is found again by its folder.
//
//   ROOT/lock                   held by the one engine of this folder
//   ROOT/JOB/work               kept between the job's attempts
//   ROOT/JOB/ATTEMPT/…          task/attempt/record.hpp; removed by forget only
#pragma once

#include <filesystem>
#include <memory>

#include "fleet/engine/engine.hpp"

namespace tqm::fleet {

// Opens the folder, makes it where it is missing, and adopts what runs in it.
// conflict where another engine has it open. Tasks inherit PATH, LANG, LC_ALL
// and TZ of ours and nothing else of our environment.
Result<std::unique_ptr<Engine>> open_local_engine(const std::filesystem::path& root);

}  // namespace tqm::fleet
