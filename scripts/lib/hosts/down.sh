# Ends hosts. Sourced by scripts/hosts.

grace=2

command_down() {
  (($# == 0)) || refuse 'down takes nothing'
  [[ -e $state ]] || return 0
  is_ours || fail "$state is no folder of scripts/hosts"
  [[ " $(processes_of_set | paste -sd ' ') " != *" $$ "* ]] || fail 'down would end itself on a host: call it outside of them'
  take_down
}

is_ours() { [[ -d $state/pids ]]; }

# Ends what runs on the hosts, then their keepers and relays, and removes what `up` has written.
take_down() {
  [[ -d $state ]] || return 0
  if [[ -d $state/pids ]]; then
    end_processes
    end_keepers
  fi
  rm -rf -- "$state"/{pids,shape,cpus,hosts,hostfile,rsh,relay,log}
  rmdir -- "$state/sys" "$state" 2>/dev/null
}

is_keeper() { [[ " $keepers " == *" $1 "* ]]; }

others() {
  local pid
  for pid in $(processes_of_set); do is_keeper "$pid" || echo "$pid"; done
}

# TERM, and after a while KILL. A process may have started others meanwhile: it is looked again until there are none.
end_processes() {
  local keepers signal=TERM end=$((SECONDS + grace)) left
  keepers=$(for name in "$state"/pids/*; do pid_of "$(basename "$name")"; done | paste -sd ' ')
  while left=$(others) && [[ -n $left ]]; do
    kill -s "$signal" $left 2>/dev/null
    ((SECONDS < end)) || signal=KILL
    ((SECONDS < end + 10)) || { echo "hosts: these processes don't end: $(echo $left)" >&2 && return; }
    sleep 0.05
  done
}

end_keepers() {
  local name pid
  for name in "$state"/pids/*; do
    pid=$(pid_of "$(basename "$name")") && kill -KILL "$pid"
  done
  for name in "$state"/pids/*; do
    while pid_of "$(basename "$name")" >/dev/null; do sleep 0.01; done
  done
}
