# How the cables of hosts are shaped: rate by tbf on the host's own device, delay and loss by a relay between the cable's
# other end and the switch. Sourced by scripts/hosts. A shape is three variables: rate (none, or bits per second), delay
# (microseconds), loss (millionths).

# Sets rate, delay and loss where options name them, and chosen to the other words.
parse_shape() {
  chosen=()
  while (($# > 0)); do
    case $1 in
      --rate=* | --delay=* | --loss=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
      --rate) rate=$(parse_rate "${2:-}") || refuse '--rate needs a rate as 1gbit or 100mbit, or none' ; shift 2 ;;
      --delay) delay=$(parse_delay "${2:-}") || refuse '--delay needs a time as 5ms or 250us' ; shift 2 ;;
      --loss) loss=$(parse_loss "${2:-}") || refuse '--loss needs a percentage as 1% or 0.1%' ; shift 2 ;;
      -*) refuse "no option $1" ;;
      *) chosen+=("$1") ; shift ;;
    esac
  done
}

# NUMBER times FACTOR, rounded; fails for what is no number or above MOST.
scaled() {
  [[ $1 =~ ^[0-9]{1,12}(\.[0-9]{1,6})?$ ]] && awk -v n="$1" -v f="$2" -v most="$3" 'BEGIN { v = n * f; if (v > most) exit 1; printf "%.0f\n", v }'
}

parse_rate() {
  local -A units=([bit]=1 [kbit]=1e3 [mbit]=1e6 [gbit]=1e9)
  local text=${1,,} bits
  [[ $text != none ]] || { echo none && return; }
  [[ $text =~ ^([0-9.]+)([kmg]?bit)$ ]] || return
  bits=$(scaled "${BASH_REMATCH[1]}" "${units[${BASH_REMATCH[2]}]}" 1e12) && ((bits >= 8000)) && echo "$bits"
}

parse_delay() {
  local -A units=([us]=1 [ms]=1e3 [s]=1e6)
  [[ $1 != 0 ]] || { echo 0 && return; }
  [[ $1 =~ ^([0-9.]+)(us|ms|s)$ ]] && scaled "${BASH_REMATCH[1]}" "${units[${BASH_REMATCH[2]}]}" 1e7
}

parse_loss() {
  [[ $1 != 0 ]] || { echo 0 && return; }
  [[ $1 =~ ^([0-9.]+)%$ ]] && scaled "${BASH_REMATCH[1]}" 1e4 1e6
}

needs_relay() { ((${delay:-0} > 0 || ${loss:-0} > 0)); }

read_shape() { read -r rate delay loss <"$state/shape/$1"; }

shown_rate() {
  case $rate in
    none) echo none ;;
    *000000000) echo "${rate%000000000}gbit" ;;
    *000000) echo "${rate%000000}mbit" ;;
    *000) echo "${rate%000}kbit" ;;
    *) echo "${rate}bit" ;;
  esac
}

shown_delay() {
  case $delay in
    0) echo 0 ;;
    *000) echo "${delay%000}ms" ;;
    *) echo "${delay}us" ;;
  esac
}

shown_loss() { awk -v l="$loss" 'BEGIN { printf "%.6g%%\n", l / 1e4 }'; }

# Gives the host of this name the shape in rate, delay and loss.
apply_shape() {
  local name=$1
  apply_rate "$name" && apply_relay "$name" || return
  echo "$rate $delay $loss" >"$state/shape/$name"
}

# What comes in one burst is what the rate gives in a millisecond, so that no test sees more than the rate; two full frames
# at least, since a frame longer than the burst is never sent.
apply_rate() {
  local burst
  if [[ $rate == none ]]; then
    within "$1" tc qdisc del dev eth0 root 2>/dev/null
    return 0
  fi
  burst=$((rate / 8000))
  within "$1" tc qdisc replace dev eth0 root tbf rate "${rate}bit" burst "$((burst > 3028 ? burst : 3028))" latency 50ms ||
    { echo "hosts: $1 can't have a rate of $rate bit/s" >&2 && return 1; }
}

apply_relay() {
  local name=$1 k=${1#node}
  stop_relay "$name"
  # A bundle of frames would be lost as a whole.
  within "$name" ip link set eth0 gso_max_segs "$((loss > 0 ? 1 : 65535))" || return
  needs_relay || { within switch ip link set "p$k" master br0 && return; }
  [[ -x $state/relay ]] || build_relay || return
  within switch ip link set "p$k" nomaster && start_relay "$name" && within switch ip link set "t$k" master br0 up && return
  echo "hosts: the relay of $name can't be started: $(tail -n 1 "$state/log")" >&2
  return 1
}

build_relay() {
  "${CC:-cc}" -O2 -o "$state/relay" "$lib/relay.c" 2>>"$state/log" && return
  echo "hosts: the relay can't be compiled: $(grep -m 1 error "$state/log")" >&2
  return 1
}

start_relay() {
  local name=$1 k=${1#node} switch answer='' out
  switch=$(pid_of switch) || return
  exec {out}< <(exec setsid nsenter --target "$switch" --net -- "$state/relay" "p$k" "t$k" "$delay" "$loss" 2>>"$state/log")
  remember "relay.$name" "$!"
  read -r -t 20 answer <&"$out"
  exec {out}<&-
  [[ $answer == ready ]]
}

stop_relay() {
  local pid
  pid=$(pid_of "relay.$1") || return 0
  kill -KILL "$pid"
  while pid_of "relay.$1" >/dev/null; do sleep 0.01; done
  rm -f "$state/pids/relay.$1"
}

command_shape() {
  local name words=("$@")
  must_be_up
  parse_shape "${words[@]}"
  ((${#chosen[@]} < $#)) || refuse 'shape needs --rate, --delay or --loss'
  for name in "${chosen[@]}"; do must_be_node "$name"; done
  ((${#chosen[@]} > 0)) || mapfile -t chosen < <(nodes)
  for name in "${chosen[@]}"; do reshape "$name" "${words[@]}" || exit; done
}

reshape() {
  local name=$1 chosen old
  read_shape "$name"
  old="$delay $loss"
  parse_shape "${@:2}"
  must_be_possible
  # A relay that need not change goes on, with the frames that it holds.
  if [[ "$delay $loss" == "$old" ]]; then
    apply_rate "$name" && echo "$rate $delay $loss" >"$state/shape/$name"
  else
    apply_shape "$name"
  fi
}

# The switch's end is pulled: the host sees a device without a carrier, and keeps its address.
command_link() {
  (($# == 2)) && [[ $2 == up || $2 == down ]] || refuse 'link needs a host, and up or down'
  must_be_up
  must_be_node "$1"
  within switch ip link set "p${1#node}" "$2"
}
