import type { CodeView } from "../../../src/domain/codes/code-view.ts";

/** A redemption code as `GET /api/redemption/` answers it. */
export type Code = CodeView;

export const UNUSED = 1;
export const DISABLED = 2;
export const USED = 3;
export const UNLIMITED = -1;

/** Nobody can redeem it any more, or nobody may: it is shown greyed. */
export const isSpent = ({ status, is_gift, max_uses, used_count }: Code): boolean =>
  status !== UNUSED || (is_gift && max_uses !== UNLIMITED && used_count >= max_uses);

/** Whether now lies outside the window in which it works; `nowSeconds` is epoch seconds. */
export function windowState({ valid_from, valid_until }: Code, nowSeconds: number): "open" | "early" | "expired" {
  if (valid_from > 0 && nowSeconds < valid_from) return "early";
  return valid_until > 0 && nowSeconds > valid_until ? "expired" : "open";
}
