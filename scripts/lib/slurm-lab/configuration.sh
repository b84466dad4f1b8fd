# slurm.conf and cgroup.conf of the lab.

# The name of the user as whom all runs: daemons of an ordinary user take jobs of that user alone.
user() { id -un; }

# Writes the configuration of the nodes in $state/nodes to $state.
write_configuration() {
  {
    cat <<CONF
ClusterName=fabricbench
SlurmUser=$(user)
SlurmdUser=$(user)
AuthType=auth/munge
AuthInfo=socket=$state/run/munge.socket
CredType=cred/munge
SlurmctldPidFile=$state/run/slurmctld.pid
SlurmctldLogFile=$state/log/slurmctld.log
SlurmdPidFile=$state/run/slurmd.%n.pid
SlurmdLogFile=$state/log/slurmd.%n.log
SlurmdSpoolDir=$state/spool/%n
StateSaveLocation=$state/controller
ProctrackType=proctrack/linuxproc
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
PropagateResourceLimits=NONE
# Ends of jobs must not make a test wait; 'config_overrides' lets a node have more processors than the machine.
KillWait=2
InactiveLimit=0
SlurmdParameters=config_overrides
# Virtual nodes share /tmp, in which PMIx makes a folder of the job's name: each needs its own.
TmpFS=$state/tmp/%n
TaskProlog=$state/task-prolog
CONF
    # Two virtual nodes would both pin their first task to the machine's first core.
    if (($(wc -l <"$state/nodes") == 1)) && [[ -z $cpus ]]; then echo TaskPlugin=task/affinity; else echo TaskPlugin=task/none; fi
    write_nodes
    ((${#lines[@]} == 0)) || printf '%s\n' "${lines[@]}"
  } >"$state/slurm.conf"
  write_task_prolog
  # slurmd would look for mounted cgroups, and end where a container or namespace has none.
  echo CgroupPlugin=cgroup/v1 >"$state/cgroup.conf"
}

# Open MPI calls its shared memory by host, job and local rank, which ranks of several virtual nodes have in common.
write_task_prolog() {
  printf '#!/bin/sh\necho export OMPI_MCA_btl_vader_backing_directory=%s/tmp/$SLURMD_NODENAME\n' "$state" >"$state/task-prolog"
  chmod 755 "$state/task-prolog"
}

# A port for the controller and, on one machine, one for each slurmd.
write_nodes() {
  local processors=${cpus:-$(($(nproc) > 2 ? $(nproc) : 2))} node names port
  names=$(paste -sd, "$state/nodes")
  if [[ -n $hosts ]]; then
    echo "SlurmctldHost=$(first_node)($(address_of "$(first_node)"))"
    while read -r node; do
      echo "NodeName=$node NodeHostname=$node NodeAddr=$(address_of "$node") $(shape_of "$processors")"
    done <"$state/nodes"
  else
    port=$(free_ports "$(($(wc -l <"$state/nodes") + 1))")
    echo "SlurmctldHost=$(hostname -s)(127.0.0.1)"
    echo "SlurmctldPort=$port"
    while read -r node; do
      echo "NodeName=$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((++port)) $(shape_of "$processors")"
    done <"$state/nodes"
  fi
  echo "PartitionName=debug Nodes=$names Default=YES State=UP OverSubscribe=NO"
}

shape_of() { echo "CPUs=$1 Boards=1 SocketsPerBoard=1 CoresPerSocket=$1 ThreadsPerCore=1 RealMemory=4000"; }

# The first of so many ports in a row that nobody listens on; below those that the kernel gives to clients.
free_ports() {
  local count=$1 first port taken tries
  taken=" $(awk 'FNR > 1 { split($2, at, ":"); print at[2] }' /proc/net/tcp /proc/net/tcp6 2>/dev/null | sort -u | while read -r port; do echo -n "$((16#$port)) "; done)"
  for ((tries = 0; tries < 100; tries++)); do
    first=$((20000 + RANDOM % 12000))
    for ((port = first; port < first + count; port++)); do [[ $taken != *" $port "* ]] || continue 2; done
    echo "$first" && return
  done
  fail 'no free ports were found for its daemons'
}
