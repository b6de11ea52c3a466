from __future__ import annotations

import subprocess
import sys


def test_reading_a_config_imports_nothing_heavy() -> None:
    program = (
        "import sys; from comis_core.config import Schema, load; load({}, Schema()); "
        "print(sorted({'numpy', 'apsw', 'sqlite_vec', 'croniter', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
