# The command line in a container: docker build -t sklearn-mteval . && docker run --rm -v "$PWD:/data" sklearn-mteval demo
# A folder of texts is mounted at /data, where the command runs.
ARG PYTHON=3.13.9-slim-trixie

FROM python:${PYTHON} AS build
COPY . /source
WORKDIR /source
RUN python -m venv /opt/sklearn-mteval \
    && /opt/sklearn-mteval/bin/python -m pip install --no-cache-dir -c constraints.txt . \
    && /opt/sklearn-mteval/bin/python -m pip uninstall --yes pip

FROM python:${PYTHON}
LABEL org.opencontainers.image.title="sklearn-mteval" \
      org.opencontainers.image.licenses="BSD-3-Clause AND Apache-2.0"
COPY --from=build /opt/sklearn-mteval /opt/sklearn-mteval
RUN useradd --create-home --uid 1000 mteval
USER 1000
# Compiled functions are kept here: mount a volume, and the next container need not compile them.
ENV PATH=/opt/sklearn-mteval/bin:$PATH \
    NUMBA_CACHE_DIR=/home/mteval/.cache/numba
WORKDIR /data
ENTRYPOINT ["sklearn-mteval"]
CMD ["--help"]
