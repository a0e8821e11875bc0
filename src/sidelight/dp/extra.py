"""The libraries of the extra `dp`: imported when they are used, and asked for by name when they are not there."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from sidelight.errors import NotAvailable


def opendp() -> ModuleType:
    """Get OpenDP: the only source of noise."""
    prelude = _imported("opendp.prelude", what="noise", package="opendp")
    prelude.enable_features("contrib")  # OpenDP's mechanisms on vectors are behind this switch
    return prelude


def privacy_loss_distributions() -> ModuleType:
    """Get Google's dp-accounting: how privacy losses add up, exactly."""
    return _imported(
        "dp_accounting.pld.privacy_loss_distribution", what="privacy-loss accounting", package="dp-accounting"
    )


def _imported(module: str, *, what: str, package: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise NotAvailable.without(package=package, what=what, extra="dp") from None
