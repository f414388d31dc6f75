# Everything a person does with this repository. `make` alone lists it.
# What is installed or built already is left alone: a second run takes seconds.

TARGET := $(or $(CARGO_TARGET_DIR),target)
WEB_INPUTS := $(shell find static docs/openapi.json -path static/node_modules -prune -o -path static/dist -prune -o -type f ! -name schema.d.ts -print 2>/dev/null)
WEB := static/dist/index.html
NPM := static/node_modules/.package-lock.json

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 18

.PHONY: run
run: ## install what is missing, build, start on port 8001 and print the URL
	@scripts/run

.PHONY: test
test: ## everything: format, lints, unit, HTTP, database and browser tests
	@scripts/test

.PHONY: build
build: $(WEB) ## one self-contained program: target/release/llm-council
	cargo build --release --locked

.PHONY: dev
dev: $(NPM) ## debug server on 8001 and the web app's development server beside it
	@scripts/dev

.PHONY: drill-upgrade
drill-upgrade: $(WEB) ## servers of an older and of this version side by side, under load: what breaks in an upgrade
	@scripts/drill-upgrade

.PHONY: drill-backup
drill-backup: $(WEB) ## a backup, restored into an empty cluster and compared by hashes; how much runs take up
	@scripts/drill-backup

.PHONY: drill-object-store
drill-object-store: $(WEB) ## files in an object store (moto): killed in uploads, deleted, the store away; nothing is left behind
	@scripts/drill-object-store

.PHONY: drill-rolling-restart
drill-rolling-restart: $(WEB) ## two servers behind HAProxy, restarted in turn under load: nothing is lost or paid twice
	@scripts/drill-rolling-restart

.PHONY: drill-patroni
drill-patroni: $(WEB) ## two servers on a Postgres that fails over (Patroni): switchover and failover under load, what is lost
	@scripts/drill-patroni

.PHONY: drill-growth
drill-growth: $(WEB) ## by how much each table grows with short and with long answers, and what compaction and vacuum give back
	@scripts/drill-growth

.PHONY: drill-versions
drill-versions: $(WEB) ## databases of kept older versions taken over by this one, and one version back
	@scripts/drill-versions

.PHONY: fmt
fmt: $(NPM) ## format Rust and TypeScript
	cargo fmt
	npm --prefix static run format

.PHONY: openapi
openapi: ## write docs/openapi.json from the code, and the web app's types from that
	cargo run --quiet --locked -- openapi > $(TARGET)/openapi.json
	mv $(TARGET)/openapi.json docs/openapi.json
	npm --prefix static run generate

.PHONY: deny
deny: ## licences, banned crates and sources (needs cargo-deny: cargo install cargo-deny --locked)
	cargo deny check licenses bans sources

.PHONY: drill-pgbouncer
drill-pgbouncer: $(WEB) ## two servers over a real PgBouncer in transaction mode
	@scripts/drill-pgbouncer

.PHONY: drill-unplugged
drill-unplugged: $(WEB) ## a reader whose network goes away without a word: how soon it is missed (needs root)
	@scripts/drill-unplugged

.PHONY: mcp-conformance
mcp-conformance: $(WEB) ## the test suite of the Model Context Protocol against our part of it, every revision
	@scripts/mcp-conformance

.PHONY: docker
docker: ## build the container image llm-council:local
	docker build -t llm-council:local --build-arg GIT_COMMIT="$$(git rev-parse HEAD)" \
	  --build-arg SOURCE_DATE_EPOCH="$$(git log -1 --format=%ct)" .

.PHONY: clean
clean: ## delete what was built (not ./data, not .tools)
	cargo clean
	rm -rf static/dist static/node_modules

# --- files ---------------------------------------------------------------------------------------

.PHONY: npm web
npm: $(NPM)
web: $(WEB)

$(NPM): static/package.json static/package-lock.json
	npm --prefix static ci --no-audit --no-fund
	@touch $@

$(WEB): $(NPM) $(WEB_INPUTS)
	npm --prefix static run generate
	npm --prefix static run build
	@touch $@
