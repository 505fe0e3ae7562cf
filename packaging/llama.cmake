# CMake reads this right after `project(llama_cpp)`. The Python package forces llama.cpp's helpers for
# its programs on, a third of what is compiled; they go into no library that Python loads.
set(LLAMA_BUILD_COMMON OFF)

# mtmd describes 45 models of pictures and sound, each in a small file that reads the same headers:
# twelve to a file they take the compiler a seventh of the time, as llama.cpp does with its own models.
# Sources are named whole: without their folder they would be looked for in that of the project.
function(compile_models_together)
    get_target_property(folder mtmd SOURCE_DIR)
    get_target_property(others mtmd SOURCES)
    list(FILTER others EXCLUDE REGEX "^models/")
    list(TRANSFORM others PREPEND "${folder}/")
    set_source_files_properties(${others} TARGET_DIRECTORY mtmd
        PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(mtmd PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
endfunction()
cmake_language(DEFER CALL compile_models_together)
