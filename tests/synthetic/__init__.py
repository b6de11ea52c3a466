"""Evaluation sets made up for what public ones lack: causes, event times, corrections, questions about the past, sources
that are not trusted alike, what is said again and again, and long chats of one user with an assistant.

`python -m synthetic FOLDER` (with `tests` on the path) writes them in the form that `comis eval` reads. They follow from
a seed: the same text every time (`assistant` is written out and needs none). Every sentence was written for this; none
is taken from anywhere.
"""
