"""A throw-away Slurm of one node on this machine: munged, slurmctld and slurmd as the present user, below one folder.

    with Cluster(folder) as environment:
        subprocess.run(["sbatch", ...], env=environment)
"""
import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun")

CONFIGURATION = """
ClusterName=scratch
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
# A requeued job waits for cred_expire seconds; the default is 120.
AuthInfo=socket={folder}/munge.sock,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
TmpFS={folder}/tmp
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# No cgroups, no binding, no accounting.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,batch_sched_delay=0
CompleteWait=0
KillWait=5
MinJobAge=3600
ReturnToService=2
MailProg=/bin/true
MpiDefault=pmix
NodeName=n1 NodeAddr=127.0.0.1 Port={ports[1]} Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES State=UP
"""


def lacks():
    """The first program of Slurm that is not here, or None."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return next((name for name in PROGRAMS if not shutil.which(name, path=path)), None)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.daemons = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.environment["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

    def start(self, *command):
        with open(self.folder / f"{command[0]}.out", "w") as log:
            self.daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                 env=self.environment, start_new_session=True))

    def wait(self, what, command, says=""):
        end = time.time() + 30
        while time.time() < end:
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
            if done.returncode == 0 and says in done.stdout:
                return
            time.sleep(0.1)
        logs = "".join(f"== {path}\n{path.read_text()}" for path in self.folder.glob("*.*") if path.suffix in (".out", ".log"))
        raise RuntimeError(f"no {what} after 30 s\n{logs}")

    def __enter__(self):
        folder = self.folder
        for name in ("state", "spool", "tmp"):
            (folder / name).mkdir(parents=True)
        (folder / "slurm.conf").write_text(CONFIGURATION.format(folder=folder, host=socket.gethostname().split(".")[0],
                                                                user=pwd.getpwuid(os.getuid()).pw_name, ports=free_ports(2)))
        (folder / "mpi.conf").write_text("PMIxCollFence=ring\n")  # the default lets a rank speak before all have left the fence
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # slurmd loads one in any case
        (folder / "munge.key").touch(mode=0o600)
        (folder / "munge.key").write_bytes(os.urandom(128))
        try:
            self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.sock", f"--key-file={folder}/munge.key",
                       f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
            self.wait("munged", ["munge", "-n", "-S", f"{folder}/munge.sock"])
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D", "-N", "n1")
            self.wait("idle node", ["sinfo", "-h", "-o", "%T"], "idle")
        except BaseException:
            self.__exit__()
            raise
        return self.environment

    def __exit__(self, *exception):
        if len(self.daemons) == 3:  # no step may outlive its slurmd
            subprocess.run(["scancel", "--state=RUNNING,PENDING"], env=self.environment, capture_output=True, timeout=20)
            for _ in range(100):
                left = subprocess.run(["squeue", "-h"], env=self.environment, capture_output=True, text=True, timeout=20)
                if left.returncode or not left.stdout:
                    break
                time.sleep(0.1)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
