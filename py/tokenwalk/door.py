"""What the browser's worker calls: `respond`, `spent`, and a test of the numbers before the page says "ready"."""

import gc
import sys

import numpy as np

from tokenwalk import position
from tokenwalk.panel import respond

__all__ = ["respond", "spent", "start"]


class LeftOut:
    """The last finder of modules: it says that the site ships only those parts of Python that its panels import."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Nothing. Raises ModuleNotFoundError, with a sentence, for a part of Python or NumPy that is not there."""
        if name.split(".")[0] in {*sys.stdlib_module_names, "numpy"}:
            text = f"{name} is left out of this site, since no panel used it: see py/tokenwalk/data/imported.json"
            raise ModuleNotFoundError(text, name=name)


def spent() -> bool:
    """Whether Python holds much memory that it no longer needs: training.spent, if a panel has loaded training."""
    training = sys.modules.get("tokenwalk.training")
    return training is not None and bool(training.spent())


def start() -> None:
    """Nothing; from here on a missing part of Python is named, and NumPy is known to work.

    Raises RuntimeError if a hand turned by one radian comes out wrong.
    """
    sys.meta_path.append(LeftOut())
    turned = position.rope([[1.0, 0.0]], [1.0])
    if not np.allclose(turned, [[0.5403023058681398, 0.8414709848078965]], atol=1e-12):
        raise RuntimeError("NumPy gives wrong numbers in this browser")
    gc.freeze()  # the modules are no garbage
    gc.enable()
