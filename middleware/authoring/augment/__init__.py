"""Adds indirect variants of a bot's own NLU examples, so that it understands indirect turns without any part at run time.

from grice.middleware.authoring.augment import indirect_variants
"""

from grice.middleware.authoring.augment.example import Example, Variant
from grice.middleware.authoring.augment.meaning_check import MeaningCheck
from grice.middleware.authoring.augment.nlu_data import AugmentedNlu, NluModels, augment_nlu
from grice.middleware.authoring.augment.nlu_file import NluFile, find_nlu_files, read_nlu
from grice.middleware.authoring.augment.settings import AugmentSettings
from grice.middleware.authoring.augment.variants import Augmentation, VariantModels, indirect_variants, with_rewrites
from grice.middleware.schemas.rasa.annotation import Entity

__all__ = [
    "AugmentSettings",
    "Augmentation",
    "AugmentedNlu",
    "Entity",
    "Example",
    "MeaningCheck",
    "NluFile",
    "NluModels",
    "Variant",
    "VariantModels",
    "augment_nlu",
    "find_nlu_files",
    "indirect_variants",
    "read_nlu",
    "with_rewrites",
]
