#!/usr/bin/env bash
# Runs in a host's new namespaces, makes them a host's, and keeps them: keeper.sh NAME STATE
set -euo pipefail
name=$1 state=$2

hostname "$name"
mount --bind "$state/hosts" /etc/hosts
# /sys shows the devices of the network namespace that mounted it. What else is mounted below it is moved along.
mount -t sysfs sysfs "$state/sys"
if mountpoint -q /sys/fs/cgroup; then mount --rbind /sys/fs/cgroup "$state/sys/fs/cgroup"; fi
mount --move "$state/sys" /sys
# One kind of address for each host, and no frames of neighbour discovery on shaped links.
for setting in /proc/sys/net/ipv6/conf/{all,default}/disable_ipv6; do
  if [[ -w $setting ]]; then echo 1 >"$setting"; fi
done
ip link set lo up
echo ready
# What the caller has open, such as a lock, must not stay so for as long as the host lives. 255 is bash's own.
for descriptor in /proc/self/fd/*; do
  descriptor=${descriptor##*/}
  if ((descriptor > 2 && descriptor < 255)); then eval "exec $descriptor>&-"; fi
done
exec sleep infinity </dev/null >/dev/null 2>&1
