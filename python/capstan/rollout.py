"""A controller's view of a run: outputs after each of some steps as a function of the inputs of these steps, with exact derivatives.

    sim = scenario.simulation(inputs=["force"], outputs=["bodies.load.x"])
    run = capstan.Rollout(sim, 0.01, 50)
    y = run(u)                  # [50, 1] from u [50, 1]
    grad = run.vjp(u, y - goal) # d(sum of squares / 2)/du, across stick and slip

capstan.jax.rollout and capstan.torch.rollout make it a function that these differentiate.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from .arrays import floats
from .simulation import Simulation


class Rollout:
    """Steps of one duration from the state that the simulation is in. The simulation belongs to the rollout from then on: every call
    starts from that state again. A copy() of it is another one."""

    def __init__(self, simulation: Simulation, duration: float, steps: int, ramp: bool = False):
        if not (duration > 0 and steps > 0):
            raise ValueError("a rollout has some steps, of some duration")
        self.simulation, self.duration, self.steps, self.ramp = simulation, float(duration), int(steps), ramp
        simulation.start()
        simulation.differentiate(simulation.wrt)
        self._start = simulation.save()
        self._lock = threading.Lock()

    @property
    def shape(self) -> tuple[int, int]:
        """Of the inputs."""
        return self.steps, len(self.simulation.inputs)

    def _inputs(self, u: Any, what: str = "inputs") -> np.ndarray:
        array = floats(u, what)
        if array.shape != self.shape:
            raise ValueError(f"{what}: an array {self.shape} is needed, not {array.shape}")
        return array

    def _advance(self, u: np.ndarray) -> np.ndarray:
        return self.simulation.step(self.duration, u, ramp=self.ramp)

    def __call__(self, u: Any) -> np.ndarray:
        """Outputs [steps, outputs] after each step."""
        u = self._inputs(u)
        with self._lock:
            self.simulation.restore(self._start)
            return np.array([self._advance(row) for row in u])

    def jvp(self, u: Any, change: Any) -> tuple[np.ndarray, np.ndarray]:
        """Outputs, and their change with a change of the inputs."""
        u, change, state = self._inputs(u), self._inputs(change, "change"), None
        outputs, tangents = [], []
        with self._lock:
            self.simulation.restore(self._start)
            for row, by in zip(u, change):
                outputs.append(self._advance(row))
                end = self.simulation.jvp(state, by)
                state = end.state
                tangents.append(end.outputs)
        return np.array(outputs), np.array(tangents)

    def vjp(self, u: Any, weights: Any) -> np.ndarray:
        """The derivative of a weighted sum of the outputs with respect to the inputs."""
        u, weights = self._inputs(u), floats(weights, "weights")
        if weights.shape != (self.steps, len(self.simulation.outputs)):
            raise ValueError(f"weights: an array {(self.steps, len(self.simulation.outputs))} is needed, not {weights.shape}")
        blocks, gradient, state = [], np.zeros(self.shape), None
        with self._lock:
            self.simulation.restore(self._start)
            for row in u:
                blocks.append(self.simulation.save())
                self._advance(row)
            for k in reversed(range(self.steps)):
                self.simulation.restore(blocks[k])
                self._advance(u[k])
                begin = self.simulation.vjp(weights[k], state)
                state, gradient[k] = begin.state, begin.inputs
        return gradient
