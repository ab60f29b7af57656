#!/usr/bin/env bash
# capstan export: CSV, NumPy and VTK files say what the result says.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
find_h5py
cd "$tmp" || exit 1

judge() { # a Python program, from standard input, that has to be content
  checks=$((checks + 1))
  "$python" - "$@" || fail "capstan export: wrong files"
}

cat >block.yaml <<'YAML'
capstan: 1
title: Block on a slope
bodies:
  block: {mass: 1 kg, at: [1 m, 2 m], direction: [3, 4]}
  free: {mass: 1 kg, position: [0.5 m, 1 m], velocity: [1, 0]}
surfaces:
  belt: {velocity: 1 m/s, at: [1 m, 2 m], direction: [3, 4]}
springs:
  k: {between: [ground, block], stiffness: 10 N/m, kind: distance}
contacts:
  c: {between: [block, belt], normal: 8 N, friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}}
run: {until: 10 s, solver: events}
outputs: {every: 0.01, columns: ["bodies.*", "surfaces.*", "contacts.*.f", energy.kinetic]}
YAML
expect 0 run block.yaml -q
expect 0 export block.results --csv --npy --vtk
has "$out" "1001 rows"
is_empty "$err"
judge <<'PY'
import csv, glob, h5py, numpy as np, xml.etree.ElementTree as xml
f = h5py.File("block.results/result.h5")
names = {}
f["series"].visititems(lambda n, d: names.__setitem__(n.replace("/", "."), d[:]) if isinstance(d, h5py.Dataset) else None)
assert "bodies.block.x" in names and "contacts.c.f" in names and "contacts.c.v" not in names and len(names) == 11, sorted(names)
rows = list(csv.reader(open("block.results/series.csv")))
z = np.load("block.results/result.npz")
assert len(rows) == 1002
for i, head in enumerate(rows[0]):
    name, unit = head[:-1].split(" [")
    path = "series/" + name.replace(".", "/")
    text = lambda key: f[path].attrs[key].decode()
    assert text("unit") == unit and text("name") == name and f[path].attrs["column"] == i
    assert (np.array([float(r[i]) for r in rows[1:]]) == f[path][:]).all(), name
    assert z[name].tobytes() == f[path][:].tobytes(), name
for k in ("time", "contact_index", "from_mode", "to_mode", "contact"):
    assert (z["events." + k] == f["events"][k][:]).all() and len(z["events." + k]) > 5
assert z["events.what"][0].decode() == f["events/from"][0].decode() + " -> " + f["events/to"][0].decode()
events = list(csv.reader(open("block.results/events.csv")))
assert len(events) == len(z["events.time"]) + 1 and float(events[1][0]) == z["events.time"][0]
sets = list(xml.parse("block.results/result.pvd").getroot().iter("DataSet"))
assert len(sets) == 1000 and len(glob.glob("block.results/vtk/*.vtp")) == 1000
t, x = f["series/time"][:], f["series/bodies/block/x"][:]
for s in (sets[0], sets[700], sets[-1]):
    root = xml.parse("block.results/" + s.get("file")).getroot()
    piece = next(root.iter("Piece"))
    assert piece.get("NumberOfPoints") == "3" and piece.get("NumberOfVerts") == "3"
    p = np.array(next(piece.iter("Points"))[0].text.split(), float).reshape(3, 3)
    now = np.argmin(abs(t - float(s.get("timestep"))))
    assert t[now] == float(s.get("timestep"))
    assert np.allclose(p[0], [1 + 0.6 * x[now], 2 + 0.8 * x[now], 0], atol=1e-12), (p, x[now])
    assert np.allclose(p[1], [f["series/bodies/free/x"][now], f["series/bodies/free/y"][now], 0])
assert float(sets[-1].get("timestep")) == 10
PY

# Cables: a result made by hand, as anybody's program may make one.
judge <<'PY'
import h5py, numpy as np, os
os.mkdir("cable")
rng = np.random.default_rng(1)
with h5py.File("cable/result.h5", "w") as f:
    f.attrs["conventions"] = "Capstan result 1"
    f["status"] = np.bytes_("complete")
    def put(path, data, order, kind, unit="m", **more):
        d = f.create_dataset(path, data=data)
        d.attrs["unit"] = unit
        d.attrs[kind] = np.int32(order)
        for k in more: d.attrs[k] = np.int32(more[k])
    put("series/time", [0., 1., 2.], 0, "column", "s")
    put("series/bodies/load/x", [0., 1., 5.], 1, "column")
    put("series/bodies/load/y", [0., -1., -2.], 2, "column")
    put("series/drums/wheel/angle", [0., 0.5, 1.], 3, "column", "rad")
    for k, t in dict(time="f8", contact="S64", contact_index="i4", to="S24", from_mode="i4", to_mode="i4").items():
        f.create_dataset("events/" + k, (0,), t)
    f.create_dataset("events/from", (0,), "S24")
    f["fields/time"] = [0.5, 2.0]
    put("fields/cables/rope/s", [0., 1., 2.], 0, "field", constant=1)
    put("fields/cables/rope/position", rng.random((2, 3, 2)), 1, "field", constant=0)
    put("fields/cables/rope/tension", rng.random((2, 3)), 2, "field", "N", constant=0)
    put("fields/cables/rope/contact/s", [0.5, 1.0, 1.5, 2.0], 3, "field", constant=1)
    put("fields/cables/rope/contact/normal", rng.random((2, 4)), 4, "field", "N", constant=0)
    put("fields/cables/rope/contact/state", [[0., 1, 2, 1], [0, 0, 0, 2]], 5, "field", "1", constant=0)
    f["geometry/name"] = np.array([b"load", b"wheel"], "S64")
    f["geometry/kind"] = np.array([b"plane", b"drum"], "S12")
    f["geometry/at"] = np.array([[0, 0, 0], [1, 2, 0.]])
    f["geometry/direction"] = np.array([[1, 0, 0], [0, 0, 1.]])
    f["geometry/radius"] = [0, 0.25]
PY
expect 0 export cable/result.h5 --csv --npy --vtk -o else/where
judge <<'PY'
import csv, h5py, numpy as np, xml.etree.ElementTree as xml
f, z = h5py.File("cable/result.h5"), np.load("else/where/result.npz")
for k in ("s", "position", "tension", "contact.s", "contact.normal", "contact.state"):
    a = f["fields/cables/rope/" + k.replace(".", "/")][:]
    assert (z["fields.cables.rope." + k] == a).all() and z["fields.cables.rope." + k].shape == a.shape, k
    rows = list(csv.reader(open("else/where/fields/cables.rope.%s.csv" % k)))
    b = np.array(rows[1:], float)
    assert (b[:, 0 if k in ("s", "contact.s") else 1:] == a.reshape(len(b), -1)).all(), k
assert rows[0][0] == "time [s]" and open("else/where/fields/cables.rope.position.csv").readline().startswith("time [s],0.x [m],0.y [m],1.x")
sets = list(xml.parse("else/where/result.pvd").getroot().iter("DataSet"))
assert [s.get("timestep") for s in sets] == ["0.5"] * 4 + ["2"] * 4
def read(name):
    piece = next(xml.parse("else/where/vtk/" + name).getroot().iter("Piece"))
    numbers = lambda a: np.array(a.text.split(), float)
    return numbers(next(piece.iter("Points"))[0]).reshape(-1, 3), {a.get("Name"): numbers(a) for a in next(piece.iter("PointData"))}, piece
x = f["fields/cables/rope/position"][:]
for i in range(2):
    p, d, piece = read("cables_%05d.vtp" % i)
    assert (p[:, :2] == x[i]).all() and (d["tension"] == f["fields/cables/rope/tension"][i]).all() and (d["s"] == [0, 1, 2]).all()
    assert piece.get("NumberOfLines") == "1"
    p, d, _ = read("contacts_%05d.vtp" % i)
    assert np.allclose(p[:, :2], [(x[i][0] + x[i][1]) / 2, x[i][1], (x[i][1] + x[i][2]) / 2, x[i][2]])
    assert (d["normal"] == f["fields/cables/rope/contact/normal"][i]).all() and (d["state"] == f["fields/cables/rope/contact/state"][i]).all()
    p, d, _ = read("drums_%05d.vtp" % i)
    assert np.allclose(np.hypot(p[:-1, 0] - 1, p[:-1, 1] - 2), 0.25) and (p[-1] == [1, 2, 0]).all()
    turned = (0.25, 1)[i]
    assert np.allclose(p[0], [1 + 0.25 * np.cos(turned), 2 + 0.25 * np.sin(turned), 0])
    p, d, _ = read("bodies_%05d.vtp" % i)
    assert np.allclose(p, [[(0.5, 5)[i], (-0.5, -2)[i], 0]])
PY

# What cannot be done is said.
expect 2 export
expect 2 export block.results
has "$err" "in which format?"
expect 2 export a b --csv
expect 3 export nowhere --csv
has "$err" "cannot read 'nowhere'"
has_no "$err" "HDF5-DIAG"
expect 2 export block.yaml --csv
has_no "$err" "HDF5-DIAG"
expect 3 export block.results --csv -o block.yaml
expect 0 export --help
has "$out" "Usage: capstan export RESULT"
status=0
(trap '' XFSZ && ulimit -f 4 && "$CAPSTAN" export block.results --npy -o small >"$out" 2>"$err") || status=$?
checks=$((checks + 1))
[ "$status" = 3 ] || fail "a disk that is full: exit status $status, not 3"
has "$err" "could not write all of"

finish
