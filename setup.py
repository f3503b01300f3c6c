"""Finds the packages: the folders of the top level are the subpackages of `grice`, whose own names are in the folder `grice`. All
else is in `pyproject.toml`."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("models", "middleware", "components", "integrations", "benchmarks")

setup(
    package_dir={"grice": "grice", **{f"grice.{folder}": folder for folder in FOLDERS}},
    packages=[
        "grice",
        *(
            f"grice.{name}"
            for name in find_namespace_packages(
                include=[*FOLDERS, *(f"{folder}.*" for folder in FOLDERS)], exclude=["*__pycache__*"]
            )
        ),
    ],
)
