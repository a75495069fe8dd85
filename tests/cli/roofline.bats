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
