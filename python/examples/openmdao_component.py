"""A run as a component of OpenMDAO, with exact partial derivatives.

The lightest spring buffer that stops a car of 100 kg before 0.25 m, against its friction: OpenMDAO's driver sees values and derivatives of
one differentiated run, and a mass model of its own beside it.
"""

import numpy as np
import openmdao.api as om

import capstan

CAR = """
capstan: 1
bodies:   {car: {mass: 100 kg, v: 2 m/s}}
springs:  {buffer: {between: [car, ground], stiffness: 4 kN/m, damping: 100 N s/m, length: 0}}
contacts: {rail: {between: [car, ground], normal: weight, friction: {coulomb: {mu: 0.02}}}}
run:      {until: 1 s, output: 5 ms, solver: events}
"""
WRT = ["springs.buffer.stiffness", "springs.buffer.damping"]
OF = ["max(bodies.car.x)"]


class Run(om.ExplicitComponent):
    """Outputs of a scenario over numbers of it."""

    def initialize(self):
        self.options.declare("scenario")

    def setup(self):
        self.add_input("p", shape=len(WRT))
        self.add_output("y", shape=len(OF))
        self.declare_partials("y", "p")

    def _at(self, inputs):
        return self.options["scenario"].with_(dict(zip(WRT, inputs["p"]))).sens(WRT, OF)

    def compute(self, inputs, outputs):
        outputs["y"] = self._at(inputs).values

    def compute_partials(self, inputs, partials):
        partials["y", "p"] = self._at(inputs).gradient


problem = om.Problem(reports=False)
problem.model.add_subsystem("run", Run(scenario=capstan.Scenario.text(CAR)), promotes=["p", "y"])
problem.model.add_subsystem("weigh", om.ExecComp("mass = 2 + p[0]/2000 + p[1]/200", p=np.zeros(2)), promotes=["p", "mass"])
problem.model.set_input_defaults("p", np.array([4000.0, 100.0]))
problem.driver = om.ScipyOptimizeDriver(optimizer="SLSQP", tol=1e-8, disp=False)
problem.model.add_design_var("p", lower=[1000, 0], upper=[20000, 2000], ref=np.array([4000.0, 100.0]))
problem.model.add_constraint("y", upper=0.25)
problem.model.add_objective("mass")
problem.setup()
problem.run_model()
worst = problem.check_partials(out_stream=None, compact_print=True, form="central", step=1e-2)["run"]["y", "p"]
assert np.allclose(worst["J_fwd"], worst["J_fd"], rtol=1e-4)
failed = problem.run_driver()
p, y, mass = problem.get_val("p"), problem.get_val("y"), problem.get_val("mass")
print(f"stiffness {p[0]:.0f} N/m, damping {p[1]:.0f} N s/m: {y[0]:.4f} m, {mass[0]:.3f} kg")
assert abs(y[0] - 0.25) < 1e-5
# At the optimum the mass cannot fall along the limit: the gradients of both are parallel.
J = problem.compute_totals(of=["y"], wrt=["p"])["y", "p"][0]
assert abs(J[0] / J[1] - 200 / 2000) < 5e-3
