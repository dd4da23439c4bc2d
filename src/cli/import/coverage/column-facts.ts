/** Columns by what becomes of them; names are separated by spaces. */
export type ColumnFacts = Readonly<{
  /** They come over as they are. */
  taken: string;
  /** They come over changed: how. */
  converted?: Readonly<Record<string, string>>;
  /** They don't come over: why. */
  leftOut?: Readonly<Record<string, string>>;
}>;

/** What becomes of a table; a text: it is left out, because. */
type TableFacts = ColumnFacts | string;

/** What becomes of each table of a gateway. */
export type SourceFacts = Readonly<Record<string, TableFacts>>;

/** What becomes of a column. `because` is empty for those that come over as they are. */
type ColumnFate = Readonly<{ fate: "taken" | "converted" | "left out"; because: string }>;

const readByFacts = new WeakMap<ColumnFacts, ReadonlyMap<string, ColumnFate>>();

/** The columns of a table, in lower case, with what becomes of each. */
export function fatesOf(facts: ColumnFacts): ReadonlyMap<string, ColumnFate> {
  const known = readByFacts.get(facts);
  if (known) return known;
  const listed = (fate: ColumnFate["fate"], reasons: Readonly<Record<string, string>> = {}) =>
    Object.entries(reasons).flatMap(([names, because]) =>
      namesIn(names).map((name) => [name, { fate, because }] as const),
    );
  const fates = new Map<string, ColumnFate>([
    ...namesIn(facts.taken).map((name) => [name, { fate: "taken", because: "" }] as const),
    ...listed("converted", facts.converted),
    ...listed("left out", facts.leftOut),
  ]);
  readByFacts.set(facts, fates);
  return fates;
}

const namesIn = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);
