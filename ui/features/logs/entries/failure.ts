import {
  type FailureCause,
  type FailureClass,
  failureCause,
} from "../../../../src/domain/logs/failures/failure-rules.ts";
import { isCall, type LogEntry, otherOf } from "./log-entry.ts";

/** Why a row's call failed; null: it did not, or the row is no call. */
export const causeOf = (entry: LogEntry): FailureCause | null =>
  entry.failed && isCall(entry) ? failureCause(otherOf(entry)) : null;

/** What only somebody who manages the site can put right. */
const FOR_ADMINS: ReadonlySet<FailureClass> = new Set([
  "no_price",
  "no_channel",
  "provider_credit",
  "provider_key",
  "provider_limit",
  "provider_down",
  "gateway",
]);

/** Whose failure it is, and where it happened. */
export type FailurePlace = Readonly<{
  class: FailureClass;
  channelId: number;
  modelName: string;
  tokenName: string;
  userId: number;
}>;

/** Who looks at a failure. */
export type FailureViewer = Readonly<{
  userId: number;
  /** Sees all users' rows. */
  isAdmin: boolean;
  maySetPrices: boolean;
}>;

/** The page that puts a cause right; the name is its text under `failures.fixes`. */
type FailureFix = Readonly<{
  name: "credit" | "user" | "quota" | "key" | "budget" | "price" | "channels" | "channel" | "limits" | "models";
  to: string;
  search?: Readonly<Record<string, string | number>>;
}>;

/** Whether the viewer has to ask an administrator. */
export const needsAdmin = (name: FailureClass, { isAdmin }: FailureViewer): boolean => !isAdmin && FOR_ADMINS.has(name);

/** Where the viewer can put the cause right; null: nowhere in the console. */
export function fixOf(failure: FailurePlace, viewer: FailureViewer): FailureFix | null {
  const { channelId, modelName, tokenName, userId } = failure;
  const isOwn = !viewer.isAdmin || userId === viewer.userId;
  const user: FailureFix | null = viewer.isAdmin && userId > 0 ? { name: "user", to: `/user/edit/${userId}` } : null;
  switch (failure.class) {
    case "balance":
      if (isOwn) return { name: "credit", to: "/topup" };
      return user && { name: "quota", to: user.to, search: { quota: 1 } };
    case "key_quota":
    case "access":
      return isOwn ? { name: "key", to: "/token", search: { search: tokenName, edit: tokenName } } : user;
    case "budget":
      return isOwn ? { name: "budget", to: "/organization", search: { section: "budgets" } } : user;
    case "rate_limit":
      if (!viewer.maySetPrices) return isOwn ? null : user;
      return { name: "limits", to: "/setting", search: { tab: "operation", field: "ModelRequestRateLimitEnabled" } };
    case "no_price":
      if (!viewer.maySetPrices) return null;
      return {
        ...{ name: "price", to: "/setting" },
        search: { tab: "operation", field: "pricing", prices: "unset", model: modelName },
      };
    case "no_channel":
      return viewer.isAdmin ? { name: "channels", to: "/channel", search: { model: modelName } } : null;
    case "model_unknown":
      return viewer.isAdmin
        ? { name: "channels", to: "/channel", search: { model: modelName } }
        : { name: "models", to: "/pricing" };
    case "provider_credit":
    case "provider_key":
    case "provider_limit":
    case "provider_down":
      return viewer.isAdmin && channelId > 0 ? { name: "channel", to: `/channel/edit/${channelId}` } : null;
    default:
      return null;
  }
}
