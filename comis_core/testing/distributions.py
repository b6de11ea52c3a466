"""Real installed distributions, made on the fly: a folder with metadata and modules as an installer leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from comis_core.host.discovery import GROUP


def make_distribution(
    folder: Path,
    name: str,
    *,
    version: str = "1.0",
    plugins: Mapping[str, str],
    modules: Mapping[str, str] | None = None,
) -> Path:
    """Write a distribution that is installed wherever its folder is on the import path.

    Args:
        folder: where to put it; made when missing.
        name: the distribution's name, e.g. "my-lane".
        version: its version.
        plugins: plugin name -> entry point ("package.module" or "package.module:attribute").
        modules: module name -> Python source, written beside the metadata.

    Returns:
        The folder to put on `sys.path`.
    """
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    points = "".join(f"{plugin} = {target}\n" for plugin, target in plugins.items())
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{points}", "utf-8")
    for module, source in (modules or {}).items():
        (folder / f"{module}.py").write_text(source, "utf-8")
    return folder
