import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { inspect } from "../../../../domain/models/guardrails/inspect.ts";
import { type JsonObject, recordsOf, textOf } from "../../../../formats/json.ts";
import { promptTexts } from "../../../../formats/openai-chat/request/summary.ts";
import type { Caller } from "../../caller.ts";
import type { Uses } from "../../services.ts";
import { guardSetOf } from "../guard-set.ts";
import { refusalOf, unsupportedBy } from "../refusals.ts";

/**
 * Refuses what is sent otherwise than as a call of a model: orders of images, music and videos, events of sessions, jobs, items of
 * conversations. Nothing in it can be masked or routed elsewhere, and no service is consulted, so whatever is forbidden is refused.
 * Throws GatewayError.
 */
export function refuseForbidden(
  { services }: Uses<"settings">,
  caller: Pick<Caller, "group" | "policies" | "token" | "user">,
  model: string,
  prompt: JsonObject,
): void {
  const set = guardSetOf(services.settings, caller, model);
  if (!set || set.request.length === 0) return;
  const complete = { texts: promptTexts(prompt), tools: toolNames(prompt) };
  for (const guardrail of set.request) {
    if (!decides(guardrail)) continue;
    const { service } = guardrail.rule ?? {};
    if (service?.onFailure === "closed") throw unsupportedBy(guardrail);
    if (!service && inspect(guardrail, complete, "request"))
      throw guardrail.action === "block" ? refusalOf(guardrail) : unsupportedBy(guardrail);
  }
}

const decides = ({ isShadow, action }: Guardrail): boolean => !isShadow && action !== "flag";

/** The names of the tools in a request in OpenAI's shape; hosted ones are named by their type. */
export const toolNames = ({ tools }: JsonObject): string[] =>
  recordsOf(tools).flatMap(
    (tool) => textOf(recordsOf([tool.function])[0]?.name) ?? textOf(tool.name) ?? textOf(tool.type) ?? [],
  );
