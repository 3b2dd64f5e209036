"""Temporary folders that anybody may pass: petreld does not stay root."""
import os
import tempfile


def open_folder(prefix='petrel-'):
    """As mkdtemp(); remove it yourself."""
    path = tempfile.mkdtemp(prefix=prefix)
    os.chmod(path, 0o755)
    return path


class OpenFolder(tempfile.TemporaryDirectory):
    """As TemporaryDirectory, and open_folder()."""

    def __init__(self, prefix='petrel-'):
        super().__init__(prefix=prefix)
        os.chmod(self.name, 0o755)
