"""Runs as functions that PyTorch differentiates, with exact derivatives across stick and slip.

    f = capstan.torch.function(scenario, wrt=["bodies.load.mass"], of=["bodies.load.y"])
    p = torch.tensor([120.0], dtype=torch.float64, requires_grad=True)
    f(p)[0].backward()

Values have the type of the parameters, float64 for integers and lists. There are first derivatives only: asking for second ones raises.
"""
# pyright: reportAttributeAccessIssue=false, reportPossiblyUnboundVariable=false
# Without PyTorch, pyright takes this file for it.

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]
from torch.autograd.function import once_differentiable  # type: ignore[import-not-found, unused-ignore]

from .rollout import Rollout
from .scenario import Scenario
from .trajectory import Trajectory


def function(scenario: Scenario, wrt: Sequence[str], of: Sequence[str], method: str = "auto") -> Callable[[Any], Any]:
    """Outputs of a run [of] as a function of numbers of the file [wrt]; one run gives values and derivatives."""
    wrt, of = tuple(wrt), tuple(of)

    class Run(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def forward(ctx: Any, p: Any) -> Any:
            s = scenario.with_(dict(zip(wrt, p.detach().cpu().double().tolist()))).sens(wrt, of, method)
            ctx.gradient = torch.from_numpy(s.gradient.copy())
            return torch.from_numpy(s.values.copy()).to(p)

        @staticmethod
        @once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
        def backward(ctx: Any, *cotangents: Any) -> Any:
            return cotangents[0] @ ctx.gradient.to(cotangents[0])

    def checked(p: Any) -> Any:
        p = _real(p)
        if tuple(p.shape) != (len(wrt),):
            raise ValueError(f"{len(wrt)} numbers are needed, one for each of {', '.join(wrt)}, not a tensor {tuple(p.shape)}")
        return Run.apply(p)  # type: ignore[no-untyped-call, unused-ignore]

    return checked


def trajectory(run: Trajectory) -> Callable[[Any], Any]:
    """The columns [rows, columns] of a run as a function of its parameters [wrt], by the adjoint method."""
    return _from_vjp(run, run.vjp, (len(run.wrt),), f"{len(run.wrt)} numbers are needed, one for each of {', '.join(run.wrt)}")


def rollout(run: Rollout) -> Callable[[Any], Any]:
    """The outputs [steps, outputs] of a rollout as a function of its inputs [steps, inputs]."""
    return _from_vjp(run, run.vjp, run.shape, f"a tensor {run.shape} is needed")


def _real(x: Any) -> Any:
    """As a tensor of real numbers."""
    x = torch.as_tensor(x)
    if x.is_complex():
        raise TypeError(f"real numbers are needed, not {x.dtype}")
    return x if x.is_floating_point() else x.double()


def _from_vjp(values: Callable[[Any], Any], vjp: Callable[[Any, Any], Any], given: tuple[int, ...], wanted: str) -> Callable[[Any], Any]:
    class Call(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.x = x.detach().cpu().double().numpy().copy()
            return torch.from_numpy(values(ctx.x).copy()).to(x)

        @staticmethod
        @once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
        def backward(ctx: Any, *cotangents: Any) -> Any:
            return torch.from_numpy(vjp(ctx.x, cotangents[0].cpu().double().numpy()).copy()).to(cotangents[0])

    def checked(x: Any) -> Any:
        x = _real(x)
        if tuple(x.shape) != given:
            raise ValueError(f"{wanted}, not a tensor {tuple(x.shape)}")
        return Call.apply(x)  # type: ignore[no-untyped-call, unused-ignore]

    return checked
