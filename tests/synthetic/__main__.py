"""Write the sets: `python -m synthetic FOLDER [SEED]`."""

from __future__ import annotations

import sys
from pathlib import Path

from synthetic import sets

if __name__ == "__main__":
    folder, *seed = sys.argv[1:]
    for draft in sets.drafts(int(seed[0]) if seed else sets.SEED):
        draft.write(Path(folder))
