import { queryOptions } from "@tanstack/react-query";
import type { CodeView } from "../../../../src/domain/wallet/codes/code-view.ts";
import { readData } from "../../../api/client.ts";
import { redemptionApi } from "../../../api/groups.ts";

/** A redemption code as returned by `GET /api/redemption/`. */
export type Code = CodeView;

export const UNUSED = 1;
export const DISABLED = 2;
export const USED = 3;
export const UNLIMITED = -1;

/** Used, disabled or expired: shown dimmed. */
export const isSpent = ({ status, is_gift, max_uses, used_count }: Code): boolean =>
  status !== UNUSED || (is_gift && max_uses !== UNLIMITED && used_count >= max_uses);

/** Whether the code is not valid yet or no longer; `nowSeconds` is epoch seconds. */
export function windowState({ valid_from, valid_until }: Code, nowSeconds: number): "open" | "early" | "expired" {
  if (valid_from > 0 && nowSeconds < valid_from) return "early";
  return valid_until > 0 && nowSeconds > valid_until ? "expired" : "open";
}

/** Cache key of code lists. */
export const CODES_KEY = ["codes"] as const;

const USES_SHOWN = 100;

/** The latest uses of a code. */
export const codeUses = (id: number) =>
  queryOptions({
    queryKey: [...CODES_KEY, "uses", id],
    queryFn: ({ signal }) =>
      readData(redemptionApi({ id }).uses.get({ query: { page_size: USES_SHOWN }, fetch: { signal } })),
  });
