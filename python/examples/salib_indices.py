"""Sobol' indices with SALib, from the points of a study.

A study with `method: saltelli` has for each base point the rows A, B and AB_1 ... AB_d (docs/sweep.md); SALib wants A, AB_1 ... AB_d, B.
`capstan sweep` computes the same indices by itself; this shows that the rows go wherever SALib's other methods are wanted.
"""

import tempfile
from pathlib import Path

import numpy as np
from SALib.analyze import sobol

import capstan

folder = Path(tempfile.mkdtemp())
(folder / "slide.yaml").write_text("""
capstan: 1
bodies:   {block: {mass: 2 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}
run:      {until: 3 s, output: 1 s, solver: events}
""")
(folder / "study.yaml").write_text("""
study: 1
scenario: slide.yaml
vary:
  mu: {path: contacts.floor.friction.mu, uniform: [0.2, 0.4]}
  v: {path: bodies.block.v, uniform: [1 m/s, 1.5 m/s]}
  mass: {path: bodies.block.mass, uniform: [1 kg, 3 kg]}
sample: {method: saltelli, base: 512, seed: 1}
outputs: {far: bodies.block.x}
""")

study = capstan.Study(folder / "study.yaml")
d = len(study.parameters)
far = np.array([row["far"] for row in study.run(range(len(study)))]).reshape(-1, d + 2)
order = [0, *range(2, d + 2), 1]
problem = {"num_vars": d, "names": list(study.parameters), "bounds": [[0.2, 0.4], [1, 1.5], [1, 3]]}
indices = sobol.analyze(problem, far[:, order].reshape(-1), calc_second_order=False, seed=1)

for name, first, total in zip(study.parameters, indices["S1"], indices["ST"]):
    print(f"{name:5} first {first:6.3f}, total {total:6.3f}")
# A block slides v^2/(2 mu g): its mass does not matter, and friction and speed share the variance.
assert abs(indices["ST"][2]) < 1e-9
assert abs(indices["S1"][0] + indices["S1"][1] - 1) < 0.05
