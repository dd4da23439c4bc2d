import type { Guardrail } from "../../../domain/models/guardrails/compile.ts";
import type { Call } from "../call.ts";
import { routeUnavailable } from "./refusals.ts";

/** Sends calls to other models. */
export type RoutesGuarded = Readonly<{
  /** The call for another model or route, and for no other; null if it cannot go there. */
  routeTo(call: Call, model: string): Call | null;
}>;

/** The call for the model of a guardrail. Throws GatewayError if it cannot go there. */
export function routed({ routeTo }: RoutesGuarded, call: Call, guardrail: Guardrail): Call {
  const other = routeTo(call, guardrail.rule?.routeTo ?? "");
  if (!other) throw routeUnavailable(guardrail);
  return other;
}
