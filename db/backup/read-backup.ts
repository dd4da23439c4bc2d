import { createReadStream, openSync } from "node:fs";
import { createZstdDecompress } from "node:zlib";
import {
  BackupError,
  type BackupHead,
  type BackupItem,
  FORMATS,
  HEAD_MARK,
  type RowCounts,
  type Sequences,
} from "./format.ts";

const NEW_LINE = 10;
/** Far above what is ever written in one piece. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Opens a file for reading and returns its descriptor: for a process that acts as another user than the file's. */
export type OpenFile = (path: string) => number;

const openFile: OpenFile = (path) => openSync(path, "r");

/**
 * Reads a backup item by item. The "end" item comes only after the checksum and the counts were found right. Throws
 * BackupError when the file is missing, unreadable, damaged, cut short or not a backup.
 */
export async function* readBackup(path: string, open = openFile): AsyncGenerator<BackupItem> {
  const hash = new Bun.CryptoHasher("sha256");
  const counts: Record<string, number> = {};
  let table: string | null = null;
  let end: Extract<BackupItem, { kind: "end" }> | null = null;
  let isFirst = true;
  const input = new Input(path, open);
  try {
    for (let line = await input.line(); line !== null; line = await input.line()) {
      const [mark, ...values] = marksOf(line);
      if (isFirst !== (mark === HEAD_MARK)) throw new BackupError(`${path} is not a backup made by sluice`);
      isFirst = false;
      if (mark === "sha256") {
        if (!end || values[0] !== hash.digest("hex") || !Bun.deepEquals(end.counts, counts)) break;
        yield end;
        return;
      }
      hash.update(`${line}\n`);
      if (mark === null) {
        if (table === null) break;
        counts[table] = (counts[table] ?? 0) + 1;
        yield { kind: "row", json: line };
      } else if (mark === "rows") {
        const [count = 0, size = 0] = values.map(Number);
        const text = table === null ? null : await input.bytes(size);
        if (table === null || text === null) break;
        hash.update(text);
        counts[table] = (counts[table] ?? 0) + count;
        yield { kind: "rows", count, text };
      } else if (mark === HEAD_MARK) {
        yield { kind: "head", head: checkedHead(path, values[0] as BackupHead) };
      } else if (mark === "table") {
        table = String(values[0]);
        counts[table] = 0;
        yield { kind: "table", name: table, columns: values[1] as string[] };
      } else if (mark === "end") {
        end = { kind: "end", counts: values[0] as RowCounts, sequences: values[1] as Sequences };
      } else break;
    }
  } finally {
    input.close();
  }
  throw damaged(path);
}

function marksOf(line: string): [string | null, ...unknown[]] {
  if (!line.startsWith("[")) return [null];
  try {
    return JSON.parse(line) as [string, ...unknown[]];
  } catch {
    return [""];
  }
}

function checkedHead(path: string, head: BackupHead): BackupHead {
  if (FORMATS.includes(head.format)) return head;
  throw new BackupError(`${path} was made by sluice ${head.version} in a format that this release does not know`);
}

const damaged = (path: string) => new BackupError(`${path} is damaged or cut short`);

/** The file's text, taken from its beginning in lines and in pieces of known length. */
class Input {
  readonly #file: NodeJS.ReadableStream & { destroy(): void };
  readonly #text = createZstdDecompress();
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    private readonly path: string,
    open: OpenFile,
  ) {
    this.#file = openStream(path, open);
    this.#file.once("error", (error) => this.#text.destroy(error));
    this.#file.pipe(this.#text);
    this.#chunks = (this.#text as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** The next line without its end; null: there is none. */
  async line(): Promise<string | null> {
    const parts: Buffer[] = [];
    for (;;) {
      const stop = this.#rest.indexOf(NEW_LINE);
      if (stop >= 0) {
        const last = this.#rest.subarray(0, stop);
        this.#rest = this.#rest.subarray(stop + 1);
        return (parts.length === 0 ? last : Buffer.concat([...parts, last])).toString("utf8");
      }
      parts.push(this.#rest);
      if (!(await this.#next())) return null;
    }
  }

  /** The next `size` bytes; null: there are fewer, or nobody ever writes so many in one piece. */
  async bytes(size: number): Promise<Buffer | null> {
    if (!(size >= 0 && size <= MOST_BYTES)) return null;
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > this.#rest.length) {
      parts.push(this.#rest);
      missing -= this.#rest.length;
      if (!(await this.#next())) return null;
    }
    parts.push(this.#rest.subarray(0, missing));
    this.#rest = this.#rest.subarray(missing);
    return parts.length === 1 ? (parts[0] ?? null) : Buffer.concat(parts);
  }

  close(): void {
    this.#file.destroy();
    this.#text.destroy();
  }

  async #next(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next();
      this.#rest = done ? Buffer.alloc(0) : value;
      return !done;
    } catch (error) {
      throw unreadable(this.path, error) ?? damaged(this.path);
    }
  }
}

function openStream(path: string, open: OpenFile) {
  try {
    return createReadStream(path, { fd: open(path), highWaterMark: 1024 * 1024 });
  } catch (error) {
    throw unreadable(path, error) ?? error;
  }
}

function unreadable(path: string, error: unknown): BackupError | null {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return ["ENOENT", "EACCES", "EISDIR"].includes(code) ? new BackupError(`cannot read ${path}: ${message}`) : null;
}
