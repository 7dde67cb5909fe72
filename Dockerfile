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
# Compiled functions are kept in a folder of any user's: docker run --user "$(id -u)" works, and a volume keeps them.
RUN install --directory --mode 1777 /cache
USER 1000
ENV PATH=/opt/sklearn-mteval/bin:$PATH \
    HOME=/cache
WORKDIR /data
ENTRYPOINT ["sklearn-mteval"]
CMD ["--help"]
