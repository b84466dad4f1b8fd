# scripts/slurm-lab down

take_down() {
  if ! is_lab; then
    echo "no Slurm is up in $state"
    return
  fi
  # Slurm ends its own jobs best; what it can't is killed below.
  [[ -z $(running) ]] || end_jobs
  end_processes TERM 100 running
  end_processes KILL 20 running
  end_processes KILL 20 left_by_all
  rm -rf "$state"
  echo "Slurm is down in $state"
}

end_jobs() {
  local tries
  # KILL first: nobody has to wait for jobs that take their time to end.
  with_slurm on "$(first_node)" timeout 5 scancel --user="$(user)" --full --signal=KILL 2>/dev/null
  with_slurm on "$(first_node)" timeout 5 scancel --user="$(user)" 2>/dev/null
  for ((tries = 0; tries < 100; tries++)); do
    [[ -z $(left_by_jobs) ]] && return
    sleep 0.1
  done
}

# Sends a signal to those that a function names, and waits for their end, at most so many tenths of a second.
end_processes() {
  local signal=$1 tenths=$2 who=$3 pid
  for pid in $($who); do kill "-$signal" "$pid" 2>/dev/null; done
  while ((tenths-- > 0)) && [[ -n $($who) ]]; do sleep 0.1; done
}

# Daemons of steps, and what jobs have started: both have our configuration in their environment, and a job's number or
# Slurm's own name. A user's shell has not. slurmctld has a helper of its own, slurmscriptd, which ends a little later.
left_by_jobs() { left_by jobs; }
left_by_all() { left_by all; }

left_by() {
  local entry name
  for entry in $(grep -lzsxF "SLURM_CONF=$state/slurm.conf" /proc/[0-9]*/environ 2>/dev/null); do
    entry=${entry%/environ}
    name=$(cat "$entry/comm" 2>/dev/null)
    [[ $name == slurmstepd || $1 != jobs && $name =~ ^slurm(ctld|d|scriptd)$ ]] || grep -qzs '^SLURM_JOB_ID=' "$entry/environ" && echo "${entry#/proc/}"
  done
}
