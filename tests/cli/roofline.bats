#!/usr/bin/env bats
# ptool roofline as users see it; its numbers are held to a second computation by
# tests/roofline/check_roofline.py, and FLOPs to torch's by tests/unit/test_op_work.c.
load setup

TRACE=$BATS_TEST_DIRNAME/../fixtures/torch/t2141_cnn_w0/trace.json.gz

@test "operators against peaks that are given, as wide as the terminal" {
	ptool ingest -q "$TRACE"
	on_terminal 80 "$PTOOL" roofline --peak fp32=0.1,bw=20 -n 6 --no-pager --color never |
		like_golden roofline_80.txt
	ptool roofline -n 12 | like_golden roofline.txt
	ptool roofline --peak fp32=0.1,bw=20 --format csv | like_golden roofline.csv
}

@test "a peak that is none is refused" {
	ptool ingest -q "$TRACE"
	run -2 --separate-stderr ptool roofline --peak fp17=3
	says "ptool: roofline: --peak has 'fp17=3': write fp64, fp32, tf32, fp16, bf16, fp8, fp4 or int8=TFLOP/s, and bw=GB/s, with commas between"
	for wrong in fp16 fp16= fp16=0 fp16=-1 fp16=1x bw=inf ,; do
		run -2 ptool roofline --peak "$wrong"
	done
	run -3 ptool roofline --focus nothing
}

@test "steps against the peak, by known operators or the model's FLOPs" {
	ptool ingest -q "$TRACE"
	ptool steps --mfu --peak fp32=0.1 | like_golden steps_mfu.txt
	run -0 ptool steps --mfu --model-flops 2000000000 --peak fp32=0.1 --step 2 --format csv
	[[ ${lines[1]} = *,2000000000,*,\"fp32\",6.99418* ]]
	run -2 --separate-stderr ptool steps --peak fp32=1
	says "ptool: steps: --peak is for --mfu"
	run -2 --separate-stderr ptool steps --mfu --phases
	says "ptool: steps: --mfu counts whole steps: give it without --phases, --bounds and --by phase"
	ptool ingest -q -o bare.db "$GPU/graph.json"
	run -3 --separate-stderr ptool steps --mfu bare.db
	says "ptool: steps: bare.db: no shapes were recorded (record_shapes=True): --model-flops N sets what a step needs"
}

# Two products of operators on the host: of bfloat16, then of float32.
products() { # [PROPERTIES]
	cat <<-END
		{"schemaVersion": 1, "record_shapes": 1, ${1-} "traceEvents": [
		{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 1000},
		{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 90, "args": {"Input Dims": [[256, 256], [256, 256]], "Input type": ["c10::BFloat16", "c10::BFloat16"], "External id": 1}},
		{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 110, "dur": 90, "args": {"Input Dims": [[250, 250], [250, 250]], "Input type": ["float", "float"], "External id": 2}}]}
	END
}

@test "work of the host is not measured by the peak of a device that did none" {
	products '"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132}],' >t.json
	ptool roofline -q t.json >text
	grep -q "^note: no peak is known for the host: " text
	run ! grep -q "% peak" text
	ptool steps --mfu -q t.json >text
	grep -q "^note: no peak is known for the host: " text
	run ! grep -q "MFU %" text
}

@test "types without a peak are left out of the MFU, and a note says so" {
	products >t.json
	ptool steps --mfu -q t.json --peak bf16=0.1 >text
	grep -q "^note: MFU leaves out 48.2% of the FLOPs: no peak of fp32 is known; add fp32=TFLOP/s to --peak$" text
	ptool steps --mfu -q t.json --peak bf16=0.1,fp32=0.1 >text
	run ! grep -q "leaves out" text
	run -0 ptool steps --mfu -q t.json --peak bf16=0.1,fp32=0.1 --format csv
	[[ ${lines[1]} = *,64804432,*,\"bf16\",64.8044* ]]
}

@test "reasons why rows are above the roof are those of these rows" {
	products >t.json
	run -0 ptool roofline -q t.json --peak bf16=0.01,fp32=0.01,bw=100
	[[ $output = *"note: 2 rows are above the roof: --peak is too low"* ]]
}
