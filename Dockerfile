# Service and worker in one image. The Python version is the one whose package versions requirements/main.txt names.
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE ./
COPY requirements/main.txt requirements/main.txt
COPY grice grice
COPY models models
COPY middleware middleware
COPY components components
COPY benchmarks benchmarks
RUN python -m venv /opt/grice \
 && /opt/grice/bin/python -m pip install --constraint requirements/main.txt '.[server,redis,llm,otel]'

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /var/lib/grice --create-home --shell /usr/sbin/nologin grice
COPY --from=build /opt/grice /opt/grice
ENV PATH=/opt/grice/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /var/lib/grice
USER 10001:10001
EXPOSE 8300 8301
CMD ["grice", "serve"]
