"""Environments: Gymnasium's own checks, repeatable episodes, and a policy that learns."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env

import capstan.gym


@pytest.mark.parametrize("name", ["crane", "winch"])
def test_gymnasium_accepts_it(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|render|spec).*")
        check_env(capstan.gym.make(name), skip_render_check=True)
    assert gymnasium.make(f"capstan/{name.capitalize()}-v0").reset(seed=1)[0].shape == (4,)


def test_episodes_repeat_to_the_bit():
    def episode(env, seed):
        seen = [env.reset(seed=seed)[0]]
        rng = np.random.default_rng(seed)
        for _ in range(30):
            seen.append(env.step(rng.uniform(-1, 1, 1))[0])
        return np.array(seen)

    env = capstan.gym.make("crane")
    first, other, again = episode(env, 1), episode(env, 2), episode(env, 1)
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def run(envs, weights, seed):
    """The mean return of linear policies, one for each environment: action = tanh(w x)."""
    seen, _ = envs.reset(seed=seed)
    total = np.zeros(envs.num_envs)
    for _ in range(envs.task.steps):
        seen, reward, *_ = envs.step(np.tanh(np.sum(weights * seen, axis=1, keepdims=True)))
        total += reward
    return total


def test_a_policy_learns():
    """Cross-entropy search over four gains: anti-sway control has to come out better than doing nothing, and than where it began."""
    n, rng = 32, np.random.default_rng(0)
    envs = capstan.gym.make_vec("crane", n, 2)
    mean, spread = np.zeros(4), np.full(4, 3.0)
    history = []
    for generation in range(5):
        weights = mean + spread * rng.standard_normal((n, 4))
        returns = run(envs, weights, generation)
        best = weights[np.argsort(returns)[-8:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
        history.append(run(envs, np.tile(mean, (n, 1)), 99).mean())
    nothing = run(envs, np.zeros((n, 4)), 99).mean()
    assert history[-1] > 0.4 * nothing and history[-1] > history[0] - 1e-9, (nothing, history)


def test_autoreset():
    envs = capstan.gym.make_vec("crane", 3)
    envs.reset(seed=5)
    for _ in range(envs.task.steps):
        *_, truncated, _ = envs.step(np.zeros((3, 1)))
    assert truncated.all() and np.allclose(envs.batch.time, envs.task.steps * envs.task.period)
    *_, truncated, _ = envs.step(np.zeros((3, 1)))
    assert not truncated.any() and np.all(envs.batch.time < 2 * envs.task.period)
    with pytest.raises(KeyError):
        capstan.gym.make("boat")
