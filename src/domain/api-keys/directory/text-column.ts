import { textOfBytes } from "../../../lib/values/bytes.ts";

const FEWEST_ROWS = 1024;
const FEWEST_BYTES = 16 * 1024;
const encoder = new TextEncoder();

/** Short texts by row, in one block of bytes: a million strings would be a million objects for every collection to visit. */
export class TextColumn {
  #bytes = new Uint8Array(FEWEST_BYTES);
  /** Where new texts begin. */
  #end = 0;
  #starts = new Uint32Array(FEWEST_ROWS);
  #lengths = new Uint32Array(FEWEST_ROWS);

  /** The row's text; empty where none was set. */
  get(row: number): string {
    const length = this.#lengths[row] ?? 0;
    if (length === 0) return "";
    const start = this.#starts[row] as number;
    return textOfBytes(this.#bytes, start, start + length);
  }

  set(row: number, text: string): void {
    while (row >= this.#lengths.length) this.#addRows();
    const written = encoder.encode(text);
    if (written.length > (this.#lengths[row] as number)) {
      this.#lengths[row] = 0;
      if (this.#end + written.length > this.#bytes.length) this.#makeRoom(written.length);
      this.#starts[row] = this.#end;
      this.#end += written.length;
    }
    this.#bytes.set(written, this.#starts[row]);
    this.#lengths[row] = written.length;
  }

  #addRows(): void {
    const starts = new Uint32Array(this.#starts.length * 2);
    const lengths = new Uint32Array(starts.length);
    starts.set(this.#starts);
    lengths.set(this.#lengths);
    this.#starts = starts;
    this.#lengths = lengths;
  }

  /** Moves all texts close together, into a block that leaves as much room again. */
  #makeRoom(needed: number): void {
    const used = this.#lengths.reduce((sum, length) => sum + length, 0);
    const bytes = new Uint8Array(Math.max(FEWEST_BYTES, (used + needed) * 2));
    let end = 0;
    for (let row = 0; row < this.#lengths.length; row += 1) {
      const length = this.#lengths[row] as number;
      const start = this.#starts[row] as number;
      bytes.set(this.#bytes.subarray(start, start + length), end);
      this.#starts[row] = end;
      end += length;
    }
    this.#bytes = bytes;
    this.#end = end;
  }
}
