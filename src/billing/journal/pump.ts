import type { SegmentLine } from "./segments/segment.ts";

/** So many records are a full batch: the fixed cost of a statement hardly counts, and it does not hold others up. */
export const BATCH_RECORDS = 1000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** SQLSTATE classes that blame what a record contains: data exception, integrity constraint violation. */
const POISON = /^2[23]...$/;
const DUPLICATE = "23505";

/** Records in order: read from the front, and forgotten once they are in the database. */
export type RecordSource = Readonly<{
  read(mostRecords: number, mostBytes: number): SegmentLine[];
  commit(lines: readonly SegmentLine[]): void;
}>;

export type RecordSink = Readonly<{
  /** Brings records (texts) into the database, all or none. `areNew`: they were never tried before. */
  apply(records: readonly string[], areNew: boolean): Promise<void>;
  /** Puts a line aside that is damaged, or whose record the database refuses. */
  reject(line: SegmentLine, reason: string): Promise<void>;
}>;

/**
 * Moves records from a source to the database, in order and in batches. A batch that failed is tried again as it was, so
 * that records which did arrive are recognized; one that the database refuses for its contents is halved until the record
 * at fault stands alone and can be put aside.
 */
export class Pump {
  #waiting: readonly SegmentLine[] = [];
  #size = 0;
  #tried = false;

  constructor(
    private readonly source: RecordSource,
    private readonly sink: RecordSink,
  ) {}

  /** Moves one batch, or part of it. Answers whether there was any. Rejects when the database can't be reached. */
  async step(): Promise<boolean> {
    if (this.#waiting.length === 0) {
      this.#waiting = this.source.read(BATCH_RECORDS, BATCH_BYTES);
      this.#size = this.#waiting.length;
      this.#tried = false;
    }
    const part = this.#waiting.slice(0, this.#size);
    if (part.length === 0) return false;
    if (!(await this.#accept(part))) {
      this.#size = Math.ceil(part.length / 2);
      return true;
    }
    this.source.commit(part);
    this.#waiting = this.#waiting.slice(part.length);
    this.#size = this.#waiting.length;
    return true;
  }

  /** Answers false when the part must be tried in smaller ones. */
  async #accept(part: readonly SegmentLine[]): Promise<boolean> {
    const [first] = part;
    if (!first) return true;
    const areNew = !this.#tried;
    this.#tried = true;
    try {
      const intact = part.map((line) => line.text).filter((text) => text !== null);
      if (intact.length < part.length && part.length > 1) return false;
      if (first.text === null) await this.sink.reject(first, first.damage.reason);
      else await this.sink.apply(intact, areNew);
      return true;
    } catch (error) {
      if (!isPoison(error)) throw error;
      // Somebody else has charged it already: tried again, it is recognized.
      if (part.length > 1 || (areNew && error.code === DUPLICATE)) return false;
      await this.sink.reject(first, error.message);
      return true;
    }
  }
}

/** The database blames what a record contains. */
export const isPoison = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string" && POISON.test(error.code);
