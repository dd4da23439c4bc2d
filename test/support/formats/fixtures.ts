import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import { anthropicClientCodec, anthropicCodec } from "../../../src/formats/anthropic/index.ts";
import type { ClientCodec, ProviderCodec } from "../../../src/formats/conversation/codec.ts";
import { ReplyCollector } from "../../../src/formats/conversation/collect-reply.ts";
import { type Conversation, emptyConversation } from "../../../src/formats/conversation/conversation.ts";
import type { ReplyContext, ReplyEvent, Usage } from "../../../src/formats/conversation/reply.ts";
import { geminiClientCodec, geminiCodec } from "../../../src/formats/gemini/index.ts";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec, openaiResponsesCodec } from "../../../src/formats/openai-responses/index.ts";
import { readEvents } from "../../../src/lib/http/sse.ts";
import { codecOf, wireFormats } from "../../../src/providers/registry.ts";

/** A fixture of our own, by its path in `test/fixtures`; null: there is none. */
export function readFixture(path: string): JsonObject | null {
  const file = join(import.meta.dir, "../../fixtures", path);
  return existsSync(file) ? recordOf(parseJson(readFileSync(file, "utf8"))) : null;
}

export const NO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** Ids that count, so that tests can foretell them. */
export function counter(): (prefix: string) => string {
  let made = 0;
  return (prefix) => `${prefix}${made++}`;
}

export const replyContext = (): ReplyContext => ({ model: "asked", requestId: "r1", createdAt: 7, newId: counter() });

export const target = (model = "m") => ({
  model,
  info: shippedCatalog.find(model),
  defaultMaxTokens: 4096,
  newId: counter(),
});

/** The steps of a stream: of server-sent events, or of lines. */
export function stepsOfStream(
  codec: ProviderCodec,
  text: string,
  framing: "events" | "lines" = "events",
): ReplyEvent[] {
  const decoder = codec.streamDecoder(counter());
  const events =
    framing === "lines"
      ? text.split("\n").flatMap((data) => (data === "" ? [] : [{ event: "", data }]))
      : readEvents(text);
  const steps = events.flatMap((event) => decoder.push(event));
  return [...steps, ...decoder.end()];
}

/** Chunks of a chat stream as its text. */
export const chatStream = (...chunks: JsonObject[]): string =>
  `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;

/** What a client is sent for the steps. */
export function written(
  client: ClientCodec,
  steps: readonly ReplyEvent[],
  usage = NO_USAGE,
  request?: Conversation,
): string {
  const encoder = client.streamEncoder(replyContext(), request ?? emptyConversation(client.dialect, "asked"));
  return steps.map((step) => encoder.push(step)).join("") + encoder.end(usage);
}

/** The parsed data of all events of a stream. */
export const dataOf = (text: string): JsonObject[] => recordsOf(readEvents(text).map(({ data }) => parseJson(data)));

/** What an answer says, whatever the format it went through. */
export function meaningOf(steps: readonly ReplyEvent[]) {
  const collector = new ReplyCollector();
  for (const step of steps) collector.push(step);
  const { parts = [], finish } = collector.reply.choices[0] ?? {};
  return {
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    thought: parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join(""),
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [[part.name, parseJson(part.input || "{}")]] : [])),
    finish: finish?.reason,
  };
}

/** Steps keep their promises: starts before input, calls counted from 0, one finish for each choice, counts that fit. */
export function expectSense(steps: readonly ReplyEvent[]): void {
  const calls = new Map<number, number>();
  const finished = new Set<number>();
  for (const step of steps) {
    switch (step.type) {
      case "tool-start":
        expect(step.index).toBe(calls.get(step.choice) ?? 0);
        expect(step.name).not.toBe("");
        expect(step.id).not.toBe("");
        calls.set(step.choice, step.index + 1);
        break;
      case "tool-input":
        expect(step.index).toBeLessThan(calls.get(step.choice) ?? 0);
        break;
      case "finish":
        expect(finished.has(step.choice)).toBe(false);
        finished.add(step.choice);
        break;
      case "usage":
        expect(step.usage.cachedTokens).toBeLessThanOrEqual(step.usage.promptTokens);
        break;
    }
  }
  if (!steps.some(({ type }) => type === "error")) expect(finished.size).toBeGreaterThan(0);
}

/** The formats of clients, each with the codec of providers that speak it. */
export const CODECS: readonly [ClientCodec, ProviderCodec][] = [
  [openaiChatClientCodec, openaiChatCodec],
  [openaiResponsesClientCodec, openaiResponsesCodec],
  [anthropicClientCodec, anthropicCodec],
  [geminiClientCodec, geminiCodec],
];

/** In every client format, read again as its clients do, the answer says the same. */
export function expectSameForClients(steps: readonly ReplyEvent[]): void {
  // Chat shows images as text.
  if (steps.some(({ type }) => type === "error" || type === "media")) return;
  for (const [client, provider] of CODECS) {
    const again = stepsOfStream(provider, written(client, steps));
    expect({ client: client.dialect, ...meaningOf(again) }).toEqual({ client: client.dialect, ...meaningOf(steps) });
  }
}

/** To every provider's format a request can be written, and what must cross is in it. */
export function expectSameForProviders(conversation: Conversation): void {
  const words = conversation.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  const calls = conversation.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : [])),
  );
  for (const provider of wireFormats.map(codecOf)) {
    // A library is asked one question, without the messages before.
    if (provider.dialect === "ai-proxy") continue;
    const sent = JSON.stringify(provider.encodeRequest(conversation, target(), new Set()));
    for (const word of [...words, ...calls]) expect(sent).toContain(JSON.stringify(word.trim()).slice(1, -1));
  }
}
