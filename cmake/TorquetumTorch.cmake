# torquetum::torch: LibTorch out of the PyPI wheel, without find_package(Torch), which asks for a CUDA toolkit where the wheel is
# the CUDA build. Linking torch_cpu and c10 alone lets one binary work with both builds; a device's own library is loaded at run time.
if(TQM_TORCH)
  set(TQM_TORCH_ROOT ${CMAKE_SOURCE_DIR}/build/deps/torch CACHE PATH "The wheel's torch folder (holds include/ and lib/)")
  if(NOT EXISTS ${TQM_TORCH_ROOT}/include/ATen/ATen.h)
    message(FATAL_ERROR "No LibTorch in ${TQM_TORCH_ROOT}. Run tools/setup, or give -DTQM_TORCH_ROOT=…/site-packages/torch.")
  endif()
  file(REAL_PATH ${TQM_TORCH_ROOT} torch_real)
  add_library(torquetum_torch INTERFACE)
  add_library(torquetum::torch ALIAS torquetum_torch)
  target_include_directories(torquetum_torch SYSTEM INTERFACE ${torch_real}/include ${torch_real}/include/torch/csrc/api/include)
  target_compile_definitions(torquetum_torch INTERFACE AT_PER_OPERATOR_HEADERS)  # ATen's own headers stay small too
  target_link_libraries(torquetum_torch INTERFACE ${torch_real}/lib/libtorch_cpu.so ${torch_real}/lib/libc10.so)
  target_link_options(torquetum_torch INTERFACE -Wl,-rpath,${torch_real}/lib)
endif()
