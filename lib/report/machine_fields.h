// The tables of the machine and the build that a result was measured with.
#pragma once

#include "measure/machine.h"
#include "report/shape.h"

namespace wiremark::report {

constexpr auto fields(Of<measure::BuildInfo>) {
  using measure::BuildInfo;
  return table("build", "What changes the speed of the program that measured.",
               field("optimization", &BuildInfo::optimization, "What stands behind -O."),
               field("instructions", &BuildInfo::instructions, "The oldest processor it runs on."),
               field("asserts", &BuildInfo::asserts, "NDEBUG is not defined."),
               field("library_asserts", &BuildInfo::library_asserts,
                     "_GLIBCXX_ASSERTIONS, _GLIBCXX_DEBUG or hardened libc++."),
               field("link_time", &BuildInfo::link_time, "-flto."),
               field("coverage", &BuildInfo::coverage),
               field("profile", &BuildInfo::profile, "generate or use where there is one."),
               field("sanitizers", &BuildInfo::sanitizers),
               field("arguments", &BuildInfo::arguments, "What else was given, such as CXXFLAGS."));
}

constexpr auto fields(Of<measure::Machine>) {
  using M = measure::Machine;
  return table(
      "host", "", field("system", &M::system),
      field("kernel", &M::kernel, "", {.column = "kernel"}),
      field("architecture", &M::architecture), field("cpu", &M::cpu, "", {.column = "cpu"}),
      field("cores", &M::cores_allowed, Unit::count, "Those the process may use."),
      field("cores_online", &M::cores_online, Unit::count),
      field("memory_bytes", &M::memory_bytes, Unit::bytes),
      field("limits/nofile_soft", &M::nofile_soft, Unit::limit),
      field("limits/nofile_hard", &M::nofile_hard, Unit::limit),
      field("limits/memlock_bytes", &M::memlock_bytes, Unit::limit),
      field("hypervisor", &M::hypervisor, "Empty on bare metal."),
      field("clocksource", &M::clocksource),
      field("compiler", &M::compiler, "", {.column = "compiler"}), field("build", &M::build),
      column("build", [](const M& host) { return host.build ? build_flags(*host.build) : ""; }),
      field("libraries", &M::libraries),
      field("wake_cost_ns", &M::wake_cost_ns, Unit::ns,
            "0 where the machine was too busy to tell."),
      field("wake_crosses_cores", &M::wake_crosses_cores),
      field("evidence", &M::evidence,
            "What netprobe says of the machine: clock, steal, quota, governor and the like."));
}

}  // namespace wiremark::report
