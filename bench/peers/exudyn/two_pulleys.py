# A rope with a load at each end over two pulleys, the first driven, the second turned by friction: bench/peers/two-pulleys.yaml.
from reeving import *

p = parser(n=80, h=1e-3, tend=5., nseg=2)
a = p.parse_args()
R, APART, HANG, TURN, LASTS = 0.25, 1.0, 1.0, pi / 2, 4.0


def cycloid(t):
    x = min(t, LASTS) / LASTS
    return -TURN * (x - sin(2 * pi * x) / (2 * pi)), -TURN / LASTS * (1 - cos(2 * pi * x)) if t < LASTS else 0.


P = drawn(R, (2 * HANG + APART + pi * R) / a.n / a.nseg)
path = Path(((-P, -HANG), (-P, 0)), ((0, 0), P, pi, pi / 2), ((0, P), (APART, P)), ((APART, 0), P, pi / 2, 0),
            ((APART + P, 0), (APART + P, -HANG)))
m = Machine(a, path, EA=9.2e6, EI=0.7, rho=0.4555, mu=0.25, stiffness=3e7, axial_damping=500)
far = 0.5  # as far as the rope runs, and some more
spans = [(b - far, e + far) for b, e in path.arcs()]
m.pulley((0, 0), R, spans[0], turning=cycloid)
m.pulley((APART, 0), R, spans[1], inertia=0.05)
m.load(m.nodes[0], 10)
m.load(m.nodes[-1], 12)
m.run('two pulleys', m.nodes[0])
