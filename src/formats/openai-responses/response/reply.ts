import { type Reply, ReplyCollector, stepsOf } from "../../conversation/collect-reply.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { FinishReason, ReplyContext, ReplyEvent } from "../../conversation/reply.ts";
import { readSignature } from "../../conversation/signature.ts";
import { urlCitationOf } from "../../conversation/url-citation.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../json.ts";
import { readUsage } from "../../openai-chat/response/usage.ts";
import { ResponsesStreamEncoder } from "./stream-encoder.ts";

/**
 * Reads a complete response; null if the body is none. Source:
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export function decodeReply(body: JsonObject): Reply | null {
  if (!Array.isArray(body.output)) return null;
  const collector = new ReplyCollector();
  collector.push(startOf(body));
  let calls = 0;
  let textLength = 0;
  for (const item of recordsOf(body.output)) {
    for (const step of itemSteps(item, calls, textLength)) {
      if (step.type === "tool-start") calls += 1;
      if (step.type === "text") textLength += step.text.length;
      collector.push(step);
    }
  }
  for (const step of endOf(body, calls > 0)) collector.push(step);
  return collector.reply;
}

/** The event with which a response begins. */
export const startOf = (response: JsonObject): ReplyEvent => ({
  type: "start",
  id: textOf(response.id) ?? "",
  model: textOf(response.model) ?? "",
  createdAt: numberOf(response.created_at),
  ...tierOf(response),
});

/** The service tier, in the API's own words; the first event repeats what the request asks for. */
export function tierOf({ service_tier }: JsonObject): { serviceTier?: string } {
  const serviceTier = textOf(service_tier);
  return serviceTier === null || serviceTier === "auto" ? {} : { serviceTier };
}

/** What the end of a response reports: usage and finish reason. */
export function endOf(response: JsonObject, called: boolean): ReplyEvent[] {
  const usage = readUsage(response.usage);
  const reason = textOf(recordOf(response.incomplete_details)?.reason);
  const finish: FinishReason =
    reason === "max_output_tokens"
      ? "length"
      : reason === "content_filter"
        ? "content_filter"
        : called
          ? "tool_calls"
          : "stop";
  const partIds = recordsOf(response.output).flatMap(({ id }) => textOf(id) ?? []);
  return [
    ...(usage ? [{ type: "usage" as const, usage, ...tierOf(response) }] : []),
    {
      type: "finish",
      choice: 0,
      reason: finish,
      native: reason ?? textOf(response.status),
      ...(partIds.length > 0 && { partIds }),
    },
  ];
}

/** Reads a complete output item. `calls`: number of calls before it; `textLength`: characters of text before it. */
export function itemSteps(item: JsonObject, calls: number, textLength: number): ReplyEvent[] {
  switch (item.type) {
    case "message": {
      let base = textLength;
      return recordsOf(item.content).flatMap((part) => {
        const steps = contentSteps(part, base);
        if (part.type !== "refusal") base += textOf(part.text)?.length ?? 0;
        return steps;
      });
    }
    case "reasoning":
      return [...reasoningSteps(item), ...signatureSteps(item)];
    case "function_call":
    case "custom_tool_call": {
      if (!textOf(item.name)) return [];
      const custom = item.type === "custom_tool_call";
      const text = textOf(custom ? item.input : item.arguments) ?? "";
      return [
        callStart(item, calls),
        ...(text === "" ? [] : [{ type: "tool-input" as const, choice: 0, index: calls, text }]),
      ];
    }
    case "image_generation_call": {
      const data = textOf(item.result);
      const mediaType = `image/${textOf(item.output_format) ?? "png"}`;
      return data ? [{ type: "media", choice: 0, kind: "image", source: { kind: "base64", mediaType, data } }] : [];
    }
    default:
      return [nativeStep(item)];
  }
}

/** The event with which a function call of a response begins. */
export const callStart = (item: JsonObject, index: number): ReplyEvent => ({
  type: "tool-start",
  choice: 0,
  index,
  id: textOf(item.call_id) ?? textOf(item.id) ?? "",
  name: textOf(item.name) ?? "",
  ...(typeof item.namespace === "string" && { namespace: item.namespace }),
  kind: item.type === "custom_tool_call" ? "custom" : "function",
});

const nativeStep = (item: JsonObject): ReplyEvent => ({
  type: "native",
  choice: 0,
  dialect: "openai-responses",
  name: textOf(item.type) ?? "item",
  value: item,
});

function contentSteps(part: JsonObject, base: number): ReplyEvent[] {
  if (part.type === "refusal") return [{ type: "refusal", choice: 0, text: textOf(part.refusal) ?? "" }];
  const text = textOf(part.text) ?? "";
  const logprobs = recordsOf(part.logprobs);
  const citations = recordsOf(part.annotations).map(
    (annotation): ReplyEvent => ({
      type: "citation",
      choice: 0,
      citation: urlCitationOf(annotation, base, "openai-responses"),
    }),
  );
  return [{ type: "text", choice: 0, text, ...(logprobs.length > 0 && { logprobs }) }, ...citations];
}

function reasoningSteps(item: JsonObject): ReplyEvent[] {
  const content = recordsOf(item.content).map(({ text }) => textOf(text) ?? "");
  const summary = recordsOf(item.summary).map(({ text }) => textOf(text) ?? "");
  const raw = content.join("");
  if (raw !== "") return [{ type: "reasoning", choice: 0, text: raw }];
  const text = summary.join("\n\n");
  return text === "" ? [] : [{ type: "reasoning", choice: 0, text, summary: true }];
}

/** The encrypted reasoning with the item's id, so that it returns as the same item. */
export function signatureSteps(item: JsonObject): ReplyEvent[] {
  const sealed = textOf(item.encrypted_content);
  if (!sealed) return [];
  const signature = readSignature(sealed, "openai-responses");
  const id = textOf(item.id);
  const own = signature.dialect === "openai-responses" && id !== null ? { ...signature, id } : signature;
  const bare = recordsOf(item.summary).length + recordsOf(item.content).length === 0;
  return [{ type: "signature", choice: 0, signature: own, ...(bare && { encrypted: true }) }];
}

/**
 * Writes a complete response, as it would end a stream. Source:
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export function encodeReply(reply: Reply, context: ReplyContext, request: Conversation): JsonObject {
  const encoder = new ResponsesStreamEncoder(context, request);
  for (const step of stepsOf(reply)) encoder.push(step);
  return encoder.finish(reply.usage);
}
