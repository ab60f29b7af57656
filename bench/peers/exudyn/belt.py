# The belt drive of bench/peers/belt-drive.yaml in Exudyn: the numbers of its own example beltDriveReevingSystem (improved belt),
# after Pechstein and Gerstmayr 2013, with bristle friction and the trapezoidal rule of index 2 that the example uses.
from cablecommon import *
from exudyn.beams import CreateReevingCurve, PointsAndSlopes2ANCFCable2D

p = parser(n=240, h=1e-4, tend=2.45, nseg=2, solver='trap2', dit=3, dtol=1e-3)
a = p.parse_args()
WIDTH, HEIGHT, E, R, APART, STRAIN, MU = 0.08, 0.01, 1e7, 0.1, 0.1 * pi, 0.05, 0.5
EA, EI, MASS, INERTIA, BRAKE = E * WIDTH * HEIGHT, 0.02 * E * WIDTH * HEIGHT**3 / 12, 1036 * WIDTH * HEIGHT, 0.25, 2.0

SC = exu.SystemContainer()
mbs = SC.AddSystem()
circles = [[[0, 0], R, 'L'], [[APART, 0], R, 'L']]
curve = CreateReevingCurve(circles, closedCurve=True, numberOfANCFnodes=a.n)
belt = Cable2D(physicsMassPerLength=MASS, physicsBendingStiffness=EI, physicsAxialStiffness=EA, physicsAxialDamping=1,
               physicsReferenceAxialStrain=-STRAIN, useReducedOrderIntegration=2, strainIsRelativeToReference=0.)
nodes, elements, _, _, held = PointsAndSlopes2ANCFCable2D(
    mbs, curve['ancfPointsSlopes'], curve['elementLengths'], belt, massProportionalLoad=[0, -9.81, 0],
    fixedConstraintsNode0=[1, 0, 0, 0], firstNodeIsLastNode=True)

ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
segment = curve['totalLength'] / a.n / a.nseg
area = WIDTH * segment                    # stiffness is per area
normal, damping = 1e8 * area * 40, 2000 * area * 40
bristle = 1e8 * area * 50
penalty = 10 * sqrt(1e8 * area * MASS * segment)


def motor_rate(mbs, t, item, offset):
    return 12 * min(max(t - 0.05, 0) / 0.55, 1)


def brake_torque(mbs, t, load):
    return -25 * min(max(t - 1, 0) / 0.5, 1)


contacts, locks, wheels = [], [], []
for i, (center, radius, _) in enumerate(circles):
    node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[*center, 0]))
    body = mbs.AddObject(ObjectRigidBody2D(physicsMass=50, physicsInertia=INERTIA, nodeNumber=node))
    place = [mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=c)) for c in range(3)]
    for c in (0, 1):
        mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, place[c]]))
    if i == 0:
        drive = mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, place[2]], velocityLevel=True,
                                                   offsetUserFunction_t=motor_rate))
    else:
        mbs.AddObject(CoordinateSpringDamper(markerNumbers=[ground, place[2]], damping=BRAKE))
        mbs.AddLoad(LoadCoordinate(markerNumber=place[2], load=0, loadUserFunction=brake_torque))
    locks.append(mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, place[2]])))
    wheels.append(node)
    rim = mbs.AddMarker(MarkerBodyRigid(bodyNumber=body))
    for e in elements:
        data = mbs.AddNode(NodeGenericData(initialCoordinates=[0.1] * a.nseg + [-2] * a.nseg + [0] * a.nseg,
                                           numberOfDataCoordinates=3 * a.nseg))
        shape = mbs.AddMarker(MarkerBodyCable2DShape(bodyNumber=e, numberOfSegments=a.nseg))
        contacts.append(mbs.AddObject(ObjectContactFrictionCircleCable2D(
            markerNumbers=[rim, shape], nodeNumber=data, numberOfContactSegments=a.nseg, contactStiffness=normal,
            contactDamping=damping, frictionVelocityPenalty=penalty, frictionStiffness=bristle, frictionCoefficient=MU,
            circleRadius=radius)))
angle = mbs.AddSensor(SensorNode(nodeNumber=wheels[1], storeInternal=True,
                                 outputVariableType=exu.OutputVariableType.Coordinates))
rate = mbs.AddSensor(SensorNode(nodeNumber=wheels[1], storeInternal=True,
                                outputVariableType=exu.OutputVariableType.AngularVelocity))
forces = [mbs.AddSensor(SensorBody(bodyNumber=e, localPosition=[0, 0, 0], storeInternal=True,
                                   outputVariableType=exu.OutputVariableType.ForceLocal)) for e in elements]
mbs.Assemble()

s = settings(a)
s.staticSolver.numberOfLoadSteps, s.staticSolver.adaptiveStep = 10, False
s.staticSolver.loadStepGeometric, s.staticSolver.loadStepGeometricRange = True, 1e4
s.staticSolver.stabilizerODE2term = 1e5
mbs.SetObjectParameter(drive, 'activeConnector', False)
for c in contacts:  # the equilibrium is without friction
    mbs.SetObjectParameter(c, 'frictionCoefficient', 0.)
    mbs.SetObjectParameter(c, 'frictionStiffness', 1e-8)
if not mbs.SolveStatic(s, updateInitialValues=True):
    sys.exit('STATIC FAILED')
for c in contacts:
    mbs.SetObjectParameter(c, 'frictionCoefficient', MU)
    mbs.SetObjectParameter(c, 'frictionStiffness', bristle)
for c in held + locks:
    mbs.SetObjectParameter(c, 'activeConnector', False)
mbs.SetObjectParameter(drive, 'activeConnector', True)

solver = {'ga': exu.DynamicSolverType.GeneralizedAlpha, 'trap2': exu.DynamicSolverType.TrapezoidalIndex2}[a.solver]
cpu, ok = time.process_time(), True
try:
    ok = mbs.SolveDynamic(s, solverType=solver)
except Exception as problem:
    ok = False
    print(str(problem)[:200].replace('\n', ' '))
cpu = time.process_time() - cpu
tension = [np.ravel(mbs.GetSensorValues(f))[0] for f in forces]
print('belt ok=%s cpu=%.3f s n=%d h=%g right_y0=0.0 right_y=%.7f rate=%.6f tensions=%.2f to %.2f steps=%d' % (
    ok, cpu, a.n, a.h, mbs.GetSensorValues(angle)[2], np.ravel(mbs.GetSensorValues(rate))[-1], min(tension), max(tension),
    round(a.tend / a.h)))
