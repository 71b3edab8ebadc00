#!/usr/bin/env python3
"""netload-mpi under mpirun: a load by several ranks, and what is said of one that fails.

With the right to make network namespaces two of them are hosts, reached by a stand-in for ssh, and a
third has the server. Without it all ranks are on loopback.
"""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from case import Skip, case, contains, equal, expect, realtime, run, wait_until
from descendants import Descendants
from process import Echo, Process, cpu_seconds, has_ended, interrupt_twice, pause, program, run_program, stat_of
from two_hosts import TwoHosts

SECONDS = 60
# mpirun refuses to be root's without these; 5 asks for the second pair.
AS_ROOT = {f"{name}_ALLOW_RUN_AS_ROOT{suffix}": "1" for name in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")}


def mpirun():
    path = shutil.which("mpirun")
    if not path:
        raise Skip("mpirun is not installed (openmpi-bin)")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" not in version:
        raise Skip(f"mpirun is not Open MPI's: {version.strip()}")
    return path, int(re.search(r"(\d+)\.", version).group(1))


def start(prefix, ranks, flags, folder, netload_mpi=None, **variables):
    """With TMPDIR in the folder; mpirun 5 removes it where it leaves it empty, and that could be /tmp."""
    # What Open MPI keeps to its end is no leak of netload-mpi.
    variables |= AS_ROOT | {"TMPDIR": os.path.join(folder, "tmp"), "LSAN_OPTIONS": "detect_leaks=0"}
    os.makedirs(variables["TMPDIR"], exist_ok=True)
    return Process("env", *[f"{name}={value}" for name, value in variables.items()], *prefix, "-n", ranks,
                   netload_mpi or program("NETLOAD_MPI"), *flags)


class Loopback:
    """All ranks here."""

    def __enter__(self):
        self.mpirun, _ = mpirun()
        self.folder = tempfile.TemporaryDirectory()
        self.descendants = Descendants()
        self.server = Echo()
        self.target = self.server.address
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.descendants.end()
        self.folder.cleanup()

    def start(self, ranks, *flags, **how):
        return start([self.mpirun, "--oversubscribe"], ranks, flags, self.folder.name, **how)

    def start_with_stand_in(self, ranks, ways, *flags):
        """A job with a netload_stand_in.py, and the file of what its late rank is told."""
        folder = os.path.join(self.folder.name, "bin")
        os.mkdir(folder)
        own = shutil.copy(program("NETLOAD_MPI"), folder)
        os.symlink(os.path.join(os.path.dirname(os.path.abspath(__file__)), "netload_stand_in.py"), os.path.join(folder, "netload"))
        self.heard = os.path.join(folder, "heard")
        return self.start(ranks, *flags, self.target, netload_mpi=own, STAND_IN=ways, HEARD=self.heard)


class Cluster(TwoHosts):
    """Two ranks on each host, started from beside the server."""

    hosts = "a slots=2\nb slots=2\n"

    def start(self, ranks, *flags):
        path, major = mpirun()
        net = f"{self.NET}.0/24"
        ours = ["--mca", "btl_tcp_if_include", net, "--hostfile", self.file("hosts", self.hosts)]
        if major < 5:
            ours += ["--mca", "plm_rsh_agent", self.ssh, "--mca", "oob_tcp_if_include", net]
        else:
            ours += ["--prtemca", "plm_ssh_agent", self.ssh, "--prtemca", "prte_if_include", net]
        return start([*self.beside_server, path, *ours], ranks, flags, self.folder.name)


def anywhere():
    """Two hosts if they can be had."""
    with contextlib.suppress(Skip):
        with Cluster():
            return Cluster()
    return Loopback()


def processes(name, under):
    """The processes called `name` whose parents' parents are `under`, by rank."""
    parents, found = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, IndexError):  # It has ended.
            parents[int(pid)] = int(stat_of(pid)[1])
            with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                called = file.read().rstrip("\n")
            with open(f"/proc/{pid}/environ", encoding="utf-8", errors="replace") as file:
                rank = re.search(r"(?:OMPI_COMM_WORLD_RANK|PMIX_RANK)=(\d+)", file.read())
            if rank and called == name:
                found[int(pid)] = int(rank.group(1))

    def is_under(pid):
        while pid > 1:
            if pid == under:
                return True
            pid = parents.get(pid, 0)
        return False

    return {rank: pid for pid, rank in found.items() if is_under(pid)}


def under_way(job, ranks, server):
    """Waits until all ranks send; the process of each netload-mpi, and of each netload."""
    wait_until(lambda: not job.running or (len(processes("netload", job.pid)) == ranks and server.sockets() > 40),
               "all ranks had their connections")
    wrappers, loads = processes("netload-mpi", job.pid), processes("netload", job.pid)
    equal((len(wrappers), len(loads)), (ranks, ranks), f"processes, with {job.err}")
    before = {pid: cpu_seconds(pid) for pid in loads.values()}
    wait_until(lambda: not job.running or all(cpu_seconds(pid) > before[pid] + 0.02 for pid in before),
               "all ranks were sending")
    expect(job.running, f"it ended: {job.out[:1000]}{job.err}")
    return wrappers, loads


def result_of(job):
    try:
        return json.loads(job.out)
    except ValueError:
        expect(False, f"no result: {job.out[:1000]}{job.err}")


@case
def four_ranks_are_one_load():
    with anywhere() as cluster, cluster.start(4, "-c", "400", "-r", "10", "-d", "2s", "--json", cluster.target) as job:
        job.finish(SECONDS).ended_with(0)
        result = result_of(job)
        equal(result["outcome"], {"planned": 8000, "sent": 8000, "answered": 8000, "lost": 0, "late": 0, "unsent": 0,
                                  "repeated": 0},
              "what became of the messages")
        equal(result["latency_ns"]["count"], 8000, "latencies")
        equal(result["totals"]["connections"], 400, "connections")
        rows = result["generators"]
        equal([row["name"] for row in rows], [f"rank {rank}" for rank in range(4)], "rows")
        equal(sum(row["messages"] for row in rows), result["totals"]["messages"], "messages of the ranks")
        expect(all(row["verdict"] and row["us_cpu_per_message"] > 0 for row in rows), f"rows: {rows}")
        expect(min(row["began_s"] for row in rows) == 0, f"rows: {rows}")
        if isinstance(cluster, Cluster):
            equal([row["host"] for row in rows], [f"{name} {cluster.NET}.{number}" for name, number in (("a", 2), ("a", 2), ("b", 3), ("b", 3))], "hosts")


@realtime
def ranks_tell_each_second_and_take_no_processor_to_wait():
    with anywhere() as cluster, cluster.start(4, "-c", "4000", "-r", "10", "-d", "2s", "--json", "--progress", "on",
                                              cluster.target) as job:
        wrappers, _ = under_way(job, 4, cluster.server)
        before, begun = {pid: cpu_seconds(pid) for pid in wrappers.values()}, time.monotonic()
        time.sleep(1)  # The time over which their processor time is measured.
        spent = {pid: cpu_seconds(pid) - before[pid] for pid in before}
        share = max(spent.values()) / (time.monotonic() - begun)
        job.finish(SECONDS).ended_with(0)
        expect(share < 0.05, f"a rank took {share:.1%} of a processor to wait")
        contains(job.err, " qps ", "the live line")


@case
def ranks_agree_anew_where_one_is_late():
    with Loopback() as cluster, cluster.start_with_stand_in(3, "1=late", "-c", "6", "-n", "600", "--json") as job:
        job.finish(SECONDS).ended_with(0)
        result = result_of(job)
        equal(result["outcome"]["answered"], 600, "messages")
        equal([(row["name"], row["lost"]) for row in result["generators"]], [(f"rank {rank}", "") for rank in range(3)], "rows")
        with open(cluster.heard, encoding="ascii") as file:
            moments = [float(line) for line in file]
        expect(len(moments) > 1 and moments == sorted(moments), f"moments that the late rank was told: {moments}")


@case
def a_rank_that_has_begun_when_all_agree_anew_is_named():
    ranks = "0=patient 1=early 2=silent"
    with Loopback() as cluster, cluster.start_with_stand_in(3, ranks, "-c", "6", "-d", "60s") as job:
        job.finish(SECONDS).ended_with(3)
        contains(job.err, "rank 1 (")
        contains(job.err, "its load had begun when it heard of another start")
        # They have no handler of SIGTERM, so they are ended by it, as a netload is that has hardly started.
        for rank in (0, 2):
            expect(f"rank {rank} (" not in job.err, f"rank {rank} is named: {job.err}")
        equal(job.out, "", "what is printed")


@case
def a_rank_that_does_not_answer_is_named():
    with Loopback() as cluster, cluster.start_with_stand_in(2, "0=patient 1=silent", "-c", "2", "-d", "60s") as job:
        job.finish(SECONDS).ended_with(3)
        contains(job.err, "netload-mpi: rank 1: it has agreed to none of the moments at which to begin")
        expect("rank 0" not in job.err, f"rank 0 is named: {job.err}")


@case
def a_rank_that_ends_before_all_begin_is_named():
    with Loopback() as cluster, cluster.start(2, "-c", "200", "--connect-rate", "4", "-d", "1s", cluster.target) as job:
        wait_until(lambda: not job.running or (len(processes("netload", job.pid)) == 2 and cluster.server.sockets() > 10),
                   "both ranks were connecting")
        os.kill(processes("netload", job.pid)[1], signal.SIGTERM)
        job.finish(SECONDS).ended_with(3)
        contains(job.err, "rank 1 (")
        contains(job.err, "it ended before the load began")
        expect("rank 0 (" not in job.err, f"rank 0 is named: {job.err}")


@case
def a_netload_that_is_killed_is_named():
    with anywhere() as cluster, cluster.start(3, "-c", "60", "-r", "100", "-d", "10s", "--json", cluster.target) as job:
        _, loads = under_way(job, 3, cluster.server)
        os.kill(loads[1], signal.SIGKILL)
        job.finish(SECONDS).ended_with(3)
        result = result_of(job)
        contains(result["generators"][-1]["lost"], "ended by signal 9")
        equal([row["name"] for row in result["generators"]], ["rank 0", "rank 2", "rank 1"], "rows")
        equal(result["outcome"]["planned"], 40 * 100 * 10, "messages of the others")
        equal([one["name"] for one in result["verdict"]["figures"] if one["valid"]], [], "figures that stand")
        contains(job.err, "rank 1, ")


@case
def a_rank_that_is_killed_is_named():
    # Between machines Open MPI 5 may name a rank that lost its connection to rank 0, and ends for that.
    _, major = mpirun()
    for rank, place, named, flags in ((1, anywhere(), True, ["--json"]), (0, Loopback(), True, []), (0, anywhere(), major < 5, [])):
        with place as cluster, cluster.start(3, "-c", "60", "-r", "100", "-d", "30s", *flags, cluster.target) as job:
            wrappers, loads = under_way(job, 3, cluster.server)
            os.kill(wrappers[rank], signal.SIGKILL)
            job.finish(SECONDS)
            expect(job.code != 0, "mpirun ended with 0")
            contains(job.err, f"rank {rank}" if named else "rank ")
            wait_until(lambda: all(map(has_ended, loads.values())), "no netload was left")


@case
def a_second_signal_ends_a_rank_and_its_netload_at_once():
    with Loopback() as cluster:
        with cluster.start(2, "-c", "60", "-r", "100", "-d", "30s", cluster.target) as job:
            wrappers, loads = under_way(job, 2, cluster.server)
            pause(loads[0])  # It can only be killed: that its rank tells it to end is not enough.
            interrupt_twice(wrappers[0])
            wait_until(lambda: has_ended(wrappers[0]), "the rank ended")
            wait_until(lambda: has_ended(loads[0]), "its netload ended")
            job.finish(SECONDS)
            equal(job.out, "", "what is printed")


@realtime
def an_interrupt_gives_what_there_is():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "sum.json")
        with anywhere() as cluster, cluster.start(2, "-c", "50", "-r", "100", "-d", "60s", f"--json={file}",
                                                  cluster.target) as job:
            under_way(job, 2, cluster.server)
            job.signal(signal.SIGINT)  # The chain of commands has become mpirun.
            job.finish(SECONDS)
        with open(file, encoding="utf-8") as text:
            result = json.load(text)
        expect(result["interrupted"] and result["totals"]["messages"] > 0, f"the result: {result['totals']}")
        equal([row["lost"] for row in result["generators"]], ["", ""], "ranks that are lost")


@realtime
def an_interrupt_without_a_file_loses_nothing():
    with Loopback() as cluster:
        with cluster.start(2, "-c", "50", "-r", "100", "-d", "60s", cluster.target) as job:
            under_way(job, 2, cluster.server)
            job.signal(signal.SIGINT)
            job.finish(SECONDS)
        if mpirun()[1] < 5:
            contains(job.out, "  generators  ", "the text")
            return
        # Its mpirun prints nothing that comes after an interrupt.
        parts = glob.glob(f"{cluster.folder.name}/tmp/netload-mpi-*/rank-*.json")
        contains(run_program(program("NETREPORT"), *parts).ended_with(0).out, "  generators  ", "the text of the parts")


@case
def a_rank_without_a_way_to_the_target_is_named():
    with Cluster() as cluster:
        cluster.inside("b", "route", "del", cluster.SERVER)
        cluster.inside("b", "route", "add", "unreachable", cluster.SERVER)
        with cluster.start(4, "-c", "8", "-r", "100", "-d", "30s", cluster.target) as job:
            job.finish(SECONDS).ended_with(3)
            # The first of the two ends the other, which may not have tried by then.
            named = re.findall(r"^netload-mpi: rank (\d) \(.*", job.err, re.MULTILINE)
            expect(named and set(named) <= {"2", "3"}, f"ranks that are named: {job.err}")
            equal(len(named), len(re.findall("No route to host$", job.err, re.MULTILINE)), f"those without a way: {job.err}")
            equal(job.out, "", "what is printed")


@case
def a_host_that_is_not_there_is_named():
    with Cluster() as cluster:
        cluster.hosts = "a slots=2\nc slots=2\n"
        with cluster.start(4, "-c", "8", "-d", "30s", cluster.target) as job:
            job.finish(SECONDS)
            expect(job.code != 0, "mpirun ended with 0")
            contains(job.err, "could not resolve hostname c")


@case
def what_is_written_need_only_have_a_place_where_rank_0_is():
    with Cluster() as cluster:
        file = os.path.join(cluster.folder.name, "own", "a", "sum.json")
        with cluster.start(4, "-c", "8", "-n", "80", f"--json={file}", cluster.target) as job:
            job.finish(SECONDS).ended_with(0)
            contains(job.out, "80 planned, sent and answered")


@case
def a_sum_that_cannot_be_written_is_no_end_of_the_parts():
    with Loopback() as cluster, cluster.start(2, "-c", "4", "-n", "80", "--json=/dev/full", cluster.target) as job:
        job.finish(SECONDS).ended_with(3)
        contains(job.err, "/dev/full: No space left")
        parts = re.findall(r"result of rank \d .*: it is in (.*)", job.err)
        equal(len(parts), 2, f"parts that are named in {job.err}")
        for part in parts:
            with open(part, encoding="utf-8") as file:
                equal(json.load(file)["schema"][:15], "wiremark.result", "a part")
            os.remove(part)
        os.rmdir(os.path.dirname(parts[0]))


@case
def a_wrong_command_line_is_told_once():
    with Loopback() as cluster:
        for flags, said in [(["--rate", "x", cluster.target], "--rate"), (["-c", "2"], "TARGET is missing"),
                            (["--share", "0/2", cluster.target], "--share"),
                            (["--find-max", cluster.target], "--find-max"),
                            (["--hdr-log", "log", cluster.target], "netreport --hdr-log")]:
            ended = run_program(program("NETLOAD_MPI"), *flags).ended_with(2)
            contains(ended.err, said)
        with cluster.start(2, "-c", "2") as job:
            job.finish(SECONDS).ended_with(2)
            equal(job.err.count("Try 'netload-mpi --help'"), 1, f"how often it is told: {job.err}")
        with cluster.start(2, "-c", "1", "-d", "1s", cluster.target) as job:
            job.finish(SECONDS).ended_with(3)
            contains(job.err, "rank ")


@case
def one_rank_is_a_load_too():
    with Loopback() as cluster, cluster.start(1, "-c", "2", "-n", "200", "--json", cluster.target) as job:
        job.finish(SECONDS).ended_with(0)
        equal(result_of(job)["generators"][0]["messages"], 200, "messages of the only rank")


@realtime
def the_manual_starts_shares_by_ssh():
    with open(os.path.join(program("MAN"), "netload.1"), encoding="utf-8") as file:
        page = file.read()
    lines = re.search(r"By ssh:\n\.Bd [^\n]*\n(.*?)\n\.Ed", page, re.DOTALL).group(1)
    script = "".join(line.removeprefix("$ ") for line in lines.replace("\\e\n", "\\\n").splitlines(keepends=True))
    with TwoHosts() as hosts:
        # The hosts, the server and a load that two processors can carry, soon; all else is the manual's.
        for theirs, ours in [("a b c d", "a b"), ("/4", "/2"), ("--expect 4", "--expect 2"), ("target:7007", hosts.target),
                             ("+ 10", "+ 2"), ("-R 200k", "-R 2k -c 20 -d 1s")]:
            contains(script, theirs, "the lines of the manual")
            script = script.replace(theirs, ours)
        bin = os.path.join(hosts.folder.name, "bin")
        os.mkdir(bin)
        os.symlink(hosts.ssh, os.path.join(bin, "ssh"))
        for tool in ("NETLOAD", "NETREPORT"):
            os.symlink(program(tool), os.path.join(bin, tool.lower()))
        ended = run_program("sh", "-c", f"cd {hosts.folder.name}; PATH={bin}:$PATH; {script}").ended_with(0)
        contains(ended.out, "2,000 planned, sent and answered")
        contains(ended.err, "2 of 2 parts, begun ")


run()
