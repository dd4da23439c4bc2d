import { queryOptions } from "@tanstack/react-query";
import type { Book, BookSlice, Discrepancy } from "../../../src/billing/check-ledger/check-ledger.ts";
import { readData } from "../../api/client.ts";
import { bookApi } from "../../api/groups.ts";

/** Which books there are, and what calls cost beyond balances (quota units). */
export const booksOverview = queryOptions({
  queryKey: ["books"],
  queryFn: ({ signal }) => readData(bookApi.get({ fetch: { signal } })),
});

/** How far the check of a book is. */
export type Progress = Readonly<{ checked: number; wrong: readonly Discrepancy[]; isDone: boolean }>;

/** Checks a book slice by slice and tells after each how far it is. Rejects ApiError, also when `signal` stops it. */
export async function checkBook(book: Book, onProgress: (progress: Progress) => void, signal: AbortSignal) {
  let checked = 0;
  const wrong: Discrepancy[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const slice: BookSlice = await readData(bookApi({ book }).get({ query: { after }, fetch: { signal } }));
    checked += slice.checked;
    wrong.push(...slice.wrong);
    after = slice.next;
    onProgress({ checked, wrong: [...wrong], isDone: after === null });
  }
}
