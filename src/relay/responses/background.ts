import { stepsOf } from "../../dialects/collect-reply.ts";
import { type JsonObject, textOf } from "../../dialects/json.ts";
import { openaiResponsesProvider } from "../../dialects/openai-responses/index.ts";
import type { ReportedUsage } from "../../dialects/usage.ts";
import type { Call } from "../call.ts";
import type { RelayContext } from "../context.ts";
import { keptBy } from "../objects/maker.ts";
import { OutputTally } from "../tally.ts";

const RUNS: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

/** Whether a response is still being made, in the background. */
export const isRunning = ({ object, status }: JsonObject): boolean => object === "response" && RUNS.has(status);

/**
 * Remembers a response that is made in the background, so that it is charged once it is over, whoever asks for it; what the
 * call holds stays held until then. Rejects when it cannot be kept.
 */
export async function chargeLater({ services }: RelayContext, call: Call, body: JsonObject): Promise<void> {
  const { channel, hold, admitted } = call;
  const key = channel?.keys[call.keyIndex];
  if (!channel || key === undefined) return;
  await services.objects.keep(keptBy(admitted.caller, { channel, key }, "response", body));
  if (!hold) return;
  call.hold = null;
  // Without its hold too it is charged when it is over.
  await services.billing.keepHold(hold, textOf(body.id) ?? "").catch((error) => {
    services.log.error({ error, responseId: body.id }, "nothing is held for a response while it is made");
  });
}

/** What a response that is over used, hosted tools included; null: it tells nothing. */
export function usedBy(body: JsonObject): ReportedUsage | null {
  const reply = openaiResponsesProvider.decodeReply(body);
  if (!reply?.usage) return null;
  const tally = new OutputTally();
  for (const step of stepsOf(reply)) tally.step(step);
  return { ...reply.usage, ...(tally.toolCalls && { toolCalls: tally.toolCalls }) };
}
