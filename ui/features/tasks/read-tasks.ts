import { request } from "../../api/client.ts";

/** A page of a list of tasks; `page` counts from 0. */
export async function readTasks<T>(
  path: string,
  { page, pageSize }: Readonly<{ page: number; pageSize: number }>,
  signal: AbortSignal,
  filters: Readonly<Record<string, string | undefined>>,
): Promise<{ items: T[]; total: number }> {
  const query = { ...filters, p: page, page_size: pageSize };
  const { data, total } = await request<T[], { total: number }>(path, { query, signal });
  return { items: data, total };
}
