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

# In a clone somebody waits for the first answer. Each of llama.cpp's own files reads the same headers
# of the C++ library: they are read once. And what only loads or describes models is compiled with a
# third less work; what computes for every token, word or picture is compiled as in the packages: without
# those headers, as GCC 12 crashes on headers that were read at another level.
set(computing batch context grammar graph impl kv-cache memory-recurrent sampler vocab)
function(compile_quickly)
    foreach(target llama mtmd)
        foreach(header algorithm cmath functional map memory regex set sstream string unordered_map vector)
            target_precompile_headers(${target} PRIVATE
                "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
        endforeach()
        if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
            list(JOIN computing "|" names)
            get_target_property(folder ${target} SOURCE_DIR)
            get_target_property(sources ${target} SOURCES)
            list(FILTER sources INCLUDE REGEX "^(llama-(${names})|unicode|mtmd-(audio|image))[.]cpp$")
            list(TRANSFORM sources PREPEND "${folder}/")
            set_source_files_properties(${sources} TARGET_DIRECTORY ${target}
                PROPERTIES COMPILE_OPTIONS "-O3" SKIP_PRECOMPILE_HEADERS ON)
            target_compile_options(${target} PRIVATE -O1)
        endif()
    endforeach()
endfunction()
option(DESKPILOT_QUICK_BUILD "Compile faster, for use on this machine only" OFF)
if(DESKPILOT_QUICK_BUILD)
    cmake_language(DEFER CALL compile_quickly)
endif()
