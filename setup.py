"""Finds the packages: the folders of the top level are the subpackages of `grice`. All else is in `pyproject.toml`."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("models", "middleware", "components", "benchmarks")

setup(
    package_dir={f"grice.{folder}": folder for folder in FOLDERS},
    packages=[
        f"grice.{name}"
        for name in find_namespace_packages(include=[*FOLDERS, *(f"{folder}.*" for folder in FOLDERS)], exclude=["*__pycache__*"])
    ],
)
