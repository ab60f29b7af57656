"""Environments for reinforcement learning, in Gymnasium's interface: a crane that must not sway, a winch that holds its load still.

    import capstan.gym
    env = capstan.gym.make("crane")
    envs = capstan.gym.make_vec("crane", 64)     # over threads

Physics is that of the scenario files beside this module; a subclass with a file of its own is a few lines (see Crane).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .batch import Batch
from .scenario import Scenario

Array = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
MACHINES = Path(__file__).parent / "machines"


class Task:
    """What makes an environment of a scenario. Every method works on rows: [n, outputs], [n, actions]."""

    file: ClassVar[Path]
    inputs: ClassVar[tuple[str, ...]]
    outputs: ClassVar[tuple[str, ...]]
    period: ClassVar[float]  # between two actions [s]
    steps: ClassVar[int]  # of an episode
    scale: ClassVar[tuple[float, ...]]  # of each observation
    ramp: ClassVar[bool] = False

    def draw(self, rng: np.random.Generator) -> tuple[dict[str, float], Array]:
        """An episode: numbers of the file that it changes, and what it keeps to itself (a goal, a phase)."""
        raise NotImplementedError

    def observe(self, time: Array, y: Array, own: Array, u: Array) -> Array:
        raise NotImplementedError

    def act(self, action: Array, u: Array) -> Array:
        """The inputs for actions in [-1, 1], after these inputs."""
        raise NotImplementedError

    def reward(self, time: Array, y: Array, own: Array, action: Array) -> Array:
        raise NotImplementedError


class Crane(Task):
    """Carry the load to a place and leave it at rest: the action is the force on the trolley, up to 600 N."""

    file = MACHINES / "crane.yaml"
    inputs = ("force",)
    outputs = ("bodies.trolley.x", "bodies.trolley.v", "bodies.load.x", "bodies.load.vx")
    period = 0.1
    steps = 120
    scale = (3.0, 1.0, 1.0, 1.0)

    def draw(self, rng: np.random.Generator) -> tuple[dict[str, float], Array]:
        return {"bodies.load.mass": rng.uniform(50, 300)}, np.array([rng.uniform(1, 4)])

    def observe(self, time: Array, y: Array, own: Array, u: Array) -> Array:
        return np.stack([own[:, 0] - y[:, 0], y[:, 1], y[:, 2] - y[:, 0], y[:, 3] - y[:, 1]], axis=1)

    def act(self, action: Array, u: Array) -> Array:
        return 600 * action

    def reward(self, time: Array, y: Array, own: Array, action: Array) -> Array:
        return -np.abs(own[:, 0] - y[:, 2]) - 0.3 * np.abs(y[:, 3]) - 0.02 * action[:, 0] ** 2


class Winch(Task):
    """Hold the load still while the ship heaves: the action is the rate of the winch's set point, up to 3 rad/s."""

    file = MACHINES / "winch.yaml"
    inputs = ("angle",)
    outputs = ("drums.winch.y", "bodies.load.y", "bodies.load.vy", "drums.winch.angle", "drums.winch.rate")
    period = 0.1
    steps = 150
    scale = (1.0, 1.0, 1.0, 1.0)
    ramp = True

    def draw(self, rng: np.random.Generator) -> tuple[dict[str, float], Array]:
        return {"drums.winch.moved.y.product.0.sine.amplitude": rng.uniform(0.2, 0.7)}, np.array([np.nan])

    def observe(self, time: Array, y: Array, own: Array, u: Array) -> Array:
        fresh = np.isnan(own[:, 0])
        own[fresh, 0] = y[fresh, 1]  # where the load hangs at the start is where it shall stay
        return np.stack([y[:, 1] - own[:, 0], y[:, 2], y[:, 0] - 6, u[:, 0]], axis=1)

    def act(self, action: Array, u: Array) -> Array:
        return u + 3 * self.period * action

    def reward(self, time: Array, y: Array, own: Array, action: Array) -> Array:
        return -np.abs(y[:, 1] - own[:, 0]) - 0.1 * np.abs(y[:, 2])


TASKS: dict[str, type[Task]] = {"crane": Crane, "winch": Winch}


class VecMachine(VectorEnv[Any, Any, Any]):
    """n environments over the threads of a batch; each begins anew in the step after the one that ended it."""

    def __init__(self, task: Task, n: int, threads: int = 0):
        self.task = task
        self.num_envs = n
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.render_mode = None
        self.batch: Batch = Scenario(task.file).batch(n, task.inputs, task.outputs, threads)
        bound = np.full(len(task.scale), np.inf)
        self.single_observation_space = spaces.Box(-bound, bound, dtype=np.float64)
        self.single_action_space = spaces.Box(-1.0, 1.0, (len(task.inputs),), dtype=np.float64)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._u = np.zeros((n, len(task.inputs)))
        self._y = np.zeros((n, len(task.outputs)))
        self._step = np.zeros(n, dtype=int)
        self._over = np.zeros(n, dtype=bool)
        self._own: Array = np.zeros((n, 1))
        self._draws: list[np.random.Generator] = []  # where each has a seed of its own
        self._begun = False

    def _begin(self, i: int) -> None:
        values, own = self.task.draw(self._draws[i] if self._draws else self.np_random)
        self.batch.reset(i, values)
        self._own[i] = own
        self._u[i] = 0
        self._step[i] = 0
        self._over[i] = False

    def _observe(self) -> Array:
        seen = self.task.observe(self.batch.time, self._y, self._own, self._u)
        return np.asarray(np.nan_to_num(seen / np.array(self.task.scale)))

    def reset(self, *, seed: int | list[int | None] | None = None, options: Mapping[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        if isinstance(seed, list):
            if len(seed) != self.num_envs:
                raise ValueError(f"one seed for each of {self.num_envs} environments is needed, not {len(seed)}")
            self._draws = [np.random.default_rng(each) for each in seed]
        else:
            super().reset(seed=seed)
            if seed is not None:
                self._draws = []
        for i in range(self.num_envs):
            self._begin(i)
        self._begun = True
        self.batch.step(0.0, self._u, out=self._y)
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Flags, Flags, dict[str, Any]]:
        actions = np.asarray(actions, dtype=np.float64)
        if actions.shape != self._u.shape:
            raise ValueError(f"actions are {list(self._u.shape)}, not {list(actions.shape)}")
        if np.isnan(actions).any():
            raise ValueError("an action is not a number: nothing was done")
        if not self._begun:
            raise gymnasium.error.ResetNeeded("reset() comes before the first step")
        ended = self._over.copy()
        begun: dict[int, bytes] = {}
        for i in map(int, np.flatnonzero(ended)):
            self._begin(i)
            begun[i] = self.batch.save(i)
        actions = np.where(ended[:, None], 0.0, np.clip(actions, -1, 1))
        self._u = np.where(ended[:, None], self._u, self.task.act(actions, self._u))
        self.batch.step(self.task.period, self._u, ramp=self.task.ramp, out=self._y)
        failed = self.batch.failed & ~ended
        self._step += ~ended
        if begun:  # those that begin anew are where they begin
            for i, state in begun.items():
                self.batch.restore(i, state)
            start = self.batch.step(0.0, self._u)
            self._y[ended] = start[ended]
        self._y[failed] = 0
        seen = self._observe()
        reward = np.where(ended, 0.0, np.where(failed, -100.0, self.task.reward(self.batch.time, self._y, self._own, actions)))
        truncated = self._step >= self.task.steps
        self._over = failed | truncated
        return seen, reward, failed, truncated & ~failed, {}

    def close_extras(self, **_: Any) -> None:
        self.batch.close()


class Machine(gymnasium.Env[Array, Array]):
    """One environment: a row of the above."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: Task):
        self._vec = VecMachine(task, 1, 1)
        self.observation_space = self._vec.single_observation_space
        self.action_space = self._vec.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        self._vec._np_random = self.np_random
        seen, info = self._vec.reset(options=options)
        return seen[0], info

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        given = np.asarray(action, dtype=np.float64)
        if given.shape != self.action_space.shape:
            raise ValueError(f"an action is {list(self.action_space.shape or ())}, not {list(given.shape)}")
        seen, reward, terminated, truncated, info = self._vec.step(given[None])
        return seen[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def close(self) -> None:
        self._vec.close()


def make(name: str) -> Machine:
    """The environment "crane" or "winch"."""
    return Machine(_task(name))


def make_vec(name: str, n: int, threads: int = 0) -> VecMachine:
    """n of them, stepped together."""
    return VecMachine(_task(name), n, threads)


def _task(name: str) -> Task:
    if name not in TASKS:
        raise KeyError(f"there is no environment \"{name}\"; there are {', '.join(TASKS)}")
    return TASKS[name]()


def _refuse(options: dict[str, Any]) -> None:
    mode = options.pop("render_mode", None)
    if mode is not None:
        raise ValueError(f"there is nothing to see, and no render_mode {mode}: the report of a run of the scenario has the pictures")
    if options:
        raise TypeError(f"an environment has no option {', '.join(options)}")


def _register(name: str) -> None:
    def one(**options: Any) -> Machine:
        _refuse(options)
        return make(name)

    def many(num_envs: int = 1, threads: int = 0, **options: Any) -> VecMachine:
        _refuse(options)
        return make_vec(name, num_envs, threads)

    gymnasium.register(id=f"capstan/{name.capitalize()}-v0", entry_point=one, vector_entry_point=many)


for _name in TASKS:
    _register(_name)
