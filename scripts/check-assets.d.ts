// What browsers have had since 2023 and TypeScript 4.8 does not know.
declare class DecompressionStream {
	constructor(format: string);
	readonly readable: ReadableStream;
	readonly writable: WritableStream;
}
