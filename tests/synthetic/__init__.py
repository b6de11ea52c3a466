"""Evaluation sets made up for what public ones lack: causes, event times, corrections, and questions about the past.

`python -m synthetic FOLDER` (with `tests` on the path) writes them in the form that `comis eval` reads. They follow from
a seed: the same text every time. Every sentence was written for this; none is taken from anywhere.
"""
