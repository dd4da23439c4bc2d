import { queryOptions } from "@tanstack/react-query";
import { readData } from "../client.ts";
import { dataApi } from "../groups.ts";

/** Whose pace: the account's that the user acts for, one of its API keys, or any user, for administrators. */
export type PaceOf = "account" | "key" | "user";

type Batch = Readonly<{ ids: Set<number>; read: Promise<Readonly<Record<number, number>>> }>;
const batches = new Map<PaceOf, Batch>();

const PACE_STALE_MS = 300_000;

/** Quota units of an average day of the last seven; 0: nothing was spent. Those of a list's rows are read in one call. */
export const paceOf = (kind: PaceOf, id: number) =>
  queryOptions({
    queryKey: ["data", "pace", kind, id],
    queryFn: async () => {
      const paces = await join(kind, id);
      return (kind === "account" ? Object.values(paces)[0] : paces[id]) ?? 0;
    },
    staleTime: PACE_STALE_MS,
  });

function join(kind: PaceOf, id: number): Batch["read"] {
  const open = batches.get(kind);
  if (open) {
    open.ids.add(id);
    return open.read;
  }
  const ids = new Set([id]);
  // The rows that are rendered together ask within one task.
  const read = new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
    batches.delete(kind);
    const list = [...ids].join(",");
    if (kind === "user") return readData(dataApi.pace.get({ query: { ids: list } }));
    return readData(dataApi.self.pace.get({ query: kind === "key" ? { keys: list } : {} }));
  });
  batches.set(kind, { ids, read });
  return read;
}
