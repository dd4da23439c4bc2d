import type { Guardrail } from "../../../domain/models/guardrails/compile.ts";
import { sayReason } from "../../../lib/reason.ts";
import { GatewayError } from "../errors.ts";

const INVALID = { type: "invalid_request_error" };

type Named = Pick<Guardrail, "name">;

/** The error of a request that a guardrail refuses. */
export function refusalOf({ name, origin, rule }: Pick<Guardrail, "name" | "origin" | "rule">): GatewayError {
  if (!origin) {
    const reason = { code: "gateway_guardrail", params: { name } } as const;
    const isAnswer = rule?.refusesInAnswer === true;
    return new GatewayError(400, "guardrail_blocked", reason, { ...INVALID, isAnswer });
  }
  if (origin.policy === null)
    return new GatewayError(400, "sensitive_words_detected", { code: "gateway_sensitive" }, INVALID);
  const reason = { code: "gateway_policy_words", params: { policy: origin.policy } } as const;
  return new GatewayError(400, "policy_words_detected", reason, INVALID);
}

/** The code of what `unsupportedBy` returns. */
export const UNSUPPORTED = "guardrail_unsupported";

/** The error of a request that would have to change in a way that its kind of call does not have. */
export const unsupportedBy = ({ name }: Named): GatewayError =>
  new GatewayError(
    400,
    "guardrail_unsupported",
    { code: "gateway_guardrail_unsupported", params: { name } },
    { type: "invalid_request_error" },
  );

/** The error of a call whose guardrail needs a service that did not answer. */
export const serviceFailed = ({ name }: Named): GatewayError =>
  new GatewayError(
    503,
    "guardrail_unavailable",
    { code: "gateway_guardrail_failed", params: { name } },
    { retryAfterSeconds: 5 },
  );

/** The error of a call that no channel of the model may serve to which a guardrail sends it. */
export const routeUnavailable = ({ name }: Named): GatewayError =>
  new GatewayError(
    400,
    "guardrail_no_route",
    { code: "gateway_guardrail_route", params: { name } },
    { type: "invalid_request_error" },
  );

/** The error of a session whose model says what a guardrail blocks. */
export const answerRefusal = ({ name }: Named): GatewayError =>
  new GatewayError(400, "guardrail_blocked", { code: "gateway_guardrail_answer", params: { name } }, INVALID);

/** The error of a complete answer that a guardrail refuses, after it was made. */
export const refusalOfAnswer = (guardrail: Pick<Guardrail, "name" | "origin" | "rule">): GatewayError =>
  guardrail.origin ? refusalOf(guardrail) : answerRefusal(guardrail);

/** How an answer ends that a guardrail stops: each format has its own word for it, and a place for the reason if its rule wants that. */
export function refusalStep(choice: number, { name, rule }: Pick<Guardrail, "name" | "rule">) {
  const end = { type: "finish", choice, reason: "content_filter", native: "sensitive" } as const;
  return rule?.refusesInAnswer
    ? { ...end, message: sayReason({ code: "gateway_guardrail_answer", params: { name } }, "en") }
    : end;
}
