import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tryReadRecord } from "../apply/record-text.ts";

/** In the journal's root directory: an empty file for each record, named by the hash of its request id. */
const DIRECTORY = ".set-aside";

const nameOf = (requestId: string): string => new Bun.CryptoHasher("sha256").update(requestId).digest("hex");

/**
 * What operators ask of processes that write a journal: to put a record aside that they can't bring into the database. Whoever
 * has the record does so before it tries again.
 */
export class SetAsideOrders {
  readonly #directory: string;

  constructor(root: string) {
    this.#directory = join(root, DIRECTORY);
  }

  async add(requestId: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#directory, nameOf(requestId)), "", { mode: 0o600 });
  }

  isOpen(requestId: string): boolean {
    return existsSync(join(this.#directory, nameOf(requestId)));
  }

  /** The record was put aside, or need not be any more. */
  async remove(requestId: string): Promise<void> {
    await rm(join(this.#directory, nameOf(requestId)), { force: true });
  }

  /** Tells the records that are to be put aside by their texts; null: there is none. */
  async find(): Promise<((text: string) => boolean) | null> {
    const names = new Set(existsSync(this.#directory) ? await readdir(this.#directory) : []);
    if (names.size === 0) return null;
    return (text) => {
      const record = tryReadRecord(text);
      return record !== null && names.has(nameOf(record.requestId));
    };
  }
}
