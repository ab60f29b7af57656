"""Optuna tunes a controller in the loop: a cart on rough rails is to come to x = 1 m quickly and to stay there.

The simulation is made once; every trial resets it, and steps it at 100 Hz with the controller outside.
"""

import optuna

import capstan

CART = """
capstan: 1
bodies:   {cart: {mass: 5 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {stribeck: {mu_s: 0.06, mu_d: 0.04, v_s: 1 cm/s}}}}
loads:    {motor: {on: cart, force: {input: force}}}
run:      {until: 10 s, output: 0, solver: events}
"""

sim = capstan.Scenario.text(CART).simulation(inputs=["force"], outputs=["bodies.cart.x", "bodies.cart.v"])


def cost(kp, kd):
    """The integral of the distance to the goal [m s], with a motor of 30 N."""
    sim.reset()
    x, v, total = 0.0, 0.0, 0.0
    for _ in range(400):
        force = max(-30.0, min(30.0, kp * (1.0 - x) - kd * v))
        x, v = sim.step(0.01, [force])
        total += 0.01 * abs(1.0 - x)
    return total


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
study.enqueue_trial({"kp": 20.0, "kd": 5.0})
study.optimize(lambda t: cost(t.suggest_float("kp", 5, 500, log=True), t.suggest_float("kd", 1, 100, log=True)), n_trials=40)
first = study.trials[0].value
print(f"first guess {first:.4f} m s, best {study.best_value:.4f} m s with {study.best_params}")
assert study.best_value < 0.8 * first
assert cost(**study.best_params) == study.best_value  # episodes are the same to the bit
