import { BLOCK_BYTES, ByteBlocks } from "./byte-blocks.ts";
import { PagedColumn } from "./paged-column.ts";

/** Texts begin at multiples of so many bytes: a place then takes 32 bits in files of up to 32 GiB. */
const UNIT_BYTES = 8;
/** The length of a text stands before it. */
const HEAD_BYTES = 4;
/** Of a character in UTF-8, per unit of a JavaScript string. */
const MOST_BYTES_A_UNIT = 3;

const unitsOf = (bytes: number): number => Math.ceil((HEAD_BYTES + bytes) / UNIT_BYTES);

/**
 * Short texts by row, in bytes: a million strings would be a million objects for every collection to visit. Where a `folder` is
 * given they are in a file there, and four bytes a row are in memory.
 */
export class TextColumn {
  readonly #blocks: ByteBlocks;
  /** In units, counted from 1; 0: the row has no text, or a long one. */
  readonly #places = new PagedColumn((rows) => new Uint32Array(rows));
  /** Texts that fit in no block. */
  readonly #long = new Map<number, string>();
  /** Places that texts of so many units have left. */
  readonly #free = new Map<number, number[]>();
  /** In units. */
  #end = 0;
  #buffer = Buffer.allocUnsafeSlow(1024);

  constructor(folder: string | null = null) {
    this.#blocks = new ByteBlocks(folder);
  }

  /** The row's text; empty where none was set. */
  get(row: number): string {
    const place = this.#places.get(row);
    if (place === 0) return this.#long.get(row) ?? "";
    const at = (place - 1) * UNIT_BYTES;
    const length = this.#lengthAt(at);
    return this.#blocks.read(at + HEAD_BYTES, length).toString("utf8");
  }

  has(row: number): boolean {
    return this.#places.get(row) !== 0 || this.#long.has(row);
  }

  /** The rows that have a text. */
  *rows(): Generator<number> {
    yield* this.#places.rows();
    yield* this.#long.keys();
  }

  /** An empty text is none. */
  set(row: number, text: string): void {
    this.#release(row);
    if (text === "") return;
    const most = HEAD_BYTES + text.length * MOST_BYTES_A_UNIT;
    if (most > BLOCK_BYTES) this.#long.set(row, text);
    else this.#places.set(row, this.#append(text, most));
  }

  #release(row: number): void {
    const place = this.#places.get(row);
    this.#places.set(row, 0);
    if (place === 0) {
      this.#long.delete(row);
      return;
    }
    const units = unitsOf(this.#lengthAt((place - 1) * UNIT_BYTES));
    const free = this.#free.get(units);
    if (free) free.push(place);
    else this.#free.set(units, [place]);
  }

  #append(text: string, most: number): number {
    if (most > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(most * 2);
    const length = this.#buffer.write(text, HEAD_BYTES);
    this.#buffer.writeUInt32LE(length);
    const units = unitsOf(length);
    const place = this.#free.get(units)?.pop() ?? this.#extend(units);
    this.#blocks.write((place - 1) * UNIT_BYTES, this.#buffer.subarray(0, HEAD_BYTES + length));
    return place;
  }

  #extend(units: number): number {
    const place = this.#blocks.placeFor(units * UNIT_BYTES, this.#end * UNIT_BYTES) / UNIT_BYTES;
    this.#end = place + units;
    return place + 1;
  }

  #lengthAt(at: number): number {
    return this.#blocks.read(at, HEAD_BYTES).readUInt32LE();
  }
}
