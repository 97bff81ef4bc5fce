# Files that travel inside the program. tqm_embed(report viewer_css viewer/viewer.css schema_json report.schema.json)
# makes <report_embedded.hpp> with one function a file, in tqm::report::embedded, that gives its bytes:
#   std::string_view viewer_css();
# The assembler takes the bytes in as they are (.incbin), so that a megabyte costs no compile time.
function(tqm_embed module)
  set(folder ${CMAKE_BINARY_DIR}/embedded/${module})
  set(declarations "")
  set(definitions "")
  set(paths "")
  while(ARGN)
    list(POP_FRONT ARGN function path)
    get_filename_component(path ${path} ABSOLUTE)
    list(APPEND paths ${path})
    set(symbol tqm_${module}_embedded_${function})
    string(APPEND declarations "std::string_view ${function}();\n")
    string(APPEND definitions
      "asm(\".pushsection .rodata\\n${symbol}_begin:\\n.incbin \\\"${path}\\\"\\n${symbol}_end:\\n.byte 0\\n.popsection\");\n"
      "extern \"C\" const char ${symbol}_begin[];\nextern \"C\" const char ${symbol}_end[];\n"
      "std::string_view tqm::${module}::embedded::${function}() {\n"
      "  return {${symbol}_begin, static_cast<size_t>(${symbol}_end - ${symbol}_begin)};\n}\n")
  endwhile()
  file(CONFIGURE OUTPUT ${folder}/${module}_embedded.hpp CONTENT
    "#pragma once\n#include <string_view>\nnamespace tqm::${module}::embedded {\n${declarations}}\n" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/embedded.cpp CONTENT
    "#include <${module}_embedded.hpp>\n${definitions}" @ONLY)
  set_source_files_properties(${folder}/embedded.cpp PROPERTIES OBJECT_DEPENDS "${paths}")
  target_sources(tqm_${module} PRIVATE ${folder}/embedded.cpp)
  target_include_directories(tqm_${module} PRIVATE ${folder})
endfunction()
