import { QueryClient } from "@tanstack/react-query";
import { onLanguageSwitch } from "../state/i18n.ts";
import { announceWait, retryDelayMs, shouldRetry } from "./retry.ts";

/** Creates the cache of what pages read. Retries network failures and rate limits; never writes, and not what the server rejects. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { staleTime: 10_000, refetchOnWindowFocus: false, retry: shouldRetry, retryDelay: retryDelayMs },
    },
  });
  client.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "failed") announceWait(event.action.error);
  });
  // Some responses contain text in the request's language.
  onLanguageSwitch(() => void client.invalidateQueries());
  client.mount();
  return client;
}
