"""The `comis` command."""

from __future__ import annotations


def main() -> None:
    """Entry point of the console script."""
    from comis_core.cli.app import run

    run()
