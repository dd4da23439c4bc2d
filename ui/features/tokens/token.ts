import type { TokenView } from "../../../src/domain/api-keys/api-key-view.ts";

/** An API key as `GET /api/token/` answers it; `key` comes without its `sk-`. */
export type Token = TokenView;

export const ENABLED = 1;
export const DISABLED = 2;
export const EXPIRED = 3;
export const EXHAUSTED = 4;
export const NEVER = -1;

/** The key as programs send it. */
export const fullKey = (token: Pick<Token, "key">): string => `sk-${token.key.replace(/^sk-/, "")}`;

/** The key as a list shows it. */
export const maskedKey = (token: Pick<Token, "key">): string => {
  const key = fullKey(token);
  return key.length <= 12 ? `${key.slice(0, 5)}…` : `${key.slice(0, 7)}…${key.slice(-4)}`;
};

/** The status to show: a key whose time has come is expired before the server notices. */
export function effectiveStatus(token: Token, nowSeconds: number): number {
  if (token.status !== ENABLED) return token.status;
  if (token.expired_time !== NEVER && token.expired_time <= nowSeconds) return EXPIRED;
  if (!token.unlimited_quota && token.remain_quota <= 0) return EXHAUSTED;
  return ENABLED;
}
