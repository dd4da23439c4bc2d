import { type Reply, ReplyCollector, stepsOf } from "../../conversation/collect-reply.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { type FinishReason, NO_USAGE, type ReplyContext, type ReplyEvent } from "../../conversation/reply.ts";
import { type JsonObject, recordsOf, textOf } from "../../json.ts";
import { StepReader } from "./step-reader.ts";
import { InteractionsStreamEncoder } from "./stream-encoder.ts";
import { readUsage } from "./usage.ts";

/**
 * Reads a complete interaction; null if the body is none. Source: https://ai.google.dev/api/interactions-api
 */
export function decodeReply(body: JsonObject): Reply | null {
  if (textOf(body.id) === null || textOf(body.status) === null || body.error !== undefined) return null;
  const collector = new ReplyCollector();
  const reader = new StepReader();
  collector.push(startOf(body));
  for (const step of recordsOf(body.steps)) for (const event of reader.readStep(step)) collector.push(event);
  for (const event of endOf(body, reader.calls > 0)) collector.push(event);
  return collector.reply;
}

/** The event with which an interaction begins. */
export const startOf = ({ id, model, created }: JsonObject): ReplyEvent => ({
  type: "start",
  id: textOf(id) ?? "",
  model: textOf(model) ?? "",
  createdAt: secondsOf(textOf(created)),
});

/** Unix time in seconds of a time in ISO 8601. */
function secondsOf(time: string | null): number | null {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000);
}

/** Google's service tiers in OpenAI's terms. */
const TIERS: Readonly<Record<string, string>> = { standard: "default", flex: "flex", priority: "priority" };

/** What the end of an interaction reports: usage and finish reason. */
export function endOf({ usage: reported, status, service_tier }: JsonObject, called: boolean): ReplyEvent[] {
  const usage = readUsage(reported);
  const tier = textOf(service_tier)?.toLowerCase();
  const serviceTier = tier && (TIERS[tier] ?? tier);
  const reason: FinishReason =
    status === "incomplete" || status === "budget_exceeded" ? "length" : called ? "tool_calls" : "stop";
  return [
    ...(usage ? [{ type: "usage" as const, usage, ...(serviceTier && { serviceTier }) }] : []),
    { type: "finish", choice: 0, reason, native: textOf(status) },
  ];
}

/** Writes a complete interaction. */
export function encodeReply(reply: Reply, context: ReplyContext, request: Conversation): JsonObject {
  const encoder = new InteractionsStreamEncoder(context, request);
  for (const step of stepsOf(reply)) encoder.push(step);
  return encoder.finish(reply.usage ?? NO_USAGE);
}
