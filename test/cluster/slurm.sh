#!/usr/bin/env bash
# A study as an array job of a real Slurm on this machine: all tasks, one of which is killed on the way and requeued, against the
# same study in one process. Starts a Slurm of its own in a temporary folder, which needs root, and ends it again.
# usage: CAPSTAN=build/capstan bash test/cluster/slurm.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
for tool in slurmctld slurmd sbatch scontrol squeue munged munge; do
  command -v $tool >/dev/null || skip "there is no $tool (Debian: slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip "starting a Slurm needs root"
! pgrep -x slurmctld >/dev/null || skip "a Slurm runs here already"
make_study

host=$(hostname -s) started=()
end_all() {
  for ((i = ${#started[@]} - 1; i >= 0; i--)); do kill "${started[i]}" 2>/dev/null; done
  sleep 1
  rm -rf "$place"
}
trap end_all EXIT
mkdir -p "$place"/{state,spool,log,munge}
chmod 755 "$place"
dd if=/dev/urandom of="$place/munge/key" bs=128 count=1 status=none
chown -R munge: "$place/munge" 2>/dev/null
chmod 700 "$place/munge"
chmod 400 "$place/munge/key"
runuser -u munge -- munged --foreground --key-file="$place/munge/key" --socket="$place/munge/socket" --pid-file="$place/munge/pid" \
  --log-file="$place/munge/log" --seed-file="$place/munge/seed" --force >"$place/log/munged" 2>&1 &
started+=($!)
cat >"$place/slurm.conf" <<C
ClusterName=capstan
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$place/munge/socket
CredType=cred/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
SlurmctldLogFile=$place/log/slurmctld
SlurmdLogFile=$place/log/slurmd
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SchedulerParameters=sched_interval=2,batch_sched_delay=0
KillWait=5
RequeueExit=137
MinJobAge=600
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
C
export SLURM_CONF=$place/slurm.conf
sleep 1
munge -n -S "$place/munge/socket" >/dev/null || fail "munge does not answer"
slurmctld -D >"$place/log/ctl" 2>&1 &
started+=($!)
slurmd -D >"$place/log/d" 2>&1 &
started+=($!)
for ((i = 0; i < 60; i++)); do
  sleep 0.5
  sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed' && break
done
sinfo -h -o %T | grep -qE 'idle|mixed' || {
  tail -n 5 "$place"/log/* >&2
  fail "no node came up"
  finish
  exit
}

"$CAPSTAN" sweep long.yaml --slurm --tasks 4 -o array >job.sh || fail "no job script"
job=$(CAPSTAN=$CAPSTAN sbatch --parsable job.sh)
# One task is killed as by a lost machine, as soon as its table has rows; status 137 puts it back into the queue.
for ((i = 0; i < 200; i++)); do
  sleep 0.1
  pid=$(pgrep -f "sweep long.yaml -o array --shard auto" | head -n 1)
  [ -n "$pid" ] && [ -s array/shard-0001-of-0004.sqlite ] && break
done
if [ -n "$pid" ]; then
  kill -9 "$pid" && echo "slurm: killed one task, process $pid of job $job"
else
  fail "no task was seen at work"
fi
for ((i = 0; i < 400; i++)); do
  sleep 0.5
  scontrol update JobId="$job" StartTime=now 2>/dev/null # what is requeued would wait two minutes
  [ -n "$(squeue -h -j "$job" 2>/dev/null)" ] || break
done
scontrol show job "$job" | grep -E 'JobState|Restarts' | sort | uniq -c
checks=$((checks + 1))
scontrol show job "$job" | grep -q 'Restarts=1' || fail "no task was requeued"
expect 0 sweep --merge array/shard-*.sqlite
has "$out" "of 2000 points"
has_no "$out" "missing"
table array/points.sqlite >array.txt
same whole.txt array.txt
finish
