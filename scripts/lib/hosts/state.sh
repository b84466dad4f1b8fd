# What is known of a set of hosts, and whether it can be had. Sourced by scripts/hosts.
#
# A host has its own network, name and System V memory (by which UCX tells whether a peer shares the machine), /etc/hosts
# and /sys. Its namespaces live as long as its keeper, a sleeping process: nothing has a name in the whole machine, so sets
# can't collide, and nothing stays mounted. $state/pids has a file for each keeper and relay: its number and its start
# time, since numbers come again.

# The time since boot at which a process has started, in ticks.
start_of() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  stat=${stat##*) } # its name may hold blanks
  set -- $stat
  [[ $1 != Z ]] && echo "${20}"
}

remember() { echo "$2 $(start_of "$2")" >"$state/pids/$1"; }

# Prints the number of the process of this name, if it still runs.
pid_of() {
  local pid start
  { read -r pid start <"$state/pids/$1"; } 2>/dev/null || return 1
  [[ -n $start && $(start_of "$pid") == "$start" ]] && echo "$pid"
}

is_up() { pid_of switch >/dev/null; }

must_be_up() { is_up || fail "no hosts are up in $state: start them with scripts/hosts up N"; }

nodes() { cut -d ' ' -f 1 "$state/hostfile"; }

must_be_node() { grep -qx "$1 .*" "$state/hostfile" || refuse "there is no host $1 (there is $(nodes | paste -sd ' '))"; }

# Runs a command with the network of a host or the switch, and this machine's files.
within() {
  local pid
  pid=$(pid_of "$1") || fail "$1 has died: take the hosts down, and up again"
  nsenter --target "$pid" --net -- "${@:2}"
}

# Numbers of all processes in the network namespaces of the set, keepers included.
processes_of_set() {
  local name pid space path spaces=' '
  for name in switch $(nodes 2>/dev/null); do
    pid=$(pid_of "$name") && spaces+="$(stat -L -c %i "/proc/$pid/ns/net") "
  done
  [[ $spaces != ' ' ]] || return 0
  # One call for all: a machine has thousands. Those that have ended meanwhile are no matter.
  while read -r space path; do
    [[ $spaces != *" $space "* ]] || echo "${path//[^0-9]/}"
  done < <(stat -L -c '%i %n' /proc/[0-9]*/ns/net 2>/dev/null)
}

# Says in one sentence what is missing here, and succeeds then.
obstacle() {
  local program
  ((EUID == 0)) || { echo 'hosts on one machine need root, for namespaces and their links' && return; }
  for program in ip tc unshare nsenter taskset; do
    command -v "$program" >/dev/null || { echo "there is no $program: install iproute2 and util-linux" && return; }
  done
  unshare --net --uts --ipc --mount true 2>/dev/null || { echo 'this kernel or container forbids namespaces' && return; }
  unshare --net ip link add fb0 type veth peer name fb1 2>/dev/null || { echo 'this kernel has no veth links' && return; }
  unshare --net ip link add fb0 type bridge 2>/dev/null || { echo 'this kernel has no bridges' && return; }
  return 1
}

no_tbf() { ! unshare --net tc qdisc add dev lo root tbf rate 1mbit burst 2000 latency 50ms 2>/dev/null; }

# Exits with 77 where hosts, shaped so, can't be had.
must_be_possible() {
  local reason=''
  reason=$(obstacle) && fail "$reason" 77
  [[ ${rate:-none} == none ]] || ! no_tbf || fail 'this kernel has no tbf, which --rate needs' 77
  needs_relay || return 0
  [[ -e /dev/net/tun ]] || fail 'there is no /dev/net/tun, which --delay and --loss need' 77
  command -v "${CC:-cc}" >/dev/null || fail 'there is no C compiler, which --delay and --loss need' 77
}

command_check() {
  (($# == 0)) || refuse 'check takes nothing'
  rate=1gbit delay=1 loss=0
  must_be_possible
  echo 'Hosts can be started here, and their cables shaped.'
}
