# Writes a header with a hash of the library's sources; run while building, whenever one of them has changed.
# usage: cmake -DROOT=... -DFLAGS=... -DOUTPUT=... -DLIST=FILE -P identity.cmake
file(STRINGS ${LIST} files)
set(all "")
foreach(file ${files})
  file(SHA256 ${file} hash)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUTPUT} "#define BUILD_SOURCES \"${hash}\"\n#define BUILD_FLAGS \"${FLAGS}\"\n")
