"""command_lines.py: every command of ptool in each of its modes, for those who measure all of them.

A line may hold STORE, a store of the recording; OTHER, one of the same that took longer; TRACE,
the recording; COPY, a copy of the store that the command may change; OUT, a file to write;
FOLDER, an empty one; SAVED, one with a baseline of STORE; BUDGETS, a file of this text, with
STORE replaced.
"""
import subprocess

BUDGETS = """[steps]
view = steps
column = total_ns
against = STORE
[operators]
view = top
column = self_cpu_ns
stat = each
against = STORE
[kernels]
view = kernels
column = total_ns
stat = sum
max = 1 s
"""

# A command without a line here is an error: see missing().
LINES = {
    "ingest": ["-q -o OUT TRACE", "-q -j1 -o OUT TRACE", "-q -j4 -o OUT TRACE", "-q --memory-limit 16M -o OUT TRACE",
               "-q --keep args -o OUT TRACE", "-q --run more -o COPY TRACE",
               "-q --strict -o OUT TRACE", "-q --step-name (\\d+) -o OUT TRACE", "-q --summary-only -o OUT TRACE",
               "-q --summaries yes -o OUT TRACE", "-q --names-from TRACE -o OUT TRACE"],
    "top": ["STORE", "--limit 0 --format csv STORE", "--limit 0 --sort name STORE", "--by shape STORE", "--by stack STORE",
            "--by stack:2 STORE", "--by overload STORE", "--by module STORE", "--by category STORE", "--by thread STORE",
            "--by stream STORE", "--by step STORE", "--by step --limit 0 --format csv STORE", "--by rank STORE",
            "--by tp STORE", "--by profile STORE", "--by annotation STORE", "--by annotation --limit 0 STORE", "--by step,thread,shape STORE",
            "--flops STORE", "--tensor-cores STORE", "--top-level STORE", "--format torch STORE",
            "--format torch --limit 0 --by stack STORE", "--focus a STORE", "--ignore zzz STORE",
            "--by thread --limit 0 STORE", "--cat cpu_op STORE", "--thread 100 STORE", "--stream 7 STORE", "--device 0 STORE", "--step 0.. STORE",
            "--time 0.. STORE", "--min-dur 1ns STORE", "--rank 0..9 STORE",
            "--by line STORE", "--by file STORE", "--sort name --reverse STORE", "--ignore zzz --time 0.. STORE",
            "--phase decode STORE", "--no-idle STORE"],
    "steps": ["STORE", "--format csv STORE", "--by phase STORE", "--by tp STORE", "--phases STORE", "--mfu STORE", "--bounds tensorboard STORE", "--step 0.. STORE",
              "--device 0 STORE",
              "--sort total_ns --reverse STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "devices": ["STORE", "--by tp STORE", "--step 0.. STORE", "--focus . STORE", "--format csv STORE",
                "--ignore zzz --time 0.. STORE", "--sort span_ns --reverse STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "timeline": ["STORE", "--limit 0 --format csv STORE", "--time 0.. --limit 0 STORE", "--step 0.. --cat cpu_op STORE",
                 "--phase decode STORE", "--rank 0..9 STORE"],
    "streams": ["STORE", "--by-time 50 STORE", "--step 0.. STORE", "--format csv STORE",
                "--ignore zzz --time 0.. STORE", "--sort stream --reverse STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "kernels": ["STORE", "--by family STORE", "--by family,step STORE", "--limit 0 --format csv STORE", "--by op STORE",
                "--by rank,profile,device,stream STORE", "--by tp STORE", "--phase decode STORE",
                "--by step STORE", "--launches STORE", "--launches --copies --by step --limit 0 STORE", "--focus . STORE",
                "--step 0.. STORE",
                "--ignore zzz --time 0.. STORE", "--sort name --reverse STORE", "--rank 0..9 STORE"],
    "roofline": ["STORE", "--limit 0 --format csv STORE", "--peak bf16=100,bw=1000 STORE", "--focus . --step 0.. STORE",
                 "--ignore zzz --time 0.. STORE", "--sort calls --reverse --limit 0 STORE", "--phase decode STORE",
                 "--rank 0..9 STORE"],
    "gaps": ["STORE", "--format csv STORE", "--by op STORE", "--by frame STORE", "--by annotation STORE", "--by step STORE",
             "--by stream STORE", "--by op --limit 0 --format csv STORE", "--list STORE",
             "--list --limit 0 --format csv STORE", "--inner STORE", "--root STORE", "--causes hta STORE",
             "--causes hta --format csv STORE", "--step 0.. STORE", "--device 0 STORE",
             "--ignore zzz --time 0.. STORE", "--list --focus . STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "graphs": ["STORE", "--format csv STORE", "--step 0.. STORE",
               "--ignore zzz --time 0.. STORE", "--sort replays --reverse STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "overview": ["STORE", "--format json STORE",
                 "--rank 0..9 STORE"],
    "advise": ["STORE", "--evidence STORE", "--verbose STORE", "--format json STORE",
               "--rank 0..9 STORE"],
    "transfers": ["STORE", "--by op STORE", "--by step STORE", "--by device STORE", "--list STORE", "--step 0.. STORE",
                  "--ignore zzz --time 0.. STORE", "--list --sort start_ns --reverse --limit 0 STORE", "--phase decode STORE",
                  "--rank 0..9 STORE"],
    "comm": ["STORE", "--by size STORE", "--by rank STORE", "--by tp STORE", "--list STORE", "--ranks STORE", "--ranks --format csv STORE",
             "--imbalance STORE", "--step 0.. STORE",
             "--ignore zzz --time 0.. STORE", "--list --sort start_ns --reverse --limit 0 STORE", "--phase decode STORE",
             "--rank 0..9 STORE"],
    "ranks": ["STORE", "--by step STORE", "--by tp STORE", "--what-if STORE", "--format csv STORE",
              "--sort wall_ns --reverse STORE", "--rank 0..9 STORE"],
    "trend": ["STORE", "--column idle STORE", "--format csv STORE",
              "--sort recorded_ns --reverse STORE"],
    "modules": ["STORE", "--depth 0 STORE", "--depth 0 --format csv STORE", "--depth 0 --sort start STORE", "--limit 0 STORE",
                "--focus . STORE", "--ignore zzz --time 0.. STORE", "--step 0.. STORE", "--phase decode STORE",
                "--rank 0..9 STORE"],
    "compile": ["STORE", "--by region --format csv STORE", "--by step STORE", "--by kernel --format csv STORE", "--step 0.. STORE",
                "--by region --sort function --reverse STORE", "--time 0.. STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "memory": ["STORE", "--stats STORE", "--live STORE", "--live --by size STORE", "--live --by step --format csv STORE",
               "--events STORE", "--events --limit 0 --format csv STORE", "--curve STORE", "--growth STORE", "--leaks STORE",
               "--leaks --limit 0 --format csv STORE", "--spikes STORE", "--oom STORE", "--step 0.. STORE", "--focus . --stats STORE",
               "--ignore zzz --time 0.. --stats STORE", "--device 0 STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "tree": ["STORE", "--depth 0 --min 0 STORE", "--depth 0 --min 0 --format csv STORE", "--depth 0 --min 0 --kernels STORE",
             "--depth 0 --min 0 --instances STORE", "--depth 0 --min 0 --by step STORE", "--min 0 --root-at a STORE",
             "--limit 0 --min 0 STORE", "--limit 5 STORE",
             "--depth 0 --min 0 --ignore zzz --time 0.. STORE", "--focus . STORE", "--step 0.. --cat cpu_op STORE",
             "--phase decode STORE", "--rank 0..9 STORE", "--no-idle STORE"],
    "flame": ["STORE", "--height 24 --width 80 STORE", "--inverted STORE", "--weight device STORE", "--base OTHER STORE",
              "--to svg STORE", "--to html STORE", "--min 1ns STORE", "--by step STORE", "--root-at a STORE", "--cat cpu_op STORE",
              "--ignore zzz --time 0.. STORE", "--focus . STORE", "--step 0.. STORE", "--phase decode STORE",
              "--rank 0..9 STORE", "--no-idle STORE"],
    "callers": [". STORE", "--limit 0 --format csv . STORE", "--strip-dirs . STORE", "0$ STORE",
                "--sort total_ns --reverse . STORE"],
    "callees": [". STORE", "--limit 0 --format csv . STORE", "--strip-dirs . STORE", "0$ STORE",
                "--sort total_ns --reverse . STORE"],
    "diff": ["STORE STORE", "STORE OTHER", "--headline STORE OTHER", "--accounting STORE OTHER", "--by operator STORE OTHER",
             "--by kernel STORE OTHER", "--by function STORE OTHER", "--by annotation STORE OTHER", "--by step STORE OTHER",
             "--by memory STORE OTHER", "--by idle STORE OTHER", "--by name STORE OTHER", "--by name STORE STORE",
             "--metric total --limit 0 --format csv STORE OTHER", "--metric calls STORE OTHER", "--metric device STORE OTHER",
             "--total STORE OTHER", "--first-step STORE OTHER", "--within-run STORE OTHER", "--aa STORE OTHER STORE",
             "--step 0.. STORE OTHER", "--by name --focus . STORE OTHER",
             "STORE OTHER STORE OTHER -- OTHER STORE OTHER OTHER",
             "--ignore zzz --time 0.. STORE OTHER", "--by line STORE OTHER",
             "--by name --sort name --reverse --limit 0 STORE OTHER", "--phase decode STORE OTHER", "--rank 0..9 STORE OTHER"],
    "gate": ["-f BUDGETS STORE OTHER",
             "-f BUDGETS --within-run OTHER"],
    "baseline": ["--dir FOLDER save main STORE", "--dir SAVED list",
                 "--dir FOLDER --keep 2 save main STORE OTHER"],
    "export": [f"--to {name} -f -o OUT STORE" for name in
               ("pstats", "folded", "speedscope", "pprof", "callgrind", "chrome", "pftrace")] +
              ["--to folded --weight device -f -o OUT STORE", "--to speedscope --weight device -f -o OUT STORE",
               "--to chrome --step 0.. -f -o OUT STORE", "--to parquet --table slice -f -o OUT STORE",
               "--to folded --ignore zzz --time 0.. -f -o OUT STORE", "--to pprof --focus . --cat cpu_op -f -o OUT STORE",
               "--to chrome --phase decode -f -o OUT STORE", "--to pftrace --rank 0..9 -f -o OUT STORE",
               "--to speedscope --no-idle -f -o OUT STORE"],
    "pstats": ["STORE", "--sort cumulative --limit 20 STORE", "--callers STORE", "--callees STORE", "--strip-dirs STORE",
               "--match a --format csv STORE", "--callers --strip-dirs --sort name --format csv STORE", "STORE OTHER",
               "--sort name --reverse STORE"],
    "lines": ["STORE", "--limit 0 --format csv STORE",
              "--sort hits --reverse --limit 0 STORE", "--focus . --ignore zzz STORE"],
    "view": [],  # on a terminal, where it asks the others: tests/cli/view.bats
    "mcp": [],  # a server, which does, too: tests/cli/mcp.bats
    "info": ["STORE", "--format json STORE", "--rank 0 STORE"],
    "list": ["STORE", "--limit 20 STORE", "--sort dur --limit 20 STORE", "--sort self --format csv STORE", "--sort name STORE",
             "--step 0.. STORE", "--focus . STORE", "--format ndjson STORE",
             "--ignore zzz --time 0.. --sort dur --limit 20 STORE", "--phase decode STORE", "--rank 0..9 STORE"],
    "doctor": ["STORE", "--format csv STORE",
               "--severity warning STORE"],
    "sql": ["STORE @SELECT * FROM slice", "STORE @SELECT * FROM thread_track", "STORE @SELECT * FROM v_op",
            "STORE @SELECT * FROM v_kernel", "STORE @SELECT * FROM v_step", "STORE @SELECT * FROM v_function",
            "--format json STORE @SELECT name, count(*) FROM slice GROUP BY name",
            "STORE @SELECT * FROM v_line", "STORE @SELECT * FROM v_sample", "STORE @SELECT * FROM v_stack"],
    "report": ["-f -o OUT STORE", "-f -o OUT STORE OTHER",
               "--step 0.. -f -o OUT STORE", "--time 0.. --max-slices 100 -f -o OUT STORE", "--phase decode -f -o OUT STORE"],
    "merge": ["-q -f -o OUT STORE",
              "-q -f -o OUT STORE OTHER"],
    "migrate": ["-q -f -o OUT COPY"],
    "rm": ["-q -o COPY it"],
    "push": [],  # to a database's server, as the next two: tests/remote/check_clickhouse.py
    "pull": [],
    "gc": [],
    "schema": ["clickhouse"],
    "help": ["top"],
}

# Of a line, exits beside those of linear.EXPECTED: 4 where the recording is refused.
EXITS = {"-q --strict -o OUT TRACE": (4,)}
# The exit of an answer, where it is not 0: a budget is broken, or one run is too few to say.
ANSWERS = {"-f BUDGETS STORE OTHER": 3, "-f BUDGETS STORE STORE": 3, "-f BUDGETS --within-run OTHER": 1}


def missing(ptool):
    """The commands that have no line, and lines of no command."""
    known = subprocess.run([ptool, "help", "--list"], check=True, capture_output=True, text=True).stdout.split()
    return sorted(set(known) ^ set(LINES))


def all_lines(pattern=None):
    """(command, options) of each line, where the pattern matches what both say."""
    for command, lines in LINES.items():
        for line in lines:
            if pattern is None or pattern.search(f"{command} {line}"):
                yield command, line


def argv(command, line, places):
    """What to run; after @ stands one argument with blanks."""
    words, _, query = line.partition("@")
    return [command, *(places.get(word, word) for word in words.split()), *([query] if query else [])]
