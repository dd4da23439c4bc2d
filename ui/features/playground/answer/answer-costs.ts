import { useQueries } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { logApi } from "../../../api/groups.ts";
import type { Answer } from "../chat/chat.ts";

/** The log row is written shortly after the answer, or, if it was stopped, after the upstream has reported its usage. */
const LOG_DELAY_MS = 800;
const LONGEST_DELAY_MS = 5000;
const MOST_LOOKS = 20;

/** What each answer cost with all of its calls, by the log, in quota units; null while that is not known. */
export function useAnswerCosts(answers: readonly Answer[]): readonly (number | null)[] {
  return useQueries({
    queries: answers.map((answer) => {
      const ids = [...answer.steps, answer].map(({ requestId }) => requestId).filter((id) => id !== "");
      return {
        queryKey: ["playground-cost", ...ids],
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const costs = await Promise.all(ids.map((id) => costOf(id, signal)));
          return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
        },
        enabled: ids.length > 0 && answer.totalMs > 0,
        staleTime: Number.POSITIVE_INFINITY,
        refetchInterval: ({ state }: { state: { data: number | null | undefined; dataUpdateCount: number } }) =>
          typeof state.data === "number" || state.dataUpdateCount >= MOST_LOOKS
            ? (false as const)
            : Math.min(LOG_DELAY_MS * state.dataUpdateCount, LONGEST_DELAY_MS),
      };
    }),
    combine: (results) => results.map(({ data }) => data ?? null),
  });
}

async function costOf(requestId: string, signal: AbortSignal): Promise<number | null> {
  const query = { request_id: requestId, p: 1, page_size: 1 };
  const { items } = await readData(logApi.self.get({ query, fetch: { signal } }));
  return items[0]?.quota ?? null;
}

/** Below this the difference says nothing. */
const LEAST_FACTOR = 1.05;

/**
 * How many times less each answer cost than the most expensive one next to it; null where it is that one, about the same, free, or not yet
 * known.
 */
export function cheaperBy(costs: readonly (number | null)[]): readonly (number | null)[] {
  if (costs.length < 2 || costs.some((cost) => cost === null)) return costs.map(() => null);
  const most = Math.max(...costs.map((cost) => cost ?? 0));
  return costs.map((cost) => (cost && most / cost >= LEAST_FACTOR ? most / cost : null));
}
