// Libraries that take the place of the kernel's sockets by LD_PRELOAD: whether they can be loaded.
#include <dlfcn.h>

#include <cstdlib>

#include "measure/text_file.h"
#include "probe/child.h"
#include "probe/finding.h"

namespace wiremark::probe {

namespace {

Finding try_library(const char* what, const char* library) {
  const auto maps = measure::read_text("/proc/self/maps");
  if (maps && maps->find(std::string(library).substr(0, std::string_view(library).find('.'))) !=
                  std::string::npos)
    return {kNetworkGroup, what, Answer::yes, std::string(library) + " is loaded in this process",
            ""};
  Finding no{kNetworkGroup, what, Answer::no, "", std::string("install it; LD_PRELOAD=") + library};
  const Findings tried = in_child([&] {
    Finding loaded = no;
    if (::dlopen(library, RTLD_NOW)) {
      loaded.answer = Answer::yes;
      loaded.evidence = std::string(library) + " can be loaded; this run is without it";
      loaded.change = std::string("LD_PRELOAD=") + library + " netload ...";
    } else {
      const char* error = ::dlerror();
      loaded.evidence = std::string("dlopen ") + (error ? error : library);
    }
    return Findings{loaded};
  });
  if (!tried.empty()) return tried.front();
  no.evidence = std::string("loading ") + library + " ended the process that tried";
  return no;
}

}  // namespace

Findings probe_stacks() {
  return {try_library("Onload", "libonload.so"), try_library("VMA", "libvma.so"),
          try_library("XLIO", "libxlio.so")};
}

}  // namespace wiremark::probe
