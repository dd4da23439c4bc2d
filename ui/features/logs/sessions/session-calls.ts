import { queryOptions } from "@tanstack/react-query";
import type { SessionCall, SessionView } from "../../../../src/domain/logs/sessions/read-sessions.ts";
import type { AgentNode } from "../../../../src/domain/logs/sessions/session-tree.ts";
import { readData } from "../../../api/client.ts";
import { agentSessionApi } from "../../../api/groups.ts";

export type { AgentNode, SessionCall, SessionView };

/** Whose sessions: everybody's, or one's own. */
export type SessionScope = "all" | "self";

/** Which session of which user. */
export type SessionKey = Readonly<{ id: string; userId: number }>;

const REFRESH_MS = 10_000;

export const sessionList = (scope: SessionScope, search: string) =>
  queryOptions({
    queryKey: ["agent-sessions", scope, search],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }): Promise<readonly SessionView[]> => {
      const options = { query: { search }, fetch: { signal } };
      return readData(scope === "all" ? agentSessionApi.get(options) : agentSessionApi.self.get(options));
    },
  });

export const sessionDetail = (scope: SessionScope, { id, userId }: SessionKey) =>
  queryOptions({
    queryKey: ["agent-sessions", "one", scope, userId, id],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      scope === "all"
        ? readData(agentSessionApi.one.get({ query: { id, user_id: userId }, fetch: { signal } }))
        : readData(agentSessionApi.self.one.get({ query: { id }, fetch: { signal } })),
  });
