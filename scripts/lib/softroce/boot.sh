# Runs as the machine's first process: names, network, Soft-RoCE devices, the command, the end.
work=/run/softroce
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
. "$work/settings"

set_kernel() { echo "$2" >"/proc/sys/net/ipv4/conf/$1"; }

# A lone device: a dummy interface, whose MTU gives the InfiniBand MTU of 4096, and which may go down while TCP goes on.
one_device() {
  ip link show dummy0 >/dev/null 2>&1 || ip link add dummy0 type dummy
  ip link set dummy0 address 02:00:00:00:09:01 mtu 4200 up
  ip addr add 10.9.0.1/24 dev dummy0
  rdma link add rxe0 type rxe netdev dummy0
}

# Two devices at the ends of a wire. The kernel would short-cut packets between addresses of its own, so that rules send
# them over the wire: those before the local table's, which comes last. 90 and 91 are for rdma_cm, which asks for the way back.
two_devices() {
  local end
  ip link add v0 type veth peer name v1
  ip link set v0 address 02:00:00:00:09:01
  ip link set v1 address 02:00:00:00:09:02
  for end in all default v0 v1; do set_kernel $end/rp_filter 0; done
  for end in v0 v1; do
    set_kernel $end/accept_local 1
    set_kernel $end/arp_ignore 1
    set_kernel $end/arp_announce 2
    ip link set $end mtu 4200 up
  done
  ip addr add 10.9.0.1/32 dev v0
  ip addr add 10.9.1.2/32 dev v1
  ip route add 10.9.1.2 dev v0 table 101 src 10.9.0.1
  ip route add 10.9.0.1 dev v1 table 102 src 10.9.1.2
  ip rule add pref 90 oif v1 to 10.9.0.1 lookup 102
  ip rule add pref 91 oif v0 to 10.9.1.2 lookup 101
  ip rule add pref 100 iif v0 lookup local
  ip rule add pref 101 iif v1 lookup local
  ip rule add pref 200 to 10.9.1.2 iif lo lookup 101
  ip rule add pref 201 to 10.9.0.1 iif lo lookup 102
  ip rule add pref 300 lookup local
  ip rule del pref 0
  rdma link add rxe0 type rxe netdev v0
  rdma link add rxe1 type rxe netdev v1
  echo '10.9.1.2 rxe1' >>/etc/hosts
}

# perftest divides by the clock rate that this file tells, and prints inf where it tells none.
tell_clock_rate() {
  grep -q '^cpu MHz.*[1-9]' /proc/cpuinfo && return
  { sed '/MHz/d' /proc/cpuinfo && echo 'cpu MHz : 1000.000'; } >/run/cpuinfo && mount --bind /run/cpuinfo /proc/cpuinfo
}

# A new device's second GID, which is made of its IPv4 address, comes a moment later.
await_gids() {
  local device waited
  for device in $FABRICBENCH_LAB; do
    for ((waited = 0; waited < 100; waited++)); do
      grep -q ffff: "/sys/class/infiniband/$device/ports/1/gids/1" && break
      sleep 0.05
    done
  done
}

ulimit -l unlimited
ip link set lo up
echo softroce >/proc/sys/kernel/hostname # mpirun refuses a machine without a name
printf '%s\n' '127.0.1.1 softroce' '10.9.0.1 rxe0' >>/etc/hosts
mkdir -p "$FABRICBENCH_LAB_OUT"
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=none out "$FABRICBENCH_LAB_OUT"
"${devices}_device$([[ $devices == two ]] && echo s)"
await_gids
tell_clock_rate
/bin/bash "$work/command" </dev/null >"$work/stdout" 2>"$work/stderr"
echo $? >"$work/code"
/bin/busybox poweroff -f
