import { type Column, gt, type SQL } from "drizzle-orm";
import type { Logger } from "../../runtime/log.ts";
import { createSerial } from "../../runtime/serial.ts";
import { isOneOf } from "../sql-text.ts";

type Row = Readonly<{ id: number }>;

/** A copy of a table in memory. */
export type TableCopy<Entry extends Row> = {
  readonly size: number;
  put(entry: Entry): void;
  remove(id: number): void;
  /** Begins a full reading, whose entries are `seen`; the others are missing at its end. */
  beginSweep(): Sweep;
  /** Several entries were put or removed. */
  applied?(): void;
  /** So many entries are about to come. */
  reserve?(rows: number): void;
};

/** Takes over the pages of a reading, of which about so many rows are to be expected. */
export type PageReader<Entry> = Readonly<{
  take: (page: readonly Entry[]) => void;
  expect: (rows: number) => void;
  /** To be waited for after each page: a reading in the background leaves half of the time to calls and lists. */
  rest: () => Promise<void>;
}>;

type Sweep = Readonly<{ seen: (id: number) => void; missing: () => ReadonlySet<number> }>;

/** Which rows to read: these, or so many with higher ids, in the order of ids. */
export type Selection = Readonly<{ ids: readonly number[] } | { after: number; limit: number }>;

/** A condition, and the most rows that meet it and are read. */
export type RowQuery = Readonly<{ where: SQL; limit: number }>;

/** The query of a selection; `id`: the table's column of ids. */
export const queryOf = (selection: Selection, id: Column): RowQuery =>
  "ids" in selection
    ? { where: isOneOf(id, selection.ids), limit: selection.ids.length }
    : { where: gt(id, selection.after), limit: selection.limit };

type Source<Entry extends Row, Topic extends string> = Readonly<{
  changes: Readonly<{
    subscribe: (topic: Topic, handler: (ids: readonly (number | string)[]) => Promise<void>) => () => void;
    onGap: (handler: () => Promise<void>) => () => void;
  }>;
  topic: Topic;
  log: Logger;
  read: (selection: Selection) => Promise<readonly Entry[]>;
  /** Hands over all rows once, page by page, in any order: a faster first reading than by id. */
  readAll?: (reader: PageReader<Entry>) => Promise<void>;
  /** Rows a query: short enough queries not to hold up anybody else on the embedded engine. */
  pageRows: number;
  /** How the regular reading goes about a large table; by default as after a gap. */
  aside?: Pace;
  /** The first reading goes on in the background after so long; by default it is waited for. */
  patienceMs?: number | undefined;
  /** Runs first readings of several tables one after the other. */
  inTurn?: ((reading: () => Promise<void>) => Promise<void>) | undefined;
}>;

/** Rows a query, and the rest between two of them. */
type Pace = Readonly<{ rows: number; pauseMs: number }>;
/** So little at a time that calls don't notice, also where there are a million rows. */
export const ASIDE: Pace = { rows: 200, pauseMs: 10 };

/** A safety net: changes arrive by events. */
const REREAD_MS = 300_000;
const RETRY_MS = 1000;
const LONGEST_REST_MS = 100;
const MANY = 5000;

/**
 * Fills a copy of a table and keeps it current: rows are read again after events, and all of them after a gap in the events
 * and every five minutes. A reading that misses far more than changes is doubted, see `findRemoved`. `readNow` reads some rows
 * between such readings; `isComplete`: the first reading is over. Rejects when it fails before the patience for it ends.
 */
export async function keepTable<Entry extends Row, Topic extends string>(
  {
    changes,
    topic,
    log,
    read,
    readAll,
    pageRows,
    aside = { rows: pageRows, pauseMs: 0 },
    patienceMs,
    inTurn = (reading) => reading(),
  }: Source<Entry, Topic>,
  copy: TableCopy<Entry>,
) {
  const inOrder = createSerial();
  let isClosed = false;
  let isRereading = false;
  let isInBackground = false;
  /** Read by themselves since the first reading began, which may know them as they were before; null: it is over. */
  let newer: Set<number> | null = new Set();

  const take = (entries: readonly Entry[], removed: Iterable<number>) => {
    for (const id of removed) {
      copy.remove(id);
      newer?.add(id);
    }
    for (const entry of entries) {
      copy.put(entry);
      newer?.add(entry.id);
    }
    copy.applied?.();
  };
  const takeFirst = (entries: readonly Entry[]) => {
    for (const entry of entries) if (!newer?.has(entry.id)) copy.put(entry);
    copy.applied?.();
  };
  const refresh = (ids: readonly number[]) =>
    inOrder(async () => {
      const entries = await read({ ids });
      const found = new Set(entries.map(({ id }) => id));
      take(
        entries,
        ids.filter((id) => !found.has(id)),
      );
    });
  const readNow = (readSome: () => Promise<readonly Entry[]>) => inOrder(async () => take(await readSome(), []));
  const readMissing = async ({ rows, pauseMs }: Pace): Promise<ReadonlySet<number>> => {
    const sweep = copy.beginSweep();
    for (let after = 0; ; ) {
      const entries = await inOrder(async () => {
        const page = await read({ after, limit: rows });
        take(page, []);
        return page;
      });
      for (const { id } of entries) sweep.seen(id);
      const last = entries.at(-1);
      if (!last || entries.length < rows) return sweep.missing();
      after = last.id;
      if (pauseMs > 0) await Bun.sleep(pauseMs);
      if (isClosed) return new Set();
    }
  };
  const reread = async (pace: Pace) => {
    isRereading = true;
    try {
      const removed = await findRemoved(
        () => readMissing(pace),
        () => copy.size,
        topic,
        log,
      );
      take([], removed);
    } catch (error) {
      log.warn({ error }, `${topic} could not be read again`);
    } finally {
      isRereading = false;
      if (copy.size > MANY) Bun.gc(false);
    }
  };

  const readById = async (rest: () => Promise<void>) => {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: readonly Entry[] = await read({ after, limit: pageRows });
      takeFirst(page);
      await rest();
      after = page.length < pageRows ? undefined : page.at(-1)?.id;
    }
  };
  const createRest = () => {
    let began = performance.now();
    return async () => {
      if (isInBackground) await Bun.sleep(Math.min(performance.now() - began, LONGEST_REST_MS));
      began = performance.now();
    };
  };
  const readFirst = () =>
    inTurn(async () => {
      const rest = createRest();
      if (readAll) await readAll({ take: takeFirst, expect: (rows) => copy.reserve?.(rows), rest });
      else await readById(rest);
      newer = null;
      // Else what the reading has left behind stays as long as nothing else needs memory.
      if (copy.size > MANY) Bun.gc(true);
    });
  const first = readFirst();
  const untilComplete = async (reading: Promise<void>): Promise<void> => {
    for (let current = reading; !isClosed; current = readFirst()) {
      try {
        return await current;
      } catch (error) {
        log.warn({ error }, `${topic} could not be read`);
        await Bun.sleep(RETRY_MS);
      }
    }
  };
  let complete: Promise<void> = first;
  // Subscribed before anything was read: what changes meanwhile is read again, and the first reading is older then.
  const unsubscribe = [
    changes.subscribe(topic, (ids) => refresh(ids.map(Number).filter(Number.isSafeInteger))),
    changes.onGap(async () => {
      await complete;
      await reread({ rows: pageRows, pauseMs: 0 });
    }),
  ];
  try {
    await (patienceMs === undefined ? first : within(patienceMs, first));
  } catch (error) {
    for (const end of unsubscribe) end();
    throw error;
  }
  isInBackground = true;
  if (newer) complete = untilComplete(first);
  const timer = setInterval(() => newer || isRereading || void reread(aside), REREAD_MS);
  timer.unref();
  return {
    refresh,
    readNow,
    isComplete: () => newer === null,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const end of unsubscribe) end();
    },
  };
}

/** Waits for work, at most so long; rejects as it does. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}

/** What follows a copy. */
type Follower<Entry> = Readonly<{
  add?: (entry: Entry) => void;
  remove?: (entry: Entry) => void;
  /** Several entries were added or removed. */
  applied?: () => void;
}>;

/** A copy that is a map by id. */
export class MapCopy<Entry extends Row> implements TableCopy<Entry> {
  readonly byId = new Map<number, Entry>();

  constructor(private readonly follower: Follower<Entry>) {}

  get size(): number {
    return this.byId.size;
  }

  put(entry: Entry): void {
    this.remove(entry.id);
    this.byId.set(entry.id, entry);
    this.follower.add?.(entry);
  }

  remove(id: number): void {
    const known = this.byId.get(id);
    if (!known) return;
    this.follower.remove?.(known);
    this.byId.delete(id);
  }

  applied(): void {
    this.follower.applied?.();
  }

  beginSweep(): Sweep {
    const unseen = new Set(this.byId.keys());
    return { seen: (id) => unseen.delete(id), missing: () => unseen };
  }
}

/** Changes arrive by events, so a full reading misses few entries: so many, or this share, is no cause for doubt. */
const FEW = 10;
const SMALL_SHARE = 0.05;

/**
 * Finds the entries that are in memory and no longer in the database. `read` reads everything once and answers the entries
 * it did not meet. A reading that misses all of them, or far more than changes between two readings, is more likely to be
 * cut short than true: it is logged and repeated, and only what both missed counts as removed.
 */
export async function findRemoved<Id>(
  read: () => Promise<ReadonlySet<Id>>,
  known: () => number,
  name: string,
  log: Logger,
): Promise<Iterable<Id>> {
  const before = known();
  const missing = await read();
  const isUsual = missing.size <= Math.max(FEW, before * SMALL_SHARE) && missing.size < before;
  if (missing.size === 0 || isUsual) return missing;
  log.warn({ missing: missing.size, known: before }, `${name}: far more is missing than expected, reading again`);
  const again = await read();
  return [...again].filter((id) => missing.has(id));
}
