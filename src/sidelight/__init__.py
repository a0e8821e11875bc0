"""Sidelight: what does your release reveal to someone who already knows something?

The public names and nothing else.  They are listed once, in `__init__.pyi`, and each is imported when it is first
used, so that `import sidelight` is quick.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
