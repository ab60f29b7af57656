# Ropes over several pulleys in Exudyn: bench/peers/two-pulleys.yaml and bench/peers/tackle.yaml. A path is a list of lines and arcs;
# contact is looked for between a pulley and those elements that can reach it.
from cablecommon import *


def drawn(radius, segment):
    """The radius of a path whose straight contact segments just touch a pulley."""
    return radius / cos(segment / radius / 2)


class Path:
    """Lines (p0, p1) and arcs (centre, radius, from, to) one after the other, by length."""

    def __init__(self, *pieces):
        self.pieces = pieces
        self.lengths = [abs(x[3] - x[2]) * x[1] if len(x) == 4 else float(np.hypot(*np.subtract(x[1], x[0]))) for x in pieces]
        self.total = sum(self.lengths)

    def at(self, s):
        """Place and slope."""
        for piece, length in zip(self.pieces, self.lengths):
            if s <= length or piece is self.pieces[-1]:
                break
            s -= length
        if len(piece) == 4:
            (x, y), r, a0, a1 = piece
            sign = 1 if a1 > a0 else -1
            a = a0 + sign * s / r
            return [x + r * cos(a), y + r * sin(a), -sign * sin(a), sign * cos(a)]
        p0, p1 = np.array(piece[0]), np.array(piece[1])
        t = (p1 - p0) / length
        return [*(p0 + s * t), *t]

    def arcs(self):
        """Where arcs begin and end."""
        out, s = [], 0
        for piece, length in zip(self.pieces, self.lengths):
            if len(piece) == 4:
                out.append((s, s + length))
            s += length
        return out


class Machine:
    def __init__(self, a, path, EA, EI, rho, mu, stiffness, axial_damping):
        """stiffness: of contact per length of the rope and depth [N/m^2]; bristles are as stiff."""
        self.a, self.path, self.mu, self.rho = a, path, mu, rho
        self.SC = exu.SystemContainer()
        self.mbs = self.SC.AddSystem()
        self.le = path.total / a.n
        self.k = stiffness * self.le / a.nseg
        self.nodes = [self.mbs.AddNode(NodePoint2DSlope1(referenceCoordinates=path.at(i * self.le))) for i in range(a.n + 1)]
        self.rope = [self.mbs.AddObject(ObjectANCFCable2D(
            physicsLength=self.le, physicsMassPerLength=rho, physicsBendingStiffness=EI, physicsAxialStiffness=EA,
            physicsAxialDamping=axial_damping, useReducedOrderIntegration=2, nodeNumbers=self.nodes[i:i + 2])) for i in range(a.n)]
        for e in self.rope:
            self.mbs.AddLoad(LoadMassProportional(markerNumber=self.mbs.AddMarker(MarkerBodyMass(bodyNumber=e)),
                                                  loadVector=[0, -9.81, 0]))
        self.ground = self.mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=self.mbs.AddNode(NodePointGround()), coordinate=0))

    def coordinate(self, node, c):
        return self.mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=c))

    def hold(self, node, c, **how):
        return self.mbs.AddObject(CoordinateConstraint(markerNumbers=[self.ground, self.coordinate(node, c)], **how))

    def load(self, node, mass):
        self.mbs.AddObject(ObjectMassPoint2D(physicsMass=mass, nodeNumber=node))
        self.mbs.AddLoad(LoadForceVector(markerNumber=self.mbs.AddMarker(MarkerNodePosition(nodeNumber=node)),
                                         loadVector=[0, -mass * 9.81, 0]))

    def pulley(self, centre, radius, reach, mass=1, inertia=0.01, turning=None, carried=False):
        """A pulley that the rope between the lengths `reach` may touch: free, or turning by a function of time and its rate."""
        mbs, a = self.mbs, self.a
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[*centre, 0]))
        body = mbs.AddObject(ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node))
        rim = mbs.AddMarker(MarkerBodyRigid(bodyNumber=body))
        if carried:
            mbs.AddLoad(LoadForceVector(markerNumber=rim, loadVector=[0, -mass * 9.81, 0]))
        else:
            for c in (0, 1):
                self.hold(node, c)
        if turning:
            self.hold(node, 2, offsetUserFunction=lambda mbs, t, i, l: turning(t)[0],
                      offsetUserFunction_t=lambda mbs, t, i, l: turning(t)[1])
        m = self.rho * self.le / a.nseg
        for i, e in enumerate(self.rope):
            if (i + 1) * self.le < reach[0] or i * self.le > reach[1]:
                continue
            data = mbs.AddNode(NodeGenericData(initialCoordinates=[0.1] * a.nseg + [-2] * a.nseg + [0] * a.nseg,
                                               numberOfDataCoordinates=3 * a.nseg))
            shape = mbs.AddMarker(MarkerBodyCable2DShape(bodyNumber=e, numberOfSegments=a.nseg))
            mbs.AddObject(ObjectContactFrictionCircleCable2D(
                markerNumbers=[rim, shape], nodeNumber=data, numberOfContactSegments=a.nseg, contactStiffness=self.k,
                contactDamping=a.cdamp * 2 * sqrt(self.k * m), frictionVelocityPenalty=a.bdamp * 2 * sqrt(self.k * m),
                frictionStiffness=self.k, frictionCoefficient=self.mu, circleRadius=radius))
        return node

    def run(self, name, node):
        """The motion from where it is drawn, as its static solver does not find the equilibrium; y of `node` at its start and at
        its end."""
        mbs, a = self.mbs, self.a
        place = mbs.AddSensor(SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Position))
        if not a.nosensors:
            for e in self.rope:
                mbs.AddSensor(SensorBody(bodyNumber=e, localPosition=[0.5 * self.le, 0, 0], storeInternal=True,
                                         outputVariableType=exu.OutputVariableType.ForceLocal))
        mbs.Assemble()
        s = settings(a)
        solver = {'ga': exu.DynamicSolverType.GeneralizedAlpha, 'trap2': exu.DynamicSolverType.TrapezoidalIndex2}[a.solver]
        cpu, ok = time.process_time(), True
        try:
            ok = mbs.SolveDynamic(s, solverType=solver)
        except Exception as problem:
            ok = False
            print(str(problem)[:200].replace('\n', ' '))
        cpu = time.process_time() - cpu
        steps = mbs.sys['dynamicSolver'].it.currentStepIndex if 'dynamicSolver' in mbs.sys else 0
        data = mbs.GetSensorStoredData(place)
        print('%s ok=%s cpu=%.3f s n=%d h=%g right_y0=%.7f right_y=%.7f steps=%d' % (
            name, ok, cpu, a.n, a.h, data[0, 2], data[-1, 2], steps))
