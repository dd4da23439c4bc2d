import { readFileSync, statSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { UsageRecord } from "../../types.ts";
import { FIELD, readRecord, wrongField } from "../apply/record-text.ts";
import type { Rejection } from "../pump.ts";
import type { SegmentLine } from "../segments/segment.ts";

/** In the journal's root directory. */
const REJECTED_FILE = "rejected.jsonl";

/** CRC-32 in hex and a blank. */
const CHECKSUM_CHARACTERS = 9;

/** The fields of a record, of any release: JSON, or 19 and more between separators. */
const OTHER = 18;
const FIELDS_OF_RECORD = new RegExp(`^\\{|(?:${FIELD}[^${FIELD}]*){18,}$`);

/** A line of `rejected.jsonl`: a charge that was not made, or a call that has no row in the log, for a human. */
export type RejectedEntry = Readonly<{
  /** ISO 8601. */
  at: string;
  reason: string;
  /** The process whose journal it was in. */
  process: string;
  /** The charge was made, without the row in the log. */
  charged?: true;
  /** Where a damaged line stood: the segment, and the byte at which the line begins. */
  file?: string;
  offset?: number;
  /** The exact bytes of a line that is damaged, or whose record makes no sense, in base64. */
  raw?: string;
  /** The record to charge; null: the line can't be trusted. `sluice journal replay` charges what stands here. */
  record: UsageRecord | null;
  /** How the bytes read, if they still look like a record. Any of its values may be wrong. */
  readable?: UsageRecord;
}>;

/** The charges that were put aside: damaged lines, and records that the database refuses. */
export class RejectedRecords {
  readonly path: string;
  #counted = { size: 0, modifiedAt: 0, count: 0 };

  constructor(root: string) {
    this.path = join(root, REJECTED_FILE);
  }

  /** Keeps a line that is not in the log, with the reason. Rejects when the disk refuses. */
  async add(processId: string, line: SegmentLine, rejection: Rejection): Promise<void> {
    const entry = entryOf(processId, line, rejection);
    await appendFile(this.path, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true });
  }

  /** How many there are. Reads the file only when it has changed. */
  count(): number {
    const file = statSync(this.path, { throwIfNoEntry: false });
    if (!file) return 0;
    if (file.size !== this.#counted.size || file.mtimeMs !== this.#counted.modifiedAt) {
      const count = readFileSync(this.path, "utf8").split("\n").filter(Boolean).length;
      this.#counted = { size: file.size, modifiedAt: file.mtimeMs, count };
    }
    return this.#counted.count;
  }
}

function entryOf(processId: string, line: SegmentLine, { reason, isCharged }: Rejection): RejectedEntry {
  const head = {
    at: new Date().toISOString(),
    reason,
    process: processId,
    ...(isCharged && { charged: true as const }),
  };
  if (line.text !== null) {
    const readable = readFields(line.text);
    if (wrongField(readable) === null) return { ...head, record: readable };
    return { ...head, raw: toBase64(line.text), record: null, ...(readable && { readable }) };
  }
  const { file, offset, raw } = line.damage;
  const readable = readFields(raw.toString("utf8").slice(CHECKSUM_CHARACTERS));
  return { ...head, file, offset, raw: raw.toString("base64"), record: null, ...(readable && { readable }) };
}

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

/** A text with the names of its fields, whatever their values; null: it has no such fields. */
function readFields(text: string): UsageRecord | null {
  if (!FIELDS_OF_RECORD.test(text)) return null;
  try {
    return readRecord(text);
  } catch {
    if (text.startsWith("{")) return null;
    // The damage is in the one field that has a form of its own.
    return readRecord(text.split(FIELD).with(OTHER, "{}").join(FIELD));
  }
}
