import { messageOf } from "../../lib/runtime/error-message.ts";
import { rewrittenText, withoutRow } from "./apply/substitutes.ts";
import { failureOf, isDuplicate } from "./failure.ts";
import type { SegmentLine } from "./segments/segment.ts";

/** So many records are a full batch: the fixed cost of a statement hardly counts, and it does not hold others up. */
export const BATCH_RECORDS = 1000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Records in order: read from the front, and forgotten once they are in the database. */
export type RecordSource = Readonly<{
  read(mostRecords: number, mostBytes: number): SegmentLine[];
  commit(lines: readonly SegmentLine[]): void;
}>;

/** Whether a record that is put aside was charged all the same, without its row in the log. */
export type Rejection = Readonly<{ reason: string; isCharged: boolean }>;

export type RecordSink = Readonly<{
  /** Brings records (texts) into the database, all or none. `areNew`: they were never tried before. */
  apply(records: readonly string[], areNew: boolean): Promise<void>;
  /** Charges a record that the database refused, as a text that leaves no row in the log. */
  applyWithoutRow(record: string): Promise<void>;
  /** Puts a line aside that is damaged, whose record the database refuses, or that an operator takes out. */
  reject(line: SegmentLine, rejection: Rejection): Promise<void>;
  /** Whether the database takes another record now; nothing of it stays. */
  takesOthers(): Promise<boolean>;
  /** Tells the records that an operator wants to be put aside from others; null: there is none. */
  findSetAside(): Promise<((text: string) => boolean) | null>;
}>;

export const SET_ASIDE_REASON = "an operator has set it aside";

/**
 * Moves records from a source to the database, in order and in batches. A batch that failed is tried again as it was, so
 * that records which did arrive are recognized; one that the database refuses is halved until the record at fault stands
 * alone and can be put aside. Where the database does not say that it is the record's fault, it is put aside only when the
 * database takes another.
 */
export class Pump {
  #waiting: readonly SegmentLine[] = [];
  #size = 0;
  #tried = false;
  #rewritten = false;
  /** The last step failed: operators may want to put a record aside. */
  #failed = false;

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
      this.#rewritten = false;
    }
    if (this.#waiting.length === 0) return false;
    const part = await this.#obeyed(this.#waiting.slice(0, this.#size));
    if (part.length === 0) return true;
    this.#failed = true;
    const isAccepted = await this.#accept(part);
    this.#failed = false;
    if (!isAccepted) return true;
    this.#commit(part);
    // Records at fault may stand close together: parts grow again as they shrank.
    this.#size = Math.min(this.#waiting.length, part.length * 2);
    return true;
  }

  #commit(part: readonly SegmentLine[]): void {
    this.source.commit(part);
    this.#waiting = this.#waiting.slice(part.length);
    this.#size = Math.min(this.#size, this.#waiting.length);
  }

  /** The part before the first record that an operator wants to be put aside; where that is the first of all, it is put aside. */
  async #obeyed(part: readonly SegmentLine[]): Promise<readonly SegmentLine[]> {
    const isSetAside = this.#failed ? await this.sink.findSetAside() : null;
    if (!isSetAside) return part;
    const at = part.findIndex(({ text }) => text !== null && isSetAside(text));
    if (at !== 0) return at < 0 ? part : part.slice(0, at);
    const [first] = part as [SegmentLine];
    await this.sink.reject(first, { reason: SET_ASIDE_REASON, isCharged: false });
    this.#commit([first]);
    return this.#obeyed(part.slice(1));
  }

  /** Answers false when the part must be tried in smaller ones, or as other texts. */
  async #accept(part: readonly SegmentLine[]): Promise<boolean> {
    const [first] = part;
    if (!first) return true;
    const texts = part.map(({ text }) => text).filter((text) => text !== null);
    if (texts.length < part.length && part.length > 1) return this.#halve(part);
    if (first.text === null) {
      await this.sink.reject(first, { reason: first.damage.reason, isCharged: false });
      return true;
    }
    const areNew = !this.#tried;
    this.#tried = true;
    try {
      await this.sink.apply(texts, areNew);
      return true;
    } catch (error) {
      const failure = failureOf(error);
      if (failure === "away") throw error;
      // Somebody else has charged it already: tried again, it is recognized.
      if (areNew && isDuplicate(error)) return this.#halve(part);
      if (this.#rewrite() || part.length > 1) return this.#halve(part);
      if (failure === "unknown" && (await this.#isTaken(first.text, error))) return true;
      await this.#putAside(first, first.text, messageOf(error));
      return true;
    }
  }

  #halve(part: readonly SegmentLine[]): false {
    this.#size = Math.ceil(part.length / 2);
    return false;
  }

  /** Texts of earlier releases knew no bounds: they are written again. Answers whether that changed any of those that wait. */
  #rewrite(): boolean {
    if (this.#rewritten) return false;
    this.#rewritten = true;
    const lines = this.#waiting.map((line) =>
      line.text === null ? line : { ...line, text: rewrittenText(line.text) },
    );
    const isOther = lines.some(({ text }, at) => text !== this.#waiting[at]?.text);
    this.#waiting = lines;
    return isOther;
  }

  /**
   * Whether a record passes after all that failed for a reason which need not be its own. Rejects with that reason when the
   * database takes no other record either.
   */
  async #isTaken(text: string, reason: unknown): Promise<boolean> {
    if (!(await this.sink.takesOthers())) throw reason;
    try {
      await this.sink.apply([text], false);
      return true;
    } catch (error) {
      if (failureOf(error) === "away") throw error;
      return false;
    }
  }

  /** Charges a record without its row where that is possible, and keeps it for an operator. */
  async #putAside(line: SegmentLine, text: string, reason: string): Promise<void> {
    const bare = withoutRow(text);
    let isCharged = false;
    try {
      if (bare !== null) {
        await this.sink.applyWithoutRow(bare);
        isCharged = true;
      }
    } catch (error) {
      if (failureOf(error) === "away") throw error;
    }
    await this.sink.reject(line, { reason, isCharged });
  }
}
