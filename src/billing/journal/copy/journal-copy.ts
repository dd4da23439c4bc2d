import type { Logger } from "../../../lib/runtime/log.ts";
import type { Journal, JournalCursor } from "../journal.ts";
import { entryOf, FIELD, indexKey, numberOf, RedisLink, readEntries, streamKey } from "./stream.ts";

/** More than this on its way means that Redis is too slow to follow: memory must not grow with it. */
const MOST_IN_FLIGHT_CHARACTERS = 8 * 1024 * 1024;
const SILENT_AFTER_MS = 5000;
const WATCH_MS = 1000;
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5000;
/** A start waits no longer for Redis. */
const START_WAIT_MS = 3000;
const CHUNK_RECORDS = 1000;
const CHUNK_BYTES = 256 * 1024;
/** Redis says so of an id that it was sent before. */
const KNOWN_ID = /equal or smaller/;

type Parts = Readonly<{ url: string; database: string; processId: string; journal: Journal; log: Logger }>;

/** `complete`: what is in the journal and not in the database is in Redis too, but for the last moments. */
export type CopyState = "none" | "complete" | "behind";

/**
 * Keeps a copy in Redis of what the journal has and the database has not, so that another process can charge it when this
 * one dies and its disk is lost. Calls never wait for it: records are sent just before they are written to the file, and
 * where Redis is away, slow or full the copy falls behind and catches up from the journal as soon as Redis takes entries
 * again.
 */
export class JournalCopy {
  readonly #key: string;
  #link: RedisLink | null = null;
  #isLive = false;
  #isClosed = false;
  #inFlight = 0;
  #answeredAt = 0;
  #failures = 0;
  /** The number of the last record that Redis has confirmed. */
  #reached = 0;
  readonly #watch: Timer;
  #retry: Timer | null = null;
  readonly #started: Promise<void>;

  constructor(private readonly parts: Parts) {
    this.#key = streamKey(parts.database, parts.processId);
    parts.journal.observe({
      appended: (texts, last) => this.#send(texts, last),
      committed: (last) => this.#trim(last),
    });
    this.#watch = setInterval(() => this.#checkSilence(), WATCH_MS);
    this.#watch.unref();
    this.#started = this.#catchUp();
  }

  /**
   * Resolves when Redis follows, or does not for now; after a few seconds at most. Calls that are taken before would have
   * their charges on this disk alone.
   */
  async started(): Promise<void> {
    await Promise.race([this.#started, Bun.sleep(START_WAIT_MS)]);
  }

  get state(): CopyState {
    return this.#isLive ? "complete" : "behind";
  }

  /** The number of the last record up to which Redis has all that the database has not; 0: that is not known. */
  get reached(): number {
    return this.#isLive ? this.#reached : 0;
  }

  /** Ends the copy; `isEmpty`: everything is in the database, so that nothing of it stays in Redis. */
  async close(isEmpty: boolean): Promise<void> {
    const link = this.#link;
    this.#isClosed = true;
    this.#isLive = false;
    clearInterval(this.#watch);
    if (this.#retry) clearTimeout(this.#retry);
    const { database, processId } = this.parts;
    try {
      if (!isEmpty || !link) return;
      await link.ask("DEL", this.#key);
      await link.ask("SREM", indexKey(database), processId);
    } catch (error) {
      this.parts.log.warn({ error }, "the journal's copy stays in redis until another process removes it");
    } finally {
      link?.close();
    }
  }

  #send(texts: readonly string[], last: number): void {
    if (!this.#isLive) return;
    if (this.#inFlight > MOST_IN_FLIGHT_CHARACTERS) {
      this.#fallBehind(new Error("Redis takes records more slowly than they come"));
      return;
    }
    const entry = entryOf(this.#key, texts, last);
    this.#count("XADD", entry, entry.at(-1)?.length ?? 0, last);
  }

  #trim(last: number): void {
    if (this.#isLive) this.#count("XTRIM", [this.#key, "MINID", `${last + 1}-0`], 1);
  }

  /** `last`: the number of the last record that it brings. */
  #count(command: string, args: string[], size: number, last = 0): void {
    const link = this.#link;
    if (!link) return;
    if (this.#inFlight === 0) this.#answeredAt = performance.now();
    this.#inFlight += size;
    link.send(command, args).then(
      (answer) => {
        if (link !== this.#link) return;
        this.#inFlight -= size;
        this.#answeredAt = performance.now();
        this.#reached = Math.max(this.#reached, last);
        if (answer === null) this.#fallBehind(new Error("Redis has lost the stream"));
      },
      (error: Error) => {
        if (link === this.#link) this.#fallBehind(error);
      },
    );
  }

  #checkSilence(): void {
    if (!this.#isLive || this.#inFlight === 0) return;
    if (performance.now() - this.#answeredAt > SILENT_AFTER_MS) this.#fallBehind(new Error("Redis does not answer"));
  }

  #fallBehind(error: unknown): void {
    const link = this.#link;
    this.#link = null;
    this.#isLive = false;
    this.#inFlight = 0;
    link?.close();
    if (this.#isClosed) return;
    if (this.#failures === 0) {
      this.parts.log.warn(
        { error },
        "redis does not take the journal's copy: unwritten charges are on this disk alone",
      );
    }
    const pauseMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures++;
    this.#retry = setTimeout(() => void this.#catchUp(), pauseMs);
    this.#retry.unref();
  }

  /** Brings the stream to where the journal is, then follows it. */
  async #catchUp(): Promise<void> {
    const { url, database, processId, journal, log } = this.parts;
    const link = new RedisLink({ url, key: this.#key }, (reason) => {
      if (link === this.#link) this.#fallBehind(reason);
    });
    this.#link = link;
    try {
      await link.connect();
      await link.ask("SADD", indexKey(database), processId);
      const cursor: JournalCursor = { index: Math.max(journal.committedRecords, await this.#lastNumber(link)) };
      for (;;) {
        const texts = journal.readAfter(cursor, CHUNK_RECORDS, CHUNK_BYTES);
        if (this.#isClosed || link !== this.#link) return;
        if (texts.length === 0) break;
        const known = (error: Error) => {
          if (!KNOWN_ID.test(error.message)) throw error;
          return "";
        };
        const id = await link.ask("XADD", ...entryOf(this.#key, texts, cursor.index)).catch(known);
        if (id === null) throw new Error("Redis has lost the stream");
      }
      // Not a turn later: what is appended from now on is sent by itself.
      this.#isLive = true;
      this.#reached = cursor.index;
      if (this.#failures > 0) log.info("redis takes the journal's copy again: it is complete");
      this.#failures = 0;
      this.#trim(journal.committedRecords);
    } catch (error) {
      if (link === this.#link) this.#fallBehind(error);
    }
  }

  /**
   * The number up to which the stream has what was sent; 0 when it lost everything. Redis forgets a stream as a whole, or
   * goes back to an earlier state of it: what lies before its last entry is there, or was taken.
   */
  async #lastNumber(link: RedisLink): Promise<number> {
    const [last] = readEntries(await link.ask("XREVRANGE", this.#key, "+", "-", "COUNT", "1"));
    if (last) return numberOf(last.id);
    // An empty stream that exists says that nothing was lost, even when its process has died.
    if ((await link.ask("EXISTS", this.#key)) === 0) {
      await link.ask("XADD", this.#key, "0-1", FIELD, "");
    }
    return 0;
  }
}
