# SPDX-License-Identifier: MIT
"""Ctrl-C during a call of the library: it asks now and then whether to go on, and Python looks for signals then."""
from typing import Any

from . import _abi


class Interrupt:
    """Ends a call when a signal handler of Python raised, and keeps what it raised."""

    def __init__(self) -> None:
        self.raised: Any = None
        self._call = _abi.CANCEL_CALL(self._go_on)

    def _go_on(self, _context: Any) -> bool:
        try:
            return self.raised is None
        except BaseException as raised:  # KeyboardInterrupt, mostly: it can be raised by any line of Python
            self.raised = raised
            return False

    @classmethod
    def into(cls, options: Any) -> "Interrupt":
        """Make the calls with these options end with a signal.  The caller keeps the result as long as the options."""
        made = cls()
        options.cancel.go_on = made._call
        return made
