# The two-fall tackle of bench/peers/tackle.yaml: the hook's sheave hangs in a bight, the end of the rope is hauled.
from reeving import *

p = parser(n=240, h=1e-3, tend=5., nseg=2)
a = p.parse_args()
R, LASTS, HAUL = 0.15, 4.0, -2.0


def step5(t):
    x = min(t, LASTS) / LASTS
    return HAUL * x**3 * (10 - 15 * x + 6 * x * x), HAUL * 30 * x * x * (1 - x)**2 / LASTS


P = drawn(R, (8 + 2 * pi * R) / a.n / a.nseg)
path = Path(((-P, 0), (-P, -3)), ((0, -3), P, pi, 2 * pi), ((P, -3), (P, 0)), ((2 * P, 0), P, pi, 0), ((3 * P, 0), (3 * P, -2)))
m = Machine(a, path, EA=2e6, EI=1., rho=0.2, mu=0.3, stiffness=2e7, axial_damping=2000)
(hook_on, hook_off), (top_on, top_off) = path.arcs()
hook = m.pulley((0, -3), R, (hook_on - 1.3, hook_off + 0.3), mass=200, inertia=0.02, carried=True)
m.pulley((2 * P, 0), R, (top_on - 2.3, top_off + 0.3), inertia=0.02)
for c in (0, 1):
    m.hold(m.nodes[0], c)
m.hold(m.nodes[-1], 0)
m.hold(m.nodes[-1], 1, offsetUserFunction=lambda mbs, t, i, l: step5(t)[0],
       offsetUserFunction_t=lambda mbs, t, i, l: step5(t)[1])
m.run('tackle', hook)
