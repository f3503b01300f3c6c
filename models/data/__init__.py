"""Readers of released data sets: one file a data set, each `read(folder) -> list of records`.

Nothing of a data set is kept in this package; `fetch` gets files from where their authors publish them.
"""
