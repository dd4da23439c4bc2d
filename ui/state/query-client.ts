import type { QueryClient } from "@tanstack/react-query";
import { atom, getDefaultStore } from "jotai";

/** The cache of what pages read; undefined until the first page that needs it is loaded: the sign-in page doesn't. */
export const queryClientAtom = atom<QueryClient | undefined>(undefined);

let starting: Promise<void> | undefined;

/** Loads a module whose components read through the cache, and the cache. Rejects when a file is missing. */
export async function withQueries<Module>(loading: Promise<Module>): Promise<Module> {
  starting ??= start().catch((error) => {
    starting = undefined;
    throw error;
  });
  const [loaded] = await Promise.all([loading, starting]);
  return loaded;
}

async function start(): Promise<void> {
  const { createQueryClient } = await import("../api/queries.ts");
  getDefaultStore().set(queryClientAtom, createQueryClient());
}
