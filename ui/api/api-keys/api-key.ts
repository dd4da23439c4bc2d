import { queryOptions } from "@tanstack/react-query";
import type { ListedApiKey } from "../../../src/domain/api-keys/list-api-keys.ts";
import { readData, readEnvelope } from "../client.ts";
import { groupApi, tokenApi } from "../groups.ts";

/** An API key as returned by the calls of `/api/token/`, of which only `GET` has `leak` and `rotation`; `key` lacks the `sk-` prefix. */
export type Token = ListedApiKey;

export const ENABLED = 1;
export const DISABLED = 2;
export const EXPIRED = 3;
export const EXHAUSTED = 4;
export const NEVER = -1;

/** The key as clients send it. */
export const fullKey = (token: Pick<Token, "key">): string => `sk-${token.key.replace(/^sk-/, "")}`;

/** The masked key. */
export const maskedKey = (token: Pick<Token, "key">): string => {
  const key = fullKey(token);
  return key.length <= 12 ? `${key.slice(0, 5)}…` : `${key.slice(0, 7)}…${key.slice(-4)}`;
};

/** The effective status: a key past its expiry counts as expired before the server updates it. */
export function effectiveStatus(token: Token, nowSeconds: number): number {
  if (token.status !== ENABLED) return token.status;
  if (token.expired_time !== NEVER && token.expired_time <= nowSeconds) return EXPIRED;
  if (!token.unlimited_quota && token.remain_quota <= 0) return EXHAUSTED;
  return ENABLED;
}

/** Days before a rotation is due from which on the list warns of it. */
const ROTATION_WARNING_DAYS = 14;

/** Whether a policy refuses the key's secret, or will soon; null: neither. */
export function rotationState({ rotation }: Token, nowSeconds: number): "overdue" | "soon" | null {
  if (!rotation || rotation.due > nowSeconds + ROTATION_WARNING_DAYS * 86_400) return null;
  return rotation.due <= nowSeconds ? "overdue" : "soon";
}

type TokenQuery = Readonly<{
  keyword?: string | undefined;
  /** A full API key. */
  token?: string | undefined;
  status?: number | undefined;
  group?: string | undefined;
  project_id?: number | undefined;
  sort?: string | undefined;
  order?: string | undefined;
  /** Zero-based. */
  page: number;
  pageSize: number;
}>;

export type ApiKeyPage = Readonly<{ items: Token[]; total: number }>;

/** Cache key of API key lists. */
export const TOKENS_KEY = ["tokens"] as const;

/** Reads a page of the keys. */
export async function readTokens({ page, pageSize, ...filters }: TokenQuery, signal: AbortSignal): Promise<ApiKeyPage> {
  const query = { ...filters, p: page, page_size: pageSize };
  const answer = await readEnvelope(tokenApi.get({ query, fetch: { signal } }));
  return { items: answer.data, total: answer.total };
}

export const tokenPage = (query: TokenQuery) =>
  queryOptions({
    queryKey: [...TOKENS_KEY, "page", query],
    queryFn: ({ signal }) => readTokens(query, signal),
  });

const REFERENCE_STALE_MS = 60_000;

export const usableModels = queryOptions({
  queryKey: ["usable-models"],
  queryFn: ({ signal }) => readData(groupApi.user.models.get({ fetch: { signal } })),
  staleTime: REFERENCE_STALE_MS,
});

/** Group → its description and price ratio. */
type UsableGroups = Readonly<Record<string, { desc: string; ratio: number }>>;

export const usableGroups = queryOptions({
  queryKey: ["usable-groups"],
  queryFn: ({ signal }): Promise<UsableGroups> => readData(groupApi.user.self.groups.get({ fetch: { signal } })),
  staleTime: REFERENCE_STALE_MS,
});
