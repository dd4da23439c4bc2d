import { recordOf, recordsOf } from "../../../formats/json.ts";
import type { Call } from "../../call/call.ts";

/** What refers to something that a provider stores, or works after the response. */
const STATEFUL = ["previous_response_id", "conversation", "background", "container", "mcp_servers", "plugins"] as const;

const OWN_TOOLS: ReadonlySet<unknown> = new Set([undefined, "function", "custom"]);

/**
 * Whether a copy of a call has no effect but its cost: not where the provider runs tools, because they would act twice, and not
 * where it continues what one provider stores.
 */
export function isRepeatable({
  body: { json, form },
}: Readonly<{ body: Pick<Call["body"], "json" | "form"> }>): boolean {
  if (
    form ||
    STATEFUL.some((member) => json[member] !== undefined && json[member] !== null && json[member] !== false)
  ) {
    return false;
  }
  return recordsOf(json.tools).every((tool) => {
    const isGemini = ["functionDeclarations", "function_declarations"].some((member) => Object.hasOwn(tool, member));
    if (isGemini) return Object.keys(tool).length === 1;
    return OWN_TOOLS.has(tool.type) && (recordOf(tool.function) !== null || typeof tool.name === "string");
  });
}
