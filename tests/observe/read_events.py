"""Prints every scalar of a folder's event files as TensorBoard itself reads them: step, value and tag, a line each.

Leaves with 77 where there is no TensorBoard.
"""

import sys

try:
    from tensorboard.backend.event_processing import event_accumulator
except ImportError as problem:
    print(f"{sys.executable} has no TensorBoard ({problem}); tools/bootstrap --checks installs it", file=sys.stderr)
    sys.exit(77)

EVERYTHING = {event_accumulator.SCALARS: 0}

events = event_accumulator.EventAccumulator(sys.argv[1], size_guidance=EVERYTHING)
events.Reload()
for tag in events.Tags()["scalars"]:
    for scalar in events.Scalars(tag):
        print(scalar.step, repr(float(scalar.value)), tag)
