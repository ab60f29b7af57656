#!/usr/bin/env bash
# The demonstration: a block that sticks and slips on a belt, a chain of blocks and a crane's cable trolleys, each from its
# scenario file; then the numbers that matter, beside their references.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=build/capstan
mkdir -p demo

"$tool" run scenarios/verulkar/rabinowicz.yaml -o demo/rabinowicz --set run.output=10ms
echo
"$tool" run scenarios/quinn/chain.yaml -o demo/chain --set run.output=50ms >/dev/null
"$tool" run scenarios/schuderer/festoon.yaml -o demo/festoon >/dev/null
if [ -f scenarios/westin/pulley.yaml ]; then "$tool" run scenarios/westin/pulley.yaml -o demo/pulley >/dev/null; fi
"$tool" models cdq --svg demo/cdq.svg >/dev/null
for law in quinn brown-mcphee; do "$tool" models "$law" --svg "demo/$law.svg" >/dev/null; done

# value of a key in the "end" part of a summary
end_of() { sed -n "s/^ *\"$2\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "demo/$1/summary.json" | head -n 1; }
event_times() { awk -F, 'NR > 1 { print $1 }' "demo/$1/events.csv"; }
period=$(event_times rabinowicz | awk 'NR == 4 { a = $1 } NR == 6 { b = $1 } END { printf "%.12f", b - a }')

echo "What matters:                                       here                reference"
printf '%-46s %20s  %s\n' "period of the block on the belt [s]" "$period" "1.992871324879 (closed form)"
printf '%-46s %20.12f  %s\n' "chain of 32 blocks, friction work of 4 cycles" "$(end_of chain energy.friction)" "0.039934579610"
printf '%-46s %20.9f  %s\n' "crane, second trolley after 25 s [m]" "$(end_of festoon bodies.T2.x)" "3.222937993"
echo
echo "Look at them: open demo/rabinowicz/report.html, demo/chain/report.html or demo/festoon/report.html in a browser."
echo "Results are in demo/: open demo/cdq.svg, and series.csv, events.csv and summary.json in demo/rabinowicz,"
echo "demo/chain and demo/festoon. 'build/capstan reproduce' shows all published cases."
