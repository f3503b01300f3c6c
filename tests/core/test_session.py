import pytest

from grice.models import load_directness_scorer
from grice.models.errors import InputError, ProviderError
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import choose_provider


def test_auto_takes_what_is_there_and_cpu_is_always() -> None:
    assert choose_provider("cpu") == "CPUExecutionProvider"
    assert choose_provider("auto").endswith("ExecutionProvider")


def test_unknown_provider_lists_the_available() -> None:
    with pytest.raises(ProviderError, match=r"'abacus' is not available; available here: auto, .*CPUExecutionProvider"):
        load_directness_scorer(runtime=Runtime("abacus"))


@pytest.mark.parametrize("threads", [0, 65, True, 1.5])
def test_thread_count_out_of_range(threads: int) -> None:
    with pytest.raises(InputError, match=r"threads: got .*; allowed: 1 to 64"):
        Runtime(threads=threads)


def test_unknown_precision() -> None:
    with pytest.raises(InputError, match="precision: got 'int4'; allowed: int8, fp32, fp16"):
        Runtime(precision="int4")
