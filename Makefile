# Capstan's front door. Each target installs what it needs first, and says so; `make help` lists them.
PREFIX ?= /usr/local
SECONDS_EACH ?= 30
JOBS ?= 1

.PHONY: all help setup build test test-fast demo bench bench-peers lint fuzz soak tsan cluster docs site web screenshots python wheel binaries fmu install clean

all: build

help:
	@echo 'make demo      build, and run a motorised pulley, a capstan, a block on a belt, a chain and a crane; reports in demo/'
	@echo 'make test      build, and run every test, then again with the sanitizers'
	@echo 'make test-fast build, and run the quick tests: half a minute on two cores'
	@echo 'make build     build; the tool is build/capstan'
	@echo 'make bench     what laws, steps and cables cost, and which goals are met'
	@echo 'make bench-peers  the same problems in Exudyn and here; installs Exudyn into build/peers'
	@echo 'make lint      format, warnings of clang, static analysis'
	@echo 'make fuzz      fuzz each target for SECONDS_EACH=$(SECONDS_EACH) seconds'
	@echo 'make soak      kills, faults, strange inputs, random machines: each campaign for SECONDS_EACH=$(SECONDS_EACH) seconds, JOBS=$(JOBS) at a time'
	@echo 'make tsan      simulations in several threads under the thread sanitizer'
	@echo 'make cluster   a study under a real Slurm and a real mpirun on this machine; needs root'
	@echo 'make docs      write the generated part of docs/'
	@echo 'make site      the documentation as a site in build/site, with search; needs no network to be read'
	@echo 'make web       bundle the front end of reports into web/dist'
	@echo 'make screenshots  take the pictures of the README'
	@echo 'make python    build the wheel, install it into build/python-env, and run its tests'
	@echo 'make wheel     build the wheel of the Python package, for all Linux systems on x86-64, into build/wheel'
	@echo 'make binaries  build for Linux (x86-64, aarch64), Windows and macOS into build/binaries, and compare what can be run'
	@echo 'make fmu       let validators and importers of others at FMUs: FMPy, ecos, libcosim, VDMCheck, as far as they can be had'
	@echo 'make install   install into PREFIX=$(PREFIX)'
	@echo 'make setup     only install the Debian packages that all of these need'
	@echo 'make clean     remove everything that was built'

setup:
	@scripts/setup.sh --report build test lint fuzz

build:
	@scripts/setup.sh build test
	@scripts/build.sh release

test:
	@scripts/setup.sh build test
	@scripts/setup.sh web || echo 'setup: without them the report is not looked at in a browser'
	@scripts/test.sh

test-fast:
	@scripts/setup.sh build test
	@scripts/test.sh --fast

demo: build
	@scripts/demo.sh

bench: build
	@scripts/bench.sh

bench-peers: build
	@scripts/bench_peers.sh

lint:
	@scripts/setup.sh build test lint
	@scripts/lint.sh

fuzz:
	@scripts/setup.sh build test fuzz
	@scripts/fuzz.sh $(SECONDS_EACH)

soak:
	@scripts/setup.sh build test fuzz soak
	@scripts/soak.sh $(SECONDS_EACH) --jobs $(JOBS)

tsan:
	@scripts/setup.sh build test
	@scripts/tsan.sh

cluster: build
	@scripts/setup.sh cluster
	@for t in mpirun slurm; do echo "== $$t"; CAPSTAN=build/capstan bash test/cluster/$$t.sh || exit 1; done

docs: build
	@scripts/docs.sh

site:
	@scripts/setup.sh web test
	@scripts/site.sh

web:
	@scripts/setup.sh web
	@cd web && { [ -d node_modules/esbuild ] || npm ci --no-audit --no-fund --loglevel=error; } && npm run --silent build

screenshots: build
	@scripts/setup.sh web
	@scripts/screenshots.sh

python: wheel
	@scripts/python.sh

wheel:
	@scripts/setup.sh test binaries
	@scripts/binaries.sh linux-x86_64

binaries:
	@scripts/setup.sh test binaries binaries_run
	@scripts/binaries.sh

fmu: build
	@scripts/setup.sh fmu || echo 'setup: without it ecos is left out'
	@scripts/fmu.sh

install: build
	@cmake --install build --prefix '$(PREFIX)'
	@if [ -z "$$DESTDIR" ] && [ -w /etc/ld.so.cache ]; then ldconfig; fi

clean:
	rm -rf build build-* demo
