"""campaigns.py - all campaigns of soak.py, in the order in which they are run."""
import os
import re
import sys

from inputs import INPUTS
from machines import MACHINES
from runs import RUNS
from trial import HERE, ROOT, Program, counted
from writers import WRITERS


def beside(name, *more):
    """A campaign that is a program of its own, test/soak/NAME.py or .sh, with the seconds that it has as its argument, or with what else it
    is told."""

    def command(setting, seconds, seed):
        for ending, how in ((".py", sys.executable), (".sh", "bash")):
            path = os.path.join(HERE, name + ending)
            if os.path.exists(path):
                library = os.path.join(setting.build, "test/libfail_alloc.so")
                return ["env", f"CAPSTAN={setting.tool}", f"FAIL_ALLOC={library}", f"SEED={seed}", f"SECONDS_EACH={seconds:g}", how, path, *(more or [f"{seconds:g}"])]
        return None

    return command


def states(setting, seconds, seed):
    program = os.path.join(setting.asan_build, "test/unit_checkpoint_strange")
    return ["env", f"SEED={seed}", f"SECONDS={seconds:g}", program] if os.path.exists(program) else None


def fuzz(name):
    def command(setting, seconds, seed):
        program = os.path.join(ROOT, "build-fuzz/fuzz", name)
        found = os.path.join(ROOT, "build-fuzz/found")
        if not os.path.exists(program):
            return None
        os.makedirs(os.path.join(found, name), exist_ok=True)
        words = os.path.join(ROOT, "test/fuzz", name + ".dict")
        # HDF5 asks for as much memory as a file says; that there is none is for it to say
        return ["env", "ASAN_OPTIONS=allocator_may_return_null=1", program, "-malloc_limit_mb=100000000", "-timeout=1200", "-rss_limit_mb=6000", f"-max_total_time={seconds:g}", f"-seed={seed}", "-verbosity=0", "-report_slow_units=1200", "-print_final_stats=1", f"-artifact_prefix={found}/{name}-"] + (
            [f"-dict={words}"] if os.path.exists(words) else []) + [os.path.join(found, name), os.path.join(ROOT, "test/fuzz/corpus", name)]  # fmt: skip

    return command


def executed(text):
    found = re.findall(r"stat::number_of_executed_units: (\d+)", text)
    return (int(found[-1]), len(re.findall(r"Test unit written to", text))) if found else None


def script(name):
    """A script of the repository that takes as long as it takes."""
    return lambda setting, seconds, seed: ["bash", os.path.join(ROOT, "scripts", name)]


def covered(text):
    found = re.findall(r"coverage: (.*)", text)
    return found[-1] if found else None


PROGRAMS = [
    Program("states", "states changed and hashed anew, restored and run on in one process; sanitizers", states, counted),
    Program("fuzz-scenario", "libFuzzer: scenarios and settings; sanitizers", fuzz("scenario"), executed),
    Program("fuzz-csv", "libFuzzer: CSV files as measured tables, series and columns of studies; sanitizers", fuzz("csv"), executed),
    Program("fuzz-study", "libFuzzer: study files; sanitizers", fuzz("study"), executed),
    Program("fuzz-expression", "libFuzzer: outputs, quantities, units; sanitizers", fuzz("expression"), executed),
    Program("fuzz-result", "libFuzzer: objects of result files changed by HDF5, read in the same process; sanitizers", fuzz("result"), executed),
    Program("fuzz-pack", "libFuzzer: what a reading process may send that was taken over; sanitizers", fuzz("pack"), executed),
    Program("fuzz-law", "libFuzzer: laws and their parameters; sanitizers", fuzz("law"), executed),
    Program("allocations", "the n-th allocation fails, once or from there on", beside("allocations"), counted),
    Program("allocations-every", "the same of small machines, and none is left out, however long that takes", beside("allocations", "1e9", "--every"), counted),
    Program("powerloss", "power is lost at a system call: what was not synced is gone", beside("powerloss"), counted),
    Program("tsan", "simulations, batches and a study in several threads under the thread sanitizer", script("tsan.sh"),
            lambda text: (1, 0) if "tsan: no data race" in text else None),
    Program("coverage", "lines of library and tool that the quick tests run", script("coverage.sh"), covered),
]

ALL = RUNS + WRITERS + INPUTS + MACHINES + PROGRAMS
