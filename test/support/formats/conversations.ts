import {
  type ChatDialect,
  type Conversation,
  emptyConversation,
  type Part,
  type ReasoningPart,
  type Tool,
  type ToolCallPart,
  type Turn,
} from "../../../src/formats/conversation/conversation.ts";
import type { ReplyEvent } from "../../../src/formats/conversation/reply.ts";

/** Formats that clients speak, so that each can be written and read again. */
export const CLIENT_DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type ClientDialect = (typeof CLIENT_DIALECTS)[number];

/** Numbers that follow from a seed: the same conversation comes of it every time. */
class Dice {
  constructor(private state: number) {}

  /** From 0 to `below` - 1. */
  roll(below: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * below);
  }

  is(percent: number): boolean {
    return this.roll(100) < percent;
  }

  of<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.roll(items.length)] ?? items[0];
  }
}

const WORDS = [
  "Rain in Gänt?",
  'He said "no"\\n',
  "一二三 🌧👩‍👩‍👧",
  "a\tb\r\nc",
  "{“x”: 1}",
  "</think> <tool_call>",
  "data: [DONE]",
  "\u2028 line",
  "…",
  "-1e9",
] as const;
const IMAGES = ["Rmlyc3Q=", "U2Vjb25k", "VGhpcmQ="] as const;
const NAMES = ["weather", "find_2", "do-it"] as const;

function words(dice: Dice): string {
  const text = Array.from({ length: 1 + dice.roll(4) }, () => dice.of(WORDS)).join(" ");
  return text.trim();
}

const inputOf = (dice: Dice): string =>
  JSON.stringify(dice.of<object>([{}, { city: words(dice) }, { deep: { list: [1, null, words(dice)] }, on: true }]));

const toolOf = (name: string, dice: Dice): Tool => ({
  type: "function",
  name,
  description: words(dice),
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: words(dice) }, days: { type: "integer" } },
    required: dice.is(50) ? ["city"] : ["city", "days"],
  },
  strict: null,
});

/** What only some of the formats can say: those in which a conversation is written and read. */
type Wishes = Readonly<{ reasoning: boolean; stop: boolean; failures: boolean; schema: boolean }>;
const COMMON: Wishes = { reasoning: false, stop: false, failures: false, schema: false };
const OWN: Readonly<Record<ClientDialect, Wishes>> = {
  "openai-chat": { reasoning: true, stop: true, failures: false, schema: true },
  "openai-responses": { reasoning: true, stop: false, failures: false, schema: true },
  anthropic: { reasoning: true, stop: true, failures: true, schema: true },
  gemini: { reasoning: true, stop: true, failures: true, schema: true },
};

/** A conversation in what all formats share (`dialect` is where it came from), or, `own`, with what that format has besides. */
export function randomConversation(seed: number, dialect: ClientDialect, own: boolean): Conversation {
  const dice = new Dice(seed);
  const wishes = own ? OWN[dialect] : COMMON;
  const conversation = emptyConversation(dialect, "asked");
  if (dice.is(60)) conversation.system.push({ type: "text", text: words(dice) });
  if (dice.is(70)) conversation.tools = NAMES.slice(0, 1 + dice.roll(NAMES.length)).map((name) => toolOf(name, dice));
  const hasReasoning = wishes.reasoning && dice.is(50);
  let calls = 0;
  let waiting: ToolCallPart[] = [];
  const user = (): Turn => {
    const results = waiting.map(({ id, name }): Part => {
      const isError = wishes.failures && dice.is(30);
      return { type: "tool-result", callId: id, name, parts: [{ type: "text", text: words(dice) }], isError };
    });
    waiting = [];
    const content: Part[] = results.length > 0 && dice.is(60) ? [] : [{ type: "text", text: words(dice) }];
    if (content.length > 0 && dice.is(30)) {
      const source = { kind: "base64", mediaType: "image/png", data: dice.of(IMAGES) } as const;
      content.push({ type: "image", source }, { type: "text", text: words(dice) });
    }
    return { role: "user", parts: [...results, ...content] };
  };
  const assistant = (): Turn => {
    const parts: Part[] = hasReasoning ? [thoughtOf(dialect, dice)] : [];
    const made = conversation.tools.length > 0 && dice.is(60) ? 1 + dice.roll(3) : 0;
    if (made === 0 || dice.is(50)) parts.push({ type: "text", text: words(dice) });
    waiting = Array.from({ length: made }, () => {
      const { name } = dice.of(conversation.tools as [Tool, ...Tool[]]);
      return { type: "tool-call", id: `call_${calls++}`, name, input: inputOf(dice), kind: "function" };
    });
    return { role: "assistant", parts: [...parts, ...waiting] };
  };
  conversation.turns.push(user());
  for (let left = dice.roll(4); left > 0; left -= 1) conversation.turns.push(assistant(), user());
  if (conversation.tools.length > 0 && dice.is(50)) {
    const { name } = conversation.tools[0] as Tool;
    const free = dice.of([{ type: "auto" }, { type: "none" }] as const);
    // A thought and a call that must be made exclude each other.
    const must = dice.of([{ type: "required" }, { type: "tool", name, kind: "function" }] as const);
    conversation.toolChoice = hasReasoning || dice.is(50) ? free : must;
  }
  conversation.sampling.maxOutputTokens = 20_000 + dice.roll(5_000);
  if (!hasReasoning && dice.is(50)) conversation.sampling.temperature = dice.roll(100) / 100;
  if (wishes.stop && dice.is(40)) conversation.sampling.stop = ["END", "\n\nHuman:"].slice(0, 1 + dice.roll(2));
  if (wishes.schema && dice.is(30)) {
    const schema = { type: "object", properties: { rain: { type: "boolean" } }, required: ["rain"] };
    conversation.format = { type: "schema", name: "answer", description: null, schema, strict: null };
  }
  if (hasReasoning) {
    const bySteps = dialect === "anthropic" || dialect === "gemini";
    conversation.reasoning.setting = bySteps
      ? { type: "budget", tokens: 2048 + dice.roll(2048) }
      : { type: "effort", effort: dice.of(["low", "medium", "high"]) };
  }
  return conversation;
}

/** Chats show reasoning as it is; the others want their own proof back. */
function thoughtOf(dialect: ChatDialect, dice: Dice): ReasoningPart {
  const thought: ReasoningPart = { type: "reasoning", text: words(dice) };
  return dialect === "openai-chat" ? thought : { ...thought, signature: { dialect, value: `c2ln${dice.roll(1_000)}` } };
}

/** An answer as steps, its texts and inputs cut anywhere. */
export function madeUpAnswer(seed: number): ReplyEvent[] {
  const dice = new Dice(seed);
  const steps: ReplyEvent[] = [{ type: "start", id: `id-${seed}`, model: "served", createdAt: 1_760_000_000 }];
  const pieces = (text: string): string[] => {
    const cut = dice.roll(text.length);
    return [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== "");
  };
  if (dice.is(50)) for (const text of pieces(words(dice))) steps.push({ type: "reasoning", choice: 0, text });
  const calls = dice.is(50) ? 1 + dice.roll(3) : 0;
  if (calls === 0 || dice.is(60)) for (const text of pieces(words(dice))) steps.push({ type: "text", choice: 0, text });
  for (let index = 0; index < calls; index += 1) {
    const start = { type: "tool-start", choice: 0, index, id: `call_${seed}_${index}`, kind: "function" } as const;
    steps.push({ ...start, name: dice.of(NAMES) });
    for (const text of pieces(inputOf(dice))) steps.push({ type: "tool-input", choice: 0, index, text });
  }
  const reason = calls > 0 ? "tool_calls" : dice.of(["stop", "length"] as const);
  const promptTokens = 1 + dice.roll(5_000);
  const completionTokens = 1 + dice.roll(900);
  const usage = {
    promptTokens,
    completionTokens,
    cachedTokens: dice.roll(promptTokens),
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
  };
  steps.push({ type: "usage", usage }, { type: "finish", choice: 0, reason, native: null });
  return steps;
}
