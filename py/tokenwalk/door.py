"""What the browser's worker calls: `respond`, and a test that the numbers are right before the page says "ready"."""

import numpy as np

from tokenwalk import position
from tokenwalk.panel import respond

__all__ = ["respond", "self_test"]


def self_test() -> None:
    """Nothing, if NumPy works here. Raises RuntimeError if a hand turned by one radian comes out wrong."""
    turned = position.rope([[1.0, 0.0]], [1.0])
    if not np.allclose(turned, [[0.5403023058681398, 0.8414709848078965]], atol=1e-12):
        raise RuntimeError("NumPy gives wrong numbers in this browser")
