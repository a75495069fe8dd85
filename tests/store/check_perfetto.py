#!/usr/bin/env python3
"""check_perfetto.py: slices of real GPU recordings against Perfetto v58.2's own count.

The recordings are other projects' data, so they lie beside the checkout and not in it
(../shared/data/gpu, with Perfetto's numbers in ../shared/data/perfetto-oracle).
timeout: 300 s
"""
import csv
import os

from storetap import SHARED, Tap, Workplace, rows

DATA = os.path.join(SHARED, "data")


# What an oracle is of: its name is the recording's place in the project it comes from.
RECORDINGS = {
    "hta__amd_trace__mi250_minitoy_train_ROCm6_2_kineto": "mi250_minitoy_train_ROCm6_2_kineto.json.gz",
    "hta__cpu_only__rank-34.Jul_15_10_52_41.1074": "rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
    "hta__critical_path__cuda_event_sync_multi_stream__event_sync_trace": "event_sync_multi_stream.json.gz",
    "hta__cupti_profiler__benchmark_result_924719_1679055439_trace": "cupti_profiler.json.gz",
    "hta__ns_resolution_trace__rank-0.Apr_03_18_51_38.1102": "rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
    "hta__trace_diff__control__control": "trace_diff_control.json.gz",
    "hta__trace_diff__test__test": "trace_diff_test.json.gz",
    "hta__triton_example__triton_example": "triton_example.json.gz",
    "tb_plugin__samples__resnet50_num_workers_0__worker0.1623143089861":
        "resnet50_num_workers_0.worker0.1623143089861.pt.trace.json.gz",
    "tb_plugin__samples__resnet50_num_workers_4__worker0.1623212756351":
        "resnet50_num_workers_4.worker0.1623212756351.pt.trace.json.gz",
}


def expected_rows(oracle):
    with open(oracle, encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            category = None if row["category"] == "[NULL]" else row["category"]
            yield (row["name"], category, *(int(row[k]) for k in ("count", "sum_dur_ns", "min_ns", "max_ns")))


def main():
    tap = Tap()
    with Workplace() as work:
        for name, recording in RECORDINGS.items():
            path = os.path.join(DATA, "gpu", recording)
            oracle = os.path.join(DATA, "perfetto-oracle", name + ".all.csv")
            test = f"{recording}: count, sum, min and max by name and category"
            if not os.path.exists(path) or not os.path.exists(oracle):
                tap.skip(test, "it is not beside this checkout")
                continue
            db = work.open(work.ingest(path))
            got = rows(db, "SELECT name, category, count(*), sum(dur), min(dur), max(dur) FROM slice "
                       "GROUP BY name, category")
            tap.same(got, list(expected_rows(oracle)), test)
            db.close()
    tap.done()


main()
