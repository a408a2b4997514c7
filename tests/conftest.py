"""What all tests have in common: nothing but how they are collected."""

import gc

gc.disable()  # imports make half a million objects that stay; a search for garbage among them takes long


def pytest_collection_finish():
    gc.freeze()  # nor are they looked through later
    gc.enable()
