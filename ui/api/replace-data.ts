import type { DataTag, QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Puts the response to a change in the place of what a query has. Reads that are under way began before the change: what they
 * bring is older, so they are dropped.
 */
export async function replaceData<Data>(
  client: QueryClient,
  queryKey: DataTag<QueryKey, Data, Error>,
  data: NoInfer<Data>,
): Promise<void> {
  await client.cancelQueries({ queryKey, exact: true });
  client.setQueryData<Data>(queryKey, data);
}

/**
 * Changes what a list has read, in each of its pages: to show a change before the server has made it, or after. Reads that are
 * under way are dropped, which could bring what was before.
 */
export async function changePages<Page>(
  client: QueryClient,
  queryKey: QueryKey,
  change: (page: Page) => Page,
): Promise<void> {
  await client.cancelQueries({ queryKey });
  client.setQueriesData<Page>({ queryKey }, (page) => page && change(page));
}
