/** Where the gateway listens, where its upstream does, and what you know of it. */
export type Site = Readonly<{
  url: string;
  upstreamUrl: string;
  /** Of an administrator; empty: the adapter needs none. */
  adminKey: string;
  /** The key and the model of the calls; empty: the adapter makes them. */
  key: string;
  model: string;
}>;

/** How calls are made. */
export type Target = Readonly<{ path: string; headers: Readonly<Record<string, string>>; model: string }>;

/** What the gateway says of the calls so far, in its own unit of money. */
export type Counted = Readonly<{
  /** Rows of its log that are charged calls. */
  rows: number;
  /** Their charges. */
  charged: number;
  /** What the account or the key has spent; null: it does not say. */
  spent: number | null;
  /** Rows of each call by its id (`idOf`); null: rows have none. */
  rowsById: ReadonlyMap<string, number> | null;
}>;

/** What the kill test needs to know of a gateway. */
export type Adapter = Readonly<{
  /** Answers 2xx when it takes calls. */
  readyPath: string;
  /** Makes what calls need, on a gateway that is ready for the first time. */
  prepare(site: Site): Promise<Target>;
  /** The id of a call that its log has too; null: none. */
  idOf(headers: Headers, body: string): string | null;
  /** Reads the log and the account. Calls and charges of before count too: begin with a fresh installation. */
  count(site: Site, target: Target): Promise<Counted>;
}>;

/** Reads JSON of a management API. Throws for anything but 2xx. */
export async function readJson(url: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

/** A member of an object of another program, or of one inside it; undefined: it has none. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.entries(found).find(([key]) => key === name)?.[1];
  }
  return found;
}

/** The rows of a list; empty: it is none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** How often each id is among these. */
export function countIds(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
