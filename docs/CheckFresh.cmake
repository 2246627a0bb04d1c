# Fails when the checked-in OLD differs from the generated NEW.
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${OLD}" "${NEW}"
  RESULT_VARIABLE different)
if(different)
  message(FATAL_ERROR "${OLD} is out of date; refresh it with\n"
    "  cmake --build <build folder> --target poly-doc\nand commit the result.")
endif()
