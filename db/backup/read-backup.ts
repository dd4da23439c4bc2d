import { createReadStream, openSync } from "node:fs";
import { createZstdDecompress } from "node:zlib";
import {
  BackupError,
  type BackupHead,
  type BackupItem,
  FORMAT,
  HEAD_MARK,
  type RowCounts,
  type Sequences,
} from "./format.ts";

const NEW_LINE = 10;

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
  for await (const line of linesOf(path, open)) {
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
  if (head.format === FORMAT) return head;
  throw new BackupError(`${path} was made by sluice ${head.version} in a format that this release does not know`);
}

const damaged = (path: string) => new BackupError(`${path} is damaged or cut short`);

async function* linesOf(path: string, open: OpenFile): AsyncGenerator<string> {
  const file = openStream(path, open);
  const text = createZstdDecompress();
  file.once("error", (error) => text.destroy(error));
  file.pipe(text);
  let rest: Buffer[] = [];
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      let start = 0;
      for (let stop = chunk.indexOf(NEW_LINE); stop >= 0; stop = chunk.indexOf(NEW_LINE, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, stop)]).toString("utf8");
        rest = [];
        start = stop + 1;
      }
      if (start < chunk.length) rest.push(Buffer.from(chunk.subarray(start)));
    }
  } catch (error) {
    throw unreadable(path, error) ?? damaged(path);
  } finally {
    file.destroy();
    text.destroy();
  }
}

function openStream(path: string, open: OpenFile) {
  try {
    return createReadStream(path, { fd: open(path) });
  } catch (error) {
    throw unreadable(path, error) ?? error;
  }
}

function unreadable(path: string, error: unknown): BackupError | null {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return ["ENOENT", "EACCES", "EISDIR"].includes(code) ? new BackupError(`cannot read ${path}: ${message}`) : null;
}
