/** What a client wants of a cache, as HTTP says it. */
export type Wish = Readonly<{ noStore: boolean; noCache: boolean; onlyIfCached: boolean; maxAge: number }>;

const ANY: Wish = { noStore: false, noCache: false, onlyIfCached: false, maxAge: Number.POSITIVE_INFINITY };

/** Reads `Cache-Control` (RFC 9111, 5.2.1); what is not known has no effect. */
export function readWish(header: string | null): Wish {
  if (!header) return ANY;
  const words = header
    .toLowerCase()
    .split(",")
    .map((word) => word.trim());
  const maxAge = words.map((word) => /^max-age="?(\d+)"?$/.exec(word)?.[1]).find((seconds) => seconds !== undefined);
  return {
    noStore: words.includes("no-store"),
    noCache: words.includes("no-cache"),
    onlyIfCached: words.includes("only-if-cached"),
    maxAge: maxAge === undefined ? ANY.maxAge : Number(maxAge),
  };
}
