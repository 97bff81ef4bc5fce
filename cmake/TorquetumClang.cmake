# torquetum::clang: Clang 19 as a library, as Debian packs it (libclang-19-dev, llvm-19-dev). Not find_package(Clang), whose
# file of exported targets asks for every tool and static library of LLVM to be installed.
set(TQM_LLVM_ROOT /usr/lib/llvm-19 CACHE PATH "LLVM 19 (holds include/clang, lib/libclang-cpp.so and bin/clang)")
find_library(TQM_CLANG_CPP NAMES clang-cpp PATHS ${TQM_LLVM_ROOT}/lib NO_DEFAULT_PATH)
find_library(TQM_LLVM NAMES LLVM-19 LLVM PATHS ${TQM_LLVM_ROOT}/lib NO_DEFAULT_PATH)
if(NOT TQM_CLANG_CPP OR NOT TQM_LLVM OR NOT EXISTS ${TQM_LLVM_ROOT}/include/clang/AST/ASTContext.h)
  message(FATAL_ERROR "No Clang 19 in ${TQM_LLVM_ROOT}. Run tools/setup, or give -DTQM_LLVM_ROOT=… and install libclang-19-dev and llvm-19-dev.")
endif()
add_library(torquetum_clang INTERFACE)
add_library(torquetum::clang ALIAS torquetum_clang)
target_include_directories(torquetum_clang SYSTEM INTERFACE ${TQM_LLVM_ROOT}/include)
# Where Clang's own headers (stddef.h and the like) are looked for: beside this program.
target_compile_definitions(torquetum_clang INTERFACE TQM_CLANG_PROGRAM="${TQM_LLVM_ROOT}/bin/clang")
target_link_libraries(torquetum_clang INTERFACE ${TQM_CLANG_CPP} ${TQM_LLVM})
