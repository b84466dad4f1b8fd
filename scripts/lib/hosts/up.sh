# Starts hosts. Sourced by scripts/hosts.

network=10.77.0
most=250

command_up() {
  local count=${1:-}
  [[ $count =~ ^[1-9][0-9]*$ ]] || refuse 'up needs a number of hosts'
  ((${#count} < 4 && count <= most)) || refuse "up makes $most hosts at most"
  local own_cpus=no words=() word
  for word in "${@:2}"; do
    if [[ $word == --own-cpus ]]; then own_cpus=yes; else words+=("$word"); fi
  done
  rate=none delay=0 loss=0
  parse_shape "${words[@]}"
  ((${#chosen[@]} == 0)) || refuse "up takes a number and a shape, and no '${chosen[0]}'"
  must_be_possible
  [[ $own_cpus == no ]] || ((count <= $(nproc))) || fail "$count hosts can't have processors of their own: there are $(nproc)"
  ! is_up || fail "hosts are up already in $state: take them down first, or give another --state"
  [[ $state != *[[:space:]]* ]] || fail "launchers take blanks in $state for the end of their agent's name: give another --state"
  [[ ! -e $state ]] || is_ours || fail "$state is no folder of scripts/hosts: give another --state"
  take_down # what a set that died has left
  mkdir -p "$(dirname "$state")" && mkdir "$state" 2>/dev/null || fail "$state can't be made, or is being made just now"
  # However this ends before the last line, nothing of it stays.
  trap 'take_down' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  make_set "$count" || exit 1
  trap - EXIT INT TERM HUP
  echo "$count hosts are up: $(nodes | paste -sd ' ')"
}

make_set() {
  local count=$1 k
  mkdir "$state"/{pids,shape,cpus,sys} || return
  write_files "$count"
  keep switch || return
  switch_on || return
  for ((k = 1; k <= count; k++)); do keep "node$k" || return; done
  for ((k = 1; k <= count; k++)); do plug_in "$k" || return; done
  for ((k = 1; k <= count; k++)); do apply_shape "node$k" || return; done
}

write_files() {
  local count=$1 k
  {
    echo '127.0.0.1 localhost'
    for ((k = 1; k <= count; k++)); do echo "$network.$k node$k"; done
  } >"$state/hosts"
  [[ $own_cpus == no ]] || share_cpus "$count"
  for ((k = 1; k <= count; k++)); do echo "node$k slots=$(slots_of "node$k")"; done >"$state/hostfile"
  printf '#!/bin/sh\nexec %q --state %q rsh "$@"\n' "$self" "$state" >"$state/rsh"
  chmod +x "$state/rsh"
}

# Gives each host as many of the processors that this process may use, neighbours together.
share_cpus() {
  local count=$1 k all each
  mapfile -t all < <(expand_cpus "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$$/status)")
  each=$((${#all[@]} / count))
  for ((k = 0; k < count; k++)); do
    (IFS=, && echo "${all[*]:k * each:each}") >"$state/cpus/node$((k + 1))"
  done
}

# The processors of a list of the kernel's, as 0-2,5, one a line.
expand_cpus() {
  local part
  for part in ${1//,/ }; do seq "${part%-*}" "${part#*-}"; done
}

slots_of() { if [[ -e $state/cpus/$1 ]]; then tr , '\n' <"$state/cpus/$1" | wc -l; else nproc; fi; }

# Starts the keeper of a host or of the switch, and waits until its namespaces are made.
keep() {
  local name=$1 answer='' pid out
  exec {out}< <(exec setsid unshare --net --uts --ipc --mount --propagation slave "$lib/keeper.sh" "$name" "$state" 2>>"$state/log")
  pid=$!
  remember "$name" "$pid"
  read -r -t 20 answer <&"$out"
  exec {out}<&-
  [[ $answer == ready ]] || { echo "hosts: $name can't be made: $(tail -n 1 "$state/log")" >&2 && return 1; }
}

switch_on() {
  within switch ip -batch - <<'BATCH' || { echo 'hosts: the switch could not be made' >&2 && return 1; }
link add br0 type bridge mcast_snooping 0
link set br0 up
BATCH
}

# Joins a host to the switch: eth0 there, pK here. Neither end is ever in this machine's own network.
plug_in() {
  local k=$1
  local host
  host=$(pid_of "node$k") || return
  within switch ip -batch - <<BATCH && within "node$k" ip -batch - <<HOST || { echo "hosts: node$k can't be joined to the switch" >&2 && return 1; }
link add p$k type veth peer name eth0 netns $host
link set p$k master br0 up
BATCH
address add $network.$k/24 dev eth0
link set eth0 up
HOST
}

command_status() {
  (($# == 0)) || refuse 'status takes nothing'
  must_be_up
  local name rate delay loss link cpus
  for name in $(nodes); do
    read_shape "$name"
    link=up
    pid_of "$name" >/dev/null || link=dead
    [[ $link == dead || -z $(within switch ip -o link show "p${name#node}" | grep 'state DOWN') ]] || link=down
    cpus=all
    [[ ! -e $state/cpus/$name ]] || cpus=$(cat "$state/cpus/$name")
    echo "$name $network.${name#node} link $link rate $(shown_rate) delay $(shown_delay) loss $(shown_loss) cpus $cpus"
  done
}
