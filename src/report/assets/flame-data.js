"use strict";
/*
 * The tree of calls of a page, unpacked: src/report/page_flame.c describes the bytes.  Nodes
 * are numbered in preorder, so that those below one follow it.
 *
 *	const tree = flameData.unpack(bytes, meta)
 *	const icicle = flameData.layout(tree, "host")   or "device"
 *
 * tree: n, depth, name, color, calls, self, total (by amount), parent, span; of a comparison
 * baseCalls, baseSelf and baseTotal.  icicle: start, by node, and levels, the nodes of each
 * depth by start.
 */
const flameData = (() => {
	const AMOUNTS = ["host", "device"];

	class Reader extends base.Numbers {
		/* n LEB128 numbers, whose k-th bytes stand together. */
		column(n) {
			const into = new Float64Array(n);
			const lengths = Array.from({ length: this.number() }, () => this.number());
			const at = lengths.map(length => {
				this.at += length;
				return this.at - length;
			});
			for (let i = 0; at.length && i < n; i++) {
				let scale = 1;
				let plane = 0;
				let byte;
				do {
					byte = this.bytes[at[plane]++];
					into[i] += (byte & 127) * scale;
					scale *= 128;
					plane++;
				} while (byte > 127);
			}
			return into;
		}
	}

	/* Totals from what each node has itself: children follow their parents. */
	function sumUp(self, parent) {
		const total = Float64Array.from(self);
		for (let i = total.length - 1; i > 0; i--)
			total[parent[i]] += total[i];
		return total;
	}

	function findFamilies(tree) {
		const { n, depth } = tree;
		const path = [];
		tree.parent = new Uint32Array(n);
		tree.span = new Uint32Array(n).fill(1);
		for (let i = 0; i < n; i++) {
			path[depth[i]] = i;
			tree.parent[i] = depth[i] ? path[depth[i] - 1] : 0;
		}
		for (let i = n - 1; i > 0; i--)
			tree.span[tree.parent[i]] += tree.span[i];
	}

	function unpack(bytes, meta) {
		const reader = new Reader(bytes);
		const n = reader.number();
		const tree = { n, depth: reader.column(n), name: reader.column(n), color: reader.column(n) };
		findFamilies(tree);
		const side = () => {
			const calls = reader.column(n);
			const self = Object.fromEntries(AMOUNTS.map(amount => [amount, reader.column(n)]));
			const total = Object.fromEntries(AMOUNTS.map(amount => [amount, sumUp(self[amount], tree.parent)]));
			return { calls, self, total };
		};
		Object.assign(tree, side());
		if (meta.hasBase) {
			const base = side();
			Object.assign(tree, { baseCalls: base.calls, baseSelf: base.self, baseTotal: base.total });
		}
		return tree;
	}

	/* By node: its children, the largest first. */
	function childrenOf(tree, amount) {
		const { n, parent } = tree;
		const total = tree.total[amount];
		const first = new Uint32Array(n + 1);
		for (let i = 1; i < n; i++)
			first[parent[i] + 1]++;
		for (let i = 0; i < n; i++)
			first[i + 1] += first[i];
		const next = Uint32Array.from(first);
		const children = new Uint32Array(Math.max(0, n - 1));
		for (let i = 1; i < n; i++)
			children[next[parent[i]]++] = i;
		const heavier = (a, b) => total[b] - total[a] || a - b;
		for (let i = 0; i < n; i++)
			if (first[i + 1] - first[i] > 1)
				children.subarray(first[i], first[i + 1]).sort(heavier);
		return { first, children };
	}

	/* Where each box begins, in the amount's unit; what has none of it has no box. */
	function layout(tree, amount) {
		const { first, children } = childrenOf(tree, amount);
		const total = tree.total[amount];
		const start = new Float64Array(tree.n);
		const levels = [];
		let row = [0];
		while (row.length) {
			const below = [];
			levels.push(Uint32Array.from(row));
			for (const node of row) {
				let at = start[node];
				for (let k = first[node]; k < first[node + 1]; k++) {
					const child = children[k];
					if (total[child] <= 0)
						break;
					start[child] = at;
					at += total[child];
					below.push(child);
				}
			}
			row = below;
		}
		return { start, levels, total, self: tree.self[amount], base: tree.baseTotal?.[amount] };
	}

	/* The place of the first node of a level that ends behind a position. */
	function firstAt(icicle, level, position) {
		let low = 0;
		let high = level.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			const node = level[middle];
			if (icicle.start[node] + icicle.total[node] > position)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	return { unpack, layout, firstAt, AMOUNTS };
})();
