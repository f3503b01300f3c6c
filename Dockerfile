# Service and worker in one image, of packages whose checksums requirements/image.txt names (`make lock`, with this Python).
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE ./
COPY requirements/build.txt requirements/image.txt requirements/
COPY grice grice
COPY models models
COPY middleware middleware
COPY components components
COPY integrations integrations
COPY benchmarks benchmarks
RUN python -m venv /opt/grice \
 && python -m venv /opt/build \
 && /opt/build/bin/python -m pip install --require-hashes --requirement requirements/build.txt \
 && /opt/build/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/grice/bin/python -m pip install --require-hashes --requirement requirements/image.txt \
 && /opt/grice/bin/python -m pip install --no-deps --no-index /wheels/*.whl

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /var/lib/grice --create-home --shell /usr/sbin/nologin grice
COPY --from=build /opt/grice /opt/grice
ENV PATH=/opt/grice/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /var/lib/grice
USER 10001:10001
EXPOSE 8300 8301
CMD ["grice", "serve"]
