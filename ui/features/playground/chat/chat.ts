import { atom } from "jotai";

/** A tool call; the playground shows it but doesn't run it. */
export type ToolCall = Readonly<{ name: string; arguments: string }>;

/** A model's answer; `incomplete` while it streams. Times in milliseconds from the send. */
export type Answer = Readonly<{
  model: string;
  status: "loading" | "incomplete" | "complete" | "error";
  content: string;
  reasoning: string;
  tools: readonly ToolCall[];
  images: readonly string[];
  error: string;
  /** The code of the gateway's error. */
  errorCode?: string;
  promptTokens: number;
  completionTokens: number;
  firstMs: number;
  totalMs: number;
  requestId: string;
}>;

/** A question and its answers, one per lane (model). */
export type Turn = Readonly<{ id: string; text: string; images: readonly string[]; answers: readonly Answer[] }>;

export type ChatSettings = Readonly<{
  /** Empty: the user's own. */
  group: string;
  /** One, or two to compare. */
  models: readonly string[];
  temperature: number;
  /** 0: the model's own limit. */
  maxTokens: number;
  system: string;
}>;

export type Chat = Readonly<{ id: string; title: string; settings: ChatSettings; turns: readonly Turn[] }>;

export const DEFAULT_SETTINGS: ChatSettings = {
  group: "",
  models: ["gpt-4o-mini"],
  temperature: 0,
  maxTokens: 0,
  system: "",
};

/** A chat from elsewhere in the console that the playground adds when it opens. */
export const chatToOpenAtom = atom<Chat | null>(null);

export const newChat = (settings: ChatSettings = DEFAULT_SETTINGS): Chat => ({
  id: crypto.randomUUID(),
  title: "",
  settings,
  turns: [],
});

export const emptyAnswer = (model: string): Answer => ({
  model,
  status: "loading",
  content: "",
  reasoning: "",
  tools: [],
  images: [],
  error: "",
  promptTokens: 0,
  completionTokens: 0,
  firstMs: 0,
  totalMs: 0,
  requestId: "",
});

type Part = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };
export type WireMessage = { role: "system" | "user" | "assistant"; content: string | Part[] };

export type ChatBody = {
  model: string;
  group?: string;
  messages: WireMessage[];
  temperature: number;
  max_tokens: number;
  stream: true;
  stream_options: { include_usage: true };
};

/** The request of a lane for the last of these turns. */
export function bodyOf(settings: ChatSettings, turns: readonly Turn[], lane: number): ChatBody {
  const { group, models, temperature, maxTokens, system } = settings;
  const messages: WireMessage[] = system.trim() ? [{ role: "system", content: system }] : [];
  turns.forEach((turn, index) => {
    messages.push({ role: "user", content: questionOf(turn) });
    const answer = turn.answers[lane] ?? turn.answers[0];
    if (index < turns.length - 1 && answer?.content) messages.push({ role: "assistant", content: answer.content });
  });
  return {
    model: models[lane] ?? "",
    ...(group && { group }),
    messages,
    temperature,
    max_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  };
}

const questionOf = ({ text, images }: Turn): WireMessage["content"] =>
  images.length === 0
    ? text
    : [{ type: "text", text }, ...images.map((url): Part => ({ type: "image_url", image_url: { url } }))];

/** Branches the chat after a turn into a new chat. */
export function branchOf(chat: Chat, turnId: string): Chat {
  const end = chat.turns.findIndex(({ id }) => id === turnId) + 1;
  return { ...chat, id: crypto.randomUUID(), turns: chat.turns.slice(0, end) };
}

/** The chat with one answer replaced; unchanged if the turn is gone. */
export const withAnswer = (chat: Chat, turnId: string, lane: number, change: (answer: Answer) => Answer): Chat => ({
  ...chat,
  turns: chat.turns.map((turn) =>
    turn.id === turnId
      ? { ...turn, answers: turn.answers.map((answer, index) => (index === lane ? change(answer) : answer)) }
      : turn,
  ),
});
