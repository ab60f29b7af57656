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
    seen, reward, terminated, truncated, _ = envs.step(np.ones((3, 1)))  # the action is not used: they begin anew
    assert not truncated.any() and not terminated.any() and np.all(reward == 0) and np.all(envs.batch.time == 0) and np.all(seen[:, 1:] == 0)
    goal = seen[:, 0].copy()
    for _ in range(envs.task.steps):
        assert not truncated.any()
        seen, *_, truncated, _ = envs.step(np.zeros((3, 1)))
    assert truncated.all() and np.allclose(envs.batch.time, envs.task.steps * envs.task.period) and np.ptp(goal) > 0
    with pytest.raises(KeyError):
        capstan.gym.make("boat")


def test_one_that_begins_anew_does_not_move_the_others():
    """To the bit, although all are stepped together; and where a winch's load hangs is seen before it moves."""
    envs, alone = capstan.gym.make_vec("winch", 2), capstan.gym.make_vec("winch", 2)
    rng = np.random.default_rng(4)
    for both in (envs, alone):
        both.reset(seed=[7, 8])
    for k in range(12):
        actions = rng.uniform(-1, 1, (2, 1))
        envs._over[0] = k == 5  # as if it had ended
        seen, _, _, _, _ = envs.step(actions)
        assert np.array_equal(seen[1], alone.step(actions)[0][1])
        if k == 5:
            assert seen[0, 0] == 0 and envs.batch.time[0] == 0


def test_seeds_of_their_own():
    envs = capstan.gym.make_vec("crane", 3)
    first, again, other = (envs.reset(seed=seeds)[0][:, 0] for seeds in ([1, 2, 3], [1, 2, 3], [1, 5, 3]))
    assert np.array_equal(first, again) and (first != other).tolist() == [False, True, False]
    assert len(set(envs.reset(seed=1)[0][:, 0])) == 3
    with pytest.raises(ValueError, match="one seed for each of 3"):
        envs.reset(seed=[1, 2])


def test_what_is_refused_changes_nothing():
    env, envs = capstan.gym.make("crane"), capstan.gym.make_vec("crane", 2)
    for call in (lambda: env.step(np.zeros(1)), lambda: envs.step(np.zeros((2, 1)))):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()
    env.reset(seed=1), envs.reset(seed=1)
    for call in (lambda: env.step(np.zeros(3)), lambda: env.step(0.1), lambda: env.step(np.array([np.nan])), lambda: envs.step(np.zeros(2)), lambda: envs.step([[0.0], [np.nan]])):
        with pytest.raises(ValueError, match="action"):
            call()
    same = capstan.gym.make("crane")
    same.reset(seed=1)
    assert np.array_equal(env.step(np.ones(1))[0], same.step(np.ones(1))[0])
    for closed, action in ((env, np.zeros(1)), (envs, np.zeros((2, 1)))):
        closed.close()
        with pytest.raises(RuntimeError, match="this batch is closed"):
            closed.step(action)
    with pytest.raises(ValueError, match="nothing to see"):
        gymnasium.make("capstan/Crane-v0", render_mode="human")
    with pytest.raises(TypeError):
        gymnasium.make("capstan/Crane-v0", trolley=3)
    assert gymnasium.make_vec("capstan/Winch-v0", num_envs=2, threads=1).num_envs == 2
