# Sourced after drill-common.sh by drills in which two servers, one and two, stand behind HAProxy: the model server that
# keeps account, the proxy, and clients. Sets $front, the port at which clients ask.
# shellcheck shell=bash disable=SC2154

clients=${CLIENTS:-50}
models=$(free_port) front=$(free_port) port_one=$(free_port) port_two=$(free_port)

# 40 words at 20 a second: a run of three stages takes six seconds and more.
python3 scripts/drill-models.py "$models" "$home/account" "${words:-40}" "${words_per_second:-20}" 2>"$home/models.log" &
pids+=($!)

# Ready is asked every 200 ms; a connection that fails before a request was sent goes to the other server.
cat >"$home/front.cfg" <<CFG
global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout check 2s
  timeout client 180s
  timeout server 180s
  option redispatch
  retries 3
  default-server check inter 200ms fall 1 rise 1
frontend front
  bind 127.0.0.1:$front
  default_backend council
backend council
  balance roundrobin
  option httpchk GET /health/ready
  server one 127.0.0.1:$port_one
  server two 127.0.0.1:$port_two
CFG
"$HAPROXY_PATH" -db -f "$home/front.cfg" >"$home/front.log" 2>&1 &
pids+=($!)

# serve NAME VARIABLE=VALUE...: starts a server with these in its environment, waits until it is ready, and sets pid_NAME.
serve() {
  local name=$1 port=port_$1; shift
  (
    mkdir -p "$home/$name" && cd "$home/$name"
    # Nothing of the caller's environment may change what is tried.
    exec env -i PATH="$PATH" LLM_COUNCIL__SERVER__PORT="${!port}" LLM_COUNCIL__LOG__FORMAT=json \
      LLM_COUNCIL__SERVER__NOTICE_SECONDS=1 LLM_COUNCIL__AUTH__MODE=proxy LLM_COUNCIL__AUTH__TRUSTED_PROXIES=127.0.0.1/32 LLM_COUNCIL__RUNS__MAX_LIVE=200 \
      LLM_COUNCIL__PROVIDERS__LOCAL__KIND=openai_compatible LLM_COUNCIL__PROVIDERS__LOCAL__MAX_IN_FLIGHT=500 \
      LLM_COUNCIL__PROVIDERS__LOCAL__BASE_URL="http://127.0.0.1:$models/v1" \
      LLM_COUNCIL__PROVIDERS__DEFAULT=local LLM_COUNCIL__COUNCIL__MODELS=m1,m2,m3 LLM_COUNCIL__COUNCIL__CHAIRMAN=m4 \
      LLM_COUNCIL__COUNCIL__TITLE_MODEL=m4 "$@" "$program" serve
  ) 2>>"$home/$name.log" &
  pids+=($!)
  printf -v "pid_$name" %s $!
  until_true 60 "server $name is ready" curl -sf -o "$home/ready" "http://127.0.0.1:${!port}/health/ready"
}

# questions ROUND: $clients of them at once, then one every $pause seconds (0.5) until $home/enough is there; waits for all. In the
# background, as $asker; its clients end with it.
questions() {
  rm -f "$home/enough"
  ask_until_enough "$1" &
  asker=$!
  askers+=("$asker")
}
ask_until_enough() {
  local asked=0
  trap 'kill $(jobs -p) 2>/dev/null; exit 1' TERM
  while [ ! -e "$home/enough" ]; do
    asked=$((asked + 1))
    python3 scripts/drill-client.py "http://127.0.0.1:$front" "drill-$1-$asked" >"$home/client-$1-$asked" 2>"$home/client-$1-$asked.err" &
    [ "$asked" -lt "$clients" ] || sleep "${pause:-0.5}"
  done
  wait
}
# answered: no more questions; ends when all are over.
answered() {
  touch "$home/enough"
  wait "$asker"
}
