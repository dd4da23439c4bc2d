const FEWEST_ROWS = 1024;
const BLOCK_BYTES = 1024 * 1024;
/** Of a character in UTF-8, per unit of a JavaScript string. */
const MOST_BYTES_A_UNIT = 3;

/** Short texts by row, in blocks of bytes: a million strings would be a million objects for every collection to visit. */
export class TextColumn {
  #blocks: Buffer[] = [];
  /** Where new texts begin in the last block. */
  #end = 0;
  /** Bytes of texts that were replaced. */
  #wasted = 0;
  #used = 0;
  #blockOf = new Uint32Array(FEWEST_ROWS);
  #starts = new Uint32Array(FEWEST_ROWS);
  #lengths = new Uint32Array(FEWEST_ROWS);

  /** The row's text; empty where none was set. */
  get(row: number): string {
    const length = this.#lengths[row] ?? 0;
    if (length === 0) return "";
    const start = this.#starts[row] as number;
    return (this.#blocks[this.#blockOf[row] as number] as Buffer).toString("utf8", start, start + length);
  }

  set(row: number, text: string): void {
    while (row >= this.#lengths.length) this.#addRows();
    this.#release(row);
    this.#append(row, text);
    if (this.#wasted > this.#used + BLOCK_BYTES) this.#compact();
  }

  #release(row: number): void {
    const length = this.#lengths[row] as number;
    this.#wasted += length;
    this.#used -= length;
    this.#lengths[row] = 0;
  }

  #append(row: number, text: string): void {
    const most = text.length * MOST_BYTES_A_UNIT;
    let block = this.#blocks.at(-1);
    if (!block || this.#end + most > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, most));
      this.#blocks.push(block);
      this.#end = 0;
    }
    const length = block.write(text, this.#end);
    this.#blockOf[row] = this.#blocks.length - 1;
    this.#starts[row] = this.#end;
    this.#lengths[row] = length;
    this.#end += length;
    this.#used += length;
  }

  #addRows(): void {
    const capacity = this.#lengths.length * 2;
    this.#blockOf = enlarged(this.#blockOf, new Uint32Array(capacity));
    this.#starts = enlarged(this.#starts, new Uint32Array(capacity));
    this.#lengths = enlarged(this.#lengths, new Uint32Array(capacity));
  }

  /** Writes all texts again, without what was between them. */
  #compact(): void {
    const texts = Array.from(this.#lengths, (length, row) => (length === 0 ? "" : this.get(row)));
    this.#blocks = [];
    this.#end = this.#wasted = this.#used = 0;
    for (const [row, text] of texts.entries()) if (text !== "") this.#append(row, text);
  }
}

/** `to` with all of `from` at its beginning. */
export function enlarged<Column extends Int32Array | Uint32Array | Float64Array | Uint8Array>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}
