// The style sheet of the pictures.
#include "picture/charts.h"

namespace wiremark::picture {

// The colours of Okabe and Ito, which colour-blind people can tell apart
// (https://jfly.uni-koeln.de/color/), darker on white and lighter on black where needed.
const char* const kStyle = R"(:root{color-scheme:light dark;
--paper:#fff;--ink:#1b1f24;--quiet:#57606a;--grid:#d8dee4;--bad:#b3261e;
--s0:#0072b2;--s1:#d55e00;--s2:#00876c;--s3:#b0528f;--s4:#8a6d00;--s5:#3b8fc4;--s6:#7a4fb5;--s7:#6b6b6b}
@media screen and (prefers-color-scheme:dark){:root{
--paper:#14171a;--ink:#e6e8ea;--quiet:#a2abb5;--grid:#363d45;--bad:#ff8a80;
--s0:#4fb3e8;--s1:#f58c3c;--s2:#3ccba6;--s3:#e08cc4;--s4:#e0c23c;--s5:#9cd3f2;--s6:#b99cf0;--s7:#b8b8b8}}
.c0{--c:var(--s0)}.c1{--c:var(--s1)}.c2{--c:var(--s2)}.c3{--c:var(--s3)}
.c4{--c:var(--s4)}.c5{--c:var(--s5)}.c6{--c:var(--s6)}.c7{--c:var(--s7)}
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
svg .q{fill:var(--quiet)}svg .m{text-anchor:middle}svg .e{text-anchor:end}
.g{stroke:var(--grid);stroke-width:1}.a{stroke:var(--quiet);stroke-width:1.5}
.l,.lt,.lh,.lp{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
.lt{stroke-dasharray:2 4}.lh{stroke-width:5}.lp{stroke:var(--paper);stroke-width:2}
.k{stroke:var(--c);stroke-width:1}.i{stroke:var(--c);stroke-width:2}
.b{fill:var(--c);fill-opacity:.35}.bh{fill:none;stroke:var(--c)}
.x{fill:none;stroke:var(--c,var(--quiet));stroke-width:1;stroke-opacity:.7}
.v{stroke:var(--c);stroke-width:16;stroke-dasharray:1 5;stroke-opacity:.7}
.d{fill:var(--c)}.dh{fill:var(--paper);stroke:var(--c);stroke-width:1.5}
.h1{fill-opacity:.1}.h2{fill-opacity:.2}.h3{fill-opacity:.3}.h4{fill-opacity:.42}
.h5{fill-opacity:.55}.h6{fill-opacity:.7}.h7{fill-opacity:.85}.h8{fill-opacity:1}
.h1,.h2,.h3,.h4,.h5,.h6,.h7,.h8{fill:var(--c,var(--quiet))}
)";

}  // namespace wiremark::picture
