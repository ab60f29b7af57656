"""SciPy's least_squares with exact derivatives: friction and stiffness of a block on a spring from where it was seen.

The Jacobian matrix comes from one differentiated run, across stick and slip. capstan's own Scenario.fit does the same with bounds,
errors and warnings; this is for those who have a problem of their own around the run.
"""

import numpy as np
from scipy.optimize import least_squares

import capstan

BLOCK = """
capstan: 1
bodies:   {block: {mass: 1 kg, x: 0.2 m}}
springs:  {k: {between: [block, ground], stiffness: 50 N/m, length: 0}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.1}}}}
run:      {until: 1 s, output: 20 ms, solver: events}
"""
WRT = ["contacts.floor.friction.mu", "springs.k.stiffness"]
TIMES = np.arange(0.05, 1.0, 0.05)
OF = [f"bodies.block.x@{t:.2f}" for t in TIMES]

block = capstan.Scenario.text(BLOCK)
truth = np.array([0.07, 62.0])


def run(p):
    return block.with_(dict(zip(WRT, p))).sens(WRT, OF)


measured = run(truth).values + np.random.default_rng(1).normal(scale=2e-4, size=len(OF))
calls = []


def residual(p):
    calls.append(p)
    return (run(p).values - measured) / 2e-4


found = least_squares(residual, [0.1, 50.0], jac=lambda p: run(p).gradient / 2e-4, x_scale=[0.1, 50.0])
errors = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
print(f"mu {found.x[0]:.4f} +- {errors[0]:.4f}, stiffness {found.x[1]:.2f} +- {errors[1]:.2f} N/m, {len(calls)} runs")
assert np.all(np.abs(found.x - truth) < 4 * errors)
assert len(calls) < 15
