"""Model files in the GGUF format: naming, finding, reading, downloading and running them.

What every plugin that brings a local model shares. Nothing is imported here; each module says what it needs.
"""
