// What lib/measure knows of the machine and the build, as documents have it.
#pragma once

#include "measure/machine.h"
#include "report/fields.h"

namespace wiremark::report {

void fields(auto& f, measure::BuildInfo& of) {
  f.table("build", "What changes the speed of the program that measured.");
  f("optimization", of.optimization, "What stands behind -O.");
  f("instructions", of.instructions, "The oldest processor it runs on.");
  f("asserts", of.asserts, "NDEBUG is not defined.");
  f("library_asserts", of.library_asserts,
    "_GLIBCXX_ASSERTIONS, _GLIBCXX_DEBUG or hardened libc++.");
  f("link_time", of.link_time, "-flto.");
  f("coverage", of.coverage);
  f("profile", of.profile, "generate or use where there is one.");
  f("sanitizers", of.sanitizers);
  f("arguments", of.arguments, "What else was given, such as CXXFLAGS.");
}

void fields(auto& f, measure::Machine& of) {
  f.table("host", "");
  f("system", of.system);
  f("kernel", of.kernel, "", {.column = "kernel"});
  f("architecture", of.architecture);
  f("cpu", of.cpu, "", {.column = "cpu"});
  f("cores", of.cores_allowed, Unit::count,
    "Those the process may use; 0 where runs on machines of unlike number were added up.");
  f("cores_online", of.cores_online, Unit::count);
  f("memory_bytes", of.memory_bytes, Unit::bytes);
  f("limits/nofile_soft", of.nofile_soft, Unit::limit);
  f("limits/nofile_hard", of.nofile_hard, Unit::limit);
  f("limits/memlock_bytes", of.memlock_bytes, Unit::limit);
  f("hypervisor", of.hypervisor, "Empty on bare metal.");
  f("clocksource", of.clocksource);
  f("compiler", of.compiler, "", {.column = "compiler"});
  f("build", of.build);
  f.column("build",
           [](const measure::Machine& host) { return host.build ? build_flags(*host.build) : ""; });
  f("libraries", of.libraries);
  f("wake_cost_ns", of.wake_cost_ns, Unit::ns, "0 where the machine was too busy to tell.");
  f("wake_crosses_cores", of.wake_crosses_cores);
  f("evidence", of.evidence,
    "What netprobe says of the machine: clock, steal, quota, governor and the like.");
}

}  // namespace wiremark::report
