import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { inspect, type Verdict } from "../../../../domain/models/guardrails/inspect.ts";
import { type JsonObject, recordsOf, textOf } from "../../../../formats/json.ts";
import { promptTexts } from "../../../../formats/openai-chat/request/summary.ts";
import type { Caller } from "../../caller.ts";
import type { Uses } from "../../services.ts";
import { guardSetOf } from "../guard-set.ts";
import { refusalOf, unsupportedBy } from "../refusals.ts";

/** What `refuseForbidden` is about besides a model. */
type About = Readonly<{
  /** The MCP server that gets it. */
  server?: string;
  /** Takes what guardrails found; absent: what is sent has no log. */
  note?: ((verdict: Verdict) => void) | undefined;
}>;

/**
 * Refuses what is sent otherwise than as a call of a model: orders of images, music and videos, events of sessions, jobs, items of
 * conversations. Nothing in it can be masked or routed elsewhere, and no service is consulted, so whatever is forbidden is refused.
 * `model`: null: any may read it later. Throws GatewayError.
 */
export function refuseForbidden(
  { services }: Uses<"settings">,
  caller: Pick<Caller, "group" | "policies" | "token" | "user">,
  model: string | null,
  prompt: JsonObject,
  { server, note }: About = {},
): void {
  const set = guardSetOf(services.settings, caller, model, server);
  if (!set || set.request.length === 0) return;
  const complete = { texts: promptTexts(prompt), tools: toolNames(prompt) };
  for (const guardrail of set.request) {
    const { service } = guardrail.rule ?? {};
    if (service?.onFailure === "closed" && decides(guardrail)) throw unsupportedBy(guardrail);
    // What only takes notes needs somebody who reads them.
    if (service || !(note || decides(guardrail))) continue;
    const verdict = inspect(guardrail, complete, "request");
    if (!verdict) continue;
    note?.(verdict);
    if (decides(guardrail)) throw guardrail.action === "block" ? refusalOf(guardrail) : unsupportedBy(guardrail);
  }
}

/** Refuses what makes answers that no guardrail sees, such as batches, where one acts on them. Throws GatewayError. */
export function refuseUnseen(
  { services }: Uses<"settings">,
  caller: Pick<Caller, "group" | "policies" | "token" | "user">,
  model: string,
): void {
  const guardrail = guardSetOf(services.settings, caller, model)?.answer.find((one) => decides(one) && !one.origin);
  if (guardrail) throw unsupportedBy(guardrail);
}

const decides = ({ isShadow, action }: Guardrail): boolean => !isShadow && action !== "flag";

/** The names of the tools in a request in OpenAI's shape; hosted ones are named by their type. */
export const toolNames = ({ tools }: JsonObject): string[] =>
  recordsOf(tools).flatMap(
    (tool) => textOf(recordsOf([tool.function])[0]?.name) ?? textOf(tool.name) ?? textOf(tool.type) ?? [],
  );
