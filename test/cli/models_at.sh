#!/usr/bin/env bash
# capstan models LAW --at: numbers against values worked out by hand.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# check KEY WANTED for each pair, in the last JSON document.
values() { agree values "$@"; }
derivatives() { agree derivatives "$@"; }
at() {
  last="$*"
  expect 0 models "$@" --json
  is_empty "$err"
}

# The text says what it used.
expect 0 models coulomb --at v=0.01,n=10
has "$out" "at v = 0.01 m/s, n = 10 N, f_eq = 0 N, mode = slip forward"
has "$out" "f_eq, mode)"
has "$out" "with mu = 0.5"
has "$out" "df/dp.mu    -10"
has "$out" "0.01, then stick"

if ! have_python; then
  echo "python3 is missing: numbers are not compared"
  finish
  exit
fi

at coulomb --at v=0.01,n=10
values f -5
derivatives df/dv 0 df/dn -0.5 df/df_eq 0 df/dp.mu -10
[ "$(number "$out" mode)" = "slip forward" ] || fail "coulomb at v > 0 slips forward"
near "guard" "$(number "$out" guards 0 value)" 0.01

at coulomb --at v=0,n=10,f_eq=2
values f 2
derivatives df/df_eq 1 df/dn 0
near "guard 0" "$(number "$out" guards 0 value)" 7
near "guard 1" "$(number "$out" guards 1 value)" 3
[ "$(number "$out" guards 1 to)" = "slip backward" ] || fail "where guard 1 leads"

# Beyond the limit the body slips the way it is pushed, and f keeps the sign of f_eq.
at coulomb --at n=10,f_eq=7
values f 5
# A mode that is asked for holds, whatever the velocity.
at coulomb --at v=1,n=10,mode=slip-backward
values f 5

# Martins and Oden: f = -mu n v/epsilon inside, with mu = 0.5, epsilon = 0.01.
at martins-oden --at v=0.005,n=10
values f -2.5
derivatives df/dv -500 df/dn -0.25 df/dp.mu -5 df/dp.epsilon 250
at martins-oden --at v=-0.02,n=10 --set mu=0.3
values f 3
derivatives df/dv 0 df/dp.epsilon 0

# Stribeck at v_s: 0.4 + 0.2/e.
at stribeck --at v=0.01,n=1
values f -0.47357588823428847

# Quinn: f_eq/(mu n) = 0.4, v/epsilon = 0.5, f = -5 (0.5 - 0.4).
at quinn --at v=0.005,n=10,f_eq=2
values f -0.5
derivatives df/dv -500 df/df_eq 1 df/dn -0.25 df/dp.mu -5 df/dp.epsilon 250
# At rest it is the balance force, up to the limit.
at quinn --at n=10,f_eq=-3
values f -3
at quinn --at n=10,f_eq=-30
values f -5

# CDQ, alpha 0.9: inner sigmoid saturated, outer at 0.95: h = 0.9 + 0.05 - 0.1/16.
at cdq --at v=0.001,n=10,f_eq=4 --set mu=0.3 --set epsilon=0.02
values f 2.83125
derivatives df/dv -112.5 df/df_eq 0 df/dn 0.283125
# and exact below alpha: f = f_eq - mu n v/epsilon.
at cdq --at v=0.001,n=10,f_eq=2
values f 1.5

# LuGre per unit load: sigma0 z = 0.1, mu(v) = 0.4 far beyond v_s, z' = v (1 - 0.1/0.4).
at lugre-load --at v=0.01,n=10,z=1e-6
values f -8.51 z_t.z 0.0075
derivatives df/dn -0.851 dz_t.z/dz.z -2500 dz_t.z/dv 0.75
at lugre-load --at v=0.01,n=10,z.z=1e-6
values f -8.51

# Adams stick-slip at rest: STEP5 at half of x_s from the middle, 0.75^3 (10 - 15 0.75 + 6 0.75^2) = 0.896484375.
at adams-stick-slip --at z=5e-6,n=1
values f -0.47578125

# Normal contact and capstan.
at hunt-crossley --at depth=0.01,rate=0.5
values n 7500
derivatives dn/drate 5000 dn/dp.damping 2500
at hunt-crossley --at depth=-0.01,rate=3
values n 0
at euler-eytelwein --at t_in=10,t_out=40 --set mu=0.5,angle=4
values limit 7.38905609893065 slip_arc 2.772588722239781 torque 30 slips 0
at capstan --at t_in=1,t_out=9 --set mu=0.5,angle=4
values slips 1 stick_arc 0

# Several --at and --set are one; what is not given is named.
at quinn --at v=0.005 --at n=10,f_eq=2
values f -0.5
at quinn --at v=0.005
number "$out" not_given | grep -q "n.*f_eq" || fail "what was not given is not named"

# Every law, at its defaults: all derivatives are there, finite, by name.
expect 0 models --json
python3 - "$out" "$CAPSTAN" <<'END' || fail "evaluating every model"
import json, subprocess, sys
d = json.load(open(sys.argv[1]))
for m in d["friction"]:
    r = subprocess.run([sys.argv[2], "models", m["name"], "--at", "v=0.003,n=7,f_eq=1", "--json"],
                       capture_output=True, text=True, check=True)
    x = json.loads(r.stdout)
    of = ["f"] + ["z_t." + s["name"] for s in m["states"]]
    by = ["v", "n", "f_eq"] + ["z." + s["name"] for s in m["states"]] + ["p." + p["name"] for p in m["params"]]
    wanted = ["d%s/d%s" % (a, b) for a in of for b in by]
    assert sorted(x["derivatives"]) == sorted(wanted), m["name"]
    assert all(isinstance(v, (int, float)) for v in x["derivatives"].values()), m["name"]
    assert sorted(x["values"]) == sorted(of), m["name"]
    assert (x["mode"] in m["modes"]) if m["modes"] else x["mode"] is None, m["name"]
    assert len(x["guards"]) == m["guards"], m["name"]
END
finish
