import { Pump, type RecordSink } from "../pump.ts";
import type { SegmentLine } from "../segments/segment.ts";
import { indexKey, numberOf, RedisLink, readEntries, streamKey } from "./stream.ts";

const ENTRIES_A_PAGE = 100;

/** What was found of a process that died: `taken`: its copy was there and is in the database; `missing`: there was none. */
export type CopyResult = "taken" | "missing";

/** The copies that processes of this database have in Redis, for those who outlive them. */
export class JournalCopies {
  #link: RedisLink | null = null;

  constructor(private readonly parts: Readonly<{ url: string; database: string }>) {}

  /** Processes that have a copy. Rejects when Redis does not answer. */
  async list(): Promise<string[]> {
    const answer = await this.#ask("SMEMBERS", indexKey(this.parts.database));
    return Array.isArray(answer) ? answer.filter((id): id is string => typeof id === "string") : [];
  }

  /**
   * Brings the copy of a process into the database. What was brought there is trimmed; the stream itself stays until
   * `forget`. Rejects when Redis or the database does not answer: then what was not trimmed is taken the next time.
   */
  async take(processId: string, sink: RecordSink): Promise<CopyResult> {
    const key = streamKey(this.parts.database, processId);
    if ((await this.#ask("EXISTS", key)) === 0) return "missing";
    for (;;) {
      const entries = readEntries(await this.#ask("XRANGE", key, "-", "+", "COUNT", String(ENTRIES_A_PAGE)));
      const last = entries.at(-1);
      if (!last) return "taken";
      const pump = new Pump(sourceOf(entries.flatMap(({ texts }) => texts)), sink);
      while (await pump.step());
      await this.#ask("XTRIM", key, "MINID", `${numberOf(last.id) + 1}-0`);
    }
  }

  /** Removes the copy of a process that has ended, unless it has been given records since. */
  async forget(processId: string): Promise<void> {
    const { database } = this.parts;
    const key = streamKey(database, processId);
    if (Number(await this.#ask("XLEN", key)) > 0) return;
    await this.#ask("DEL", key);
    await this.#ask("SREM", indexKey(database), processId);
  }

  close(): void {
    this.#link?.close();
    this.#link = null;
  }

  async #ask(command: string, ...args: string[]): Promise<unknown> {
    try {
      if (!this.#link) {
        const { url, database } = this.parts;
        const link = new RedisLink({ url, key: indexKey(database) }, () => {
          if (this.#link === link) this.#link = null;
        });
        this.#link = link;
        await link.connect();
      }
      return await this.#link.ask(command, ...args);
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

function sourceOf(texts: readonly string[]) {
  let lines: SegmentLine[] = texts.map((text, index) => ({ text, end: index + 1 }));
  return {
    read: (mostRecords: number) => lines.slice(0, mostRecords),
    commit: (done: readonly SegmentLine[]) => {
      lines = lines.slice(done.length);
    },
  };
}
