# CMake reads this right after `project(llama_cpp)`. The Python package forces llama.cpp's helpers for
# its programs on, a third of what is compiled; they go into no library that Python loads.
set(LLAMA_BUILD_COMMON OFF)
