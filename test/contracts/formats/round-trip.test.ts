/** Generated conversations and responses, written in a format and read again: they mean the same. */
import { describe, expect, test } from "bun:test";
import { anthropicClientCodec } from "../../../src/formats/anthropic/index.ts";
import type { ClientCodec } from "../../../src/formats/conversation/codec.ts";
import { ReplyCollector } from "../../../src/formats/conversation/collect-reply.ts";
import type { Conversation, Part } from "../../../src/formats/conversation/conversation.ts";
import { geminiClientCodec } from "../../../src/formats/gemini/index.ts";
import { parseJson } from "../../../src/formats/json.ts";
import { openaiChatClientCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../../src/formats/openai-responses/index.ts";
import { codecOf } from "../../../src/providers/registry.ts";
import {
  CLIENT_DIALECTS,
  type ClientDialect,
  madeUpAnswer,
  randomConversation,
} from "../../support/formats/conversations.ts";
import {
  expectSameForProviders,
  meaningOf,
  replyContext,
  stepsOfStream,
  target,
  written,
} from "../../support/formats/fixtures.ts";

const SEEDS = Array.from({ length: 60 }, (_, at) => at * 7_919 + 1);
const CLIENT_CODECS: Readonly<Record<ClientDialect, ClientCodec>> = {
  "openai-chat": openaiChatClientCodec,
  "openai-responses": openaiResponsesClientCodec,
  anthropic: anthropicClientCodec,
  gemini: geminiClientCodec,
};
/** Models that know all that the format has words for. */
const MODELS: Readonly<Record<ClientDialect, string>> = {
  "openai-chat": "gpt-5.4",
  "openai-responses": "gpt-5",
  anthropic: "claude-sonnet-4-5",
  gemini: "gemini-2.5-flash",
};

function again(conversation: Conversation, dialect: ClientDialect, dropped: Set<string>): Conversation {
  const model = MODELS[dialect];
  const body = codecOf(dialect).encodeRequest(conversation, target(model), dropped);
  return CLIENT_CODECS[dialect].decodeRequest(JSON.parse(JSON.stringify(body)), { model, stream: conversation.stream });
}

/** The content of a conversation, whatever the format makes of its parts: texts in a row are one, results know their calls by number. */
function meaningOfConversation({ system, turns, tools, toolChoice, sampling, format, reasoning }: Conversation) {
  const ids: string[] = [];
  const lines: unknown[][] = [];
  let speaker = "";
  for (const { role, parts } of turns) {
    for (const part of parts) {
      const last = lines.at(-1);
      const meaning = meaningOfPart(part, ids);
      if (last && speaker === role && meaning[0] === "text" && last[1] === "text")
        last[2] = `${last[2]}\n${meaning[1]}`;
      else lines.push([role, ...meaning]);
      speaker = role;
    }
  }
  return {
    system: system.map(({ text }) => text).join("\n\n"),
    lines,
    tools: tools.map((tool) => (tool.type === "function" ? [tool.name, tool.description, tool.parameters] : tool.name)),
    choice: toolChoice?.type === "tool" ? toolChoice.name : (toolChoice?.type ?? null),
    limit: sampling.maxOutputTokens,
    temperature: sampling.temperature,
    stop: sampling.stop,
    schema: format?.type === "schema" ? [format.schema.properties, format.schema.required] : null,
    reasoning: reasoning.setting,
  };
}

function meaningOfPart(part: Part, ids: string[]): unknown[] {
  switch (part.type) {
    case "text":
      return ["text", part.text];
    case "image":
      return ["image", part.source];
    case "reasoning":
      return ["reasoning", part.text, part.signature?.value ?? null];
    case "tool-call":
      ids.push(part.id);
      return ["call", part.name, parseJson(part.input)];
    case "tool-result":
      return [
        "result",
        ids.lastIndexOf(part.callId),
        part.isError,
        part.parts.map((inner) => meaningOfPart(inner, ids)),
      ];
    default:
      return [part.type];
  }
}

describe.each(CLIENT_DIALECTS)("requests of %s", (dialect) => {
  test("say the same when they are read again, and nothing is dropped", () => {
    for (const seed of SEEDS) {
      const conversation = randomConversation(seed, dialect, true);
      const dropped = new Set<string>();
      const read = again(conversation, dialect, dropped);
      expect({ seed, ...meaningOfConversation(read) }).toEqual({ seed, ...meaningOfConversation(conversation) });
      expect([seed, ...dropped]).toEqual([seed]);
    }
  });

  test.each(CLIENT_DIALECTS.filter((other) => other !== dialect))("say the same by way of %s", (other) => {
    for (const seed of SEEDS) {
      const conversation = randomConversation(seed, dialect, false);
      const dropped = new Set<string>();
      const crossed = again(again(conversation, dialect, dropped), other, dropped);
      expect({ seed, ...meaningOfConversation(crossed) }).toEqual({ seed, ...meaningOfConversation(conversation) });
      expect([seed, ...dropped]).toEqual([seed]);
    }
  });

  test("hold their words and calls for every provider", () => {
    for (const seed of SEEDS.slice(0, 20))
      expectSameForProviders(again(randomConversation(seed, dialect, false), dialect, new Set()));
  });
});

describe.each(CLIENT_DIALECTS)("answers of %s", (dialect) => {
  test("say the same when they are read again, whole and streamed", () => {
    for (const seed of SEEDS) {
      const steps = madeUpAnswer(seed);
      const collector = new ReplyCollector();
      for (const step of steps) collector.push(step);
      const { reply } = collector;
      const usage = reply.usage ?? undefined;
      const request = { ...again(randomConversation(seed, dialect, false), dialect, new Set()), wantsUsage: true };
      const decodedSteps = stepsOfStream(codecOf(dialect), written(CLIENT_CODECS[dialect], steps, usage, request));
      expect({ seed, ...meaningOf(decodedSteps) }).toEqual({ seed, ...meaningOf(steps) });
      const figures = decodedSteps.findLast((step) => step.type === "usage");
      expect([seed, figures?.type === "usage" ? figures.usage : null]).toEqual([seed, reply.usage]);
      const body = CLIENT_CODECS[dialect].encodeReply(reply, replyContext(), request);
      const decodedReply = codecOf(dialect).decodeReply(JSON.parse(JSON.stringify(body)));
      expect([seed, decodedReply?.choices[0]?.finish.reason]).toEqual([seed, reply.choices[0]?.finish.reason]);
      expect([seed, decodedReply?.usage]).toEqual([seed, reply.usage]);
      expect([seed, partsOf(decodedReply?.choices[0]?.parts ?? [])]).toEqual([
        seed,
        partsOf(reply.choices[0]?.parts ?? []),
      ]);
    }
  });
});

/** In any order: some formats have places of their own for reasoning and calls. */
const partsOf = (parts: readonly Part[]): unknown[] =>
  parts
    .flatMap((part) =>
      part.type === "tool-call"
        ? [["call", part.name, parseJson(part.input)]]
        : "text" in part
          ? [[part.type, part.text]]
          : [],
    )
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
