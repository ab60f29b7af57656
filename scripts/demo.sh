#!/usr/bin/env bash
# The demonstration: a cable on a motorised pulley and one on a fixed drum, a block that sticks and slips on a belt, a chain
# of blocks and a crane's cable trolleys, each from its scenario file; then the numbers that matter, beside their references.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=build/capstan
mkdir -p demo

"$tool" run scenarios/westin/pulley.yaml -o demo/pulley
echo
"$tool" run scenarios/westin/capstan.yaml -o demo/capstan >/dev/null
"$tool" run scenarios/verulkar/rabinowicz.yaml -o demo/rabinowicz --set run.output=10ms >/dev/null
"$tool" run scenarios/quinn/chain.yaml -o demo/chain --set run.output=50ms >/dev/null
"$tool" run scenarios/schuderer/festoon.yaml -o demo/festoon >/dev/null
"$tool" models cdq --svg demo/cdq.svg >/dev/null
for law in quinn brown-mcphee; do "$tool" models "$law" --svg "demo/$law.svg" >/dev/null; done

# value of a key in the "end" part of a summary
end_of() { sed -n "s/^ *\"$2\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "demo/$1/summary.json" | head -n 1; }
event_times() { awk -F, 'NR > 1 { print $1 }' "demo/$1/events.csv"; }
# how far a column goes from its first to its last row
moved() {
  awk -F, -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, want " [") == 1) c = i; next }
    NR == 2 { first = $c } { last = $c } END { print last - first }' OFMT=%.9g "demo/$1/series.csv"
}
period=$(event_times rabinowicz | awk 'NR == 4 { a = $1 } NR == 6 { b = $1 } END { printf "%.12f", b - a }')

echo "What matters:                                       here                reference"
printf '%-46s %20.6f  %s\n' "motorised pulley, right load rises by [m]" "$(moved pulley bodies.right.y)" "0.196288 (independent run)"
printf '%-46s %20.6f  %s\n' "motorised pulley, left load sinks by [m]" "$(moved pulley bodies.left.y)" "-0.196218 (independent run)"
printf '%-46s %20s  %s\n' "period of the block on the belt [s]" "$period" "1.992871324879 (closed form)"
printf '%-46s %20.12f  %s\n' "chain of 32 blocks, friction work of 4 cycles" "$(end_of chain energy.friction)" "0.039934579610"
printf '%-46s %20.9f  %s\n' "crane, second trolley after 25 s [m]" "$(end_of festoon bodies.T2.x)" "3.222937993"
echo
echo "Look at it: open $PWD/demo/pulley/report.html in a browser;"
echo "also demo/capstan, demo/rabinowicz, demo/chain and demo/festoon have a report.html beside result.h5 and summary.json."
echo "'build/capstan reproduce' shows all published cases."
