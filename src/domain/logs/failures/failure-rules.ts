import type { FailureNote, LogOther } from "../../../billing/types.ts";
import type { MessageCode, Sentence } from "../../../lib/messages.ts";

/** Why calls fail, by who can do something about it: the caller, an administrator, the provider. */
export const FAILURE_CLASSES = [
  "balance",
  "key_quota",
  "budget",
  "rate_limit",
  "no_price",
  "no_channel",
  "model_unknown",
  "access",
  "request",
  "content",
  "provider_credit",
  "provider_key",
  "provider_limit",
  "provider_down",
  "provider_refused",
  "gateway",
  "client_left",
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The cause of a failed call, the same for all calls that fail alike. */
export type FailureCause = Readonly<{
  class: FailureClass;
  /** What the provider answered with, where one did; else what the client got. 0: no answer came. */
  status: number;
  /** The provider's error code, or the code of the gateway's own message; empty: neither has one. */
  code: string;
}>;

type Failed = Partial<Pick<LogOther, "admin_info" | "ending" | "status">> & FailureNote;

/**
 * Why a failed call failed, from what its log row stores. Without the operator's part (`admin_info`) it says what the caller may
 * know: a problem of the operator's account is an unavailable provider.
 */
export function failureCause(failed: Failed): FailureCause {
  const { status = 0, ending, admin_info: info } = failed;
  const own = ownCode(failed.error_reason);
  if (ending === "client_left" || own === "gateway_client_left") return { class: "client_left", status, code: "" };
  const known = own && CLASS_OF_CODE.get(own);
  if (own && known) return { class: known, status, code: own };
  const last = info?.attempts?.findLast(({ isCancelled }) => !isCancelled);
  if (last && (last.error !== undefined || last.status >= 400)) {
    const { problem, code = ownCode(last.error_reason) ?? "" } = last;
    return { class: problem ? CLASS_OF_PROBLEM[problem] : classOfAnswer(last.status), status: last.status, code };
  }
  if (own)
    return { class: own === "gateway_saturated" ? "provider_limit" : classOfOwn(own, status), status, code: own };
  const answered = classOfAnswer(status);
  return {
    class: answered === "provider_key" || answered === "provider_credit" ? "provider_down" : answered,
    status,
    code: "",
  };
}

/** The code of a message without the sentence around it that says when a quota is filled again. */
function ownCode(reason: Sentence | undefined): MessageCode | null {
  if (!reason) return null;
  const inner = reason.params?.reason;
  return typeof inner === "object" ? ownCode(inner) : reason.code;
}

const CLASS_OF_PROBLEM = { no_credit: "provider_credit", bad_key: "provider_key" } as const;

/** The class of what a provider answered with. */
function classOfAnswer(status: number): FailureClass {
  if (status === 401 || status === 403) return "provider_key";
  if (status === 402) return "provider_credit";
  if (status === 429) return "provider_limit";
  return status >= 400 && status < 500 && status !== 408 ? "provider_refused" : "provider_down";
}

/** The class of the gateway's other messages: what is wrong with a request, or that an upstream did not answer. */
function classOfOwn(code: MessageCode, status: number): FailureClass {
  if (UPSTREAM.has(code)) return "provider_down";
  return status >= 400 && status < 500 ? "request" : "gateway";
}

const UPSTREAM: ReadonlySet<MessageCode> = new Set([
  "gateway_temporarily_unavailable",
  "gateway_unreachable",
  "gateway_timeout",
  "gateway_broken",
  "gateway_stalled",
  "gateway_too_large",
  "gateway_busy",
  "gateway_invalid",
  "gateway_empty",
  "gateway_stream_idle",
  "gateway_stream_broken",
  "gateway_socket_broken",
  "gateway_response_failed",
  "gateway_hidden",
]);

const CODES: Readonly<Partial<Record<FailureClass, readonly MessageCode[]>>> = {
  balance: ["gateway_user_quota"],
  key_quota: ["gateway_key_quota", "gateway_key_used_up", "gateway_budget_key"],
  budget: [
    "gateway_budget_member",
    "gateway_budget_project",
    "gateway_budget_organization",
    "gateway_budget_plan",
    "gateway_plan_calls",
    "gateway_plan_model",
  ],
  rate_limit: [
    "gateway_requests_a_minute",
    "gateway_requests_at_once",
    "gateway_requests_in_a_minute",
    "gateway_requests_in_minutes",
    "gateway_plan_requests",
    "gateway_plan_tokens",
    "gateway_key_requests",
    "gateway_key_tokens",
  ],
  no_price: ["gateway_no_price", "gateway_service_tier"],
  no_channel: [
    "gateway_no_channel",
    "gateway_no_channel_now",
    "gateway_route_no_channel",
    "gateway_route_conditions",
    "gateway_no_preferred_channel",
    "gateway_openrouter_only",
    "gateway_channel_unknown",
    "gateway_channel_off",
    "gateway_channel_unsuited",
  ],
  model_unknown: ["gateway_model_unknown", "gateway_model_retired", "gateway_model_retired_for"],
  access: [
    "gateway_key_not_model",
    "gateway_key_group_closed",
    "gateway_group_closed",
    "gateway_key_ip",
    "gateway_policy_model",
    "gateway_policy_price",
    "gateway_policy_provider",
    "gateway_mcp_sign_in_required",
    "gateway_mcp_sign_in_refused",
    "gateway_mcp_sign_in_scope",
  ],
  content: ["gateway_filtered", "gateway_sensitive", "gateway_policy_words"],
  gateway: [
    "gateway_internal",
    "gateway_restarting",
    "gateway_restarting_socket",
    "gateway_no_ledger",
    "gateway_overloaded",
  ],
};

const CLASS_OF_CODE: ReadonlyMap<MessageCode, FailureClass> = new Map(
  FAILURE_CLASSES.flatMap((name) => (CODES[name] ?? []).map((code) => [code, name] as const)),
);

/** Whether somebody still has to look at a group of failures. */
export const FAILURE_STATES = ["open", "muted", "resolved"] as const;
export type FailureState = (typeof FAILURE_STATES)[number];

/** What failures have in common, as text: class, channel, code or status, and model. */
export const failureKey = (
  { class: name, code, status }: FailureCause,
  { channelId, model }: Readonly<{ channelId: number; model: string }>,
): string => `${name}/${channelId}/${code || status}/${model}`;
