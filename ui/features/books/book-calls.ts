import { queryOptions } from "@tanstack/react-query";
import type { Book, BookSlice, Discrepancy } from "../../../src/billing/books/check-books.ts";
import { request } from "../../api/client.ts";

/** Which books there are, and what calls cost beyond balances (quota units). */
export const booksOverview = queryOptions({
  queryKey: ["books"],
  queryFn: async ({ signal }) =>
    (await request<{ books: readonly Book[]; uncovered: number }>("/api/books/", { signal })).data,
});

/** How far the check of a book is. */
export type Progress = Readonly<{ checked: number; wrong: readonly Discrepancy[]; isDone: boolean }>;

/** Checks a book slice by slice and tells after each how far it is. Rejects ApiError, also when `signal` stops it. */
export async function checkBook(book: Book, onProgress: (progress: Progress) => void, signal: AbortSignal) {
  let checked = 0;
  const wrong: Discrepancy[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { data }: { data: BookSlice } = await request<BookSlice>(`/api/books/${book}`, { query: { after }, signal });
    checked += data.checked;
    wrong.push(...data.wrong);
    after = data.next;
    onProgress({ checked, wrong: [...wrong], isDone: after === null });
  }
}
