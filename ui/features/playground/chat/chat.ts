import { atom } from "jotai";
import type { Parameters } from "./parameters.ts";

/** A call of a function that the model asks for; `result`: what it was answered, as text. */
export type ToolCall = Readonly<{ id: string; name: string; arguments: string; result?: string }>;

/** A page that an answer rests on. */
export type Citation = Readonly<{ url: string; title: string }>;

/** A file in a question; `url` is a data URL. */
export type Attachment = Readonly<{ kind: "image" | "file" | "audio"; name: string; url: string }>;

/** What one call returned. Times in milliseconds from the send. */
export type Reply = Readonly<{
  content: string;
  reasoning: string;
  /** From the first word of reasoning to the first of anything else; 0 while it reasons. */
  reasoningMs: number;
  tools: readonly ToolCall[];
  images: readonly string[];
  /** Audio of the answer: pieces of PCM of 16 bits, 24,000 samples a second, in base64. */
  audio: readonly string[];
  citations: readonly Citation[];
  promptTokens: number;
  completionTokens: number;
  firstMs: number;
  totalMs: number;
  requestId: string;
}>;

/** A model's answer: its last reply, after those whose tool calls have been answered. `incomplete` while it streams. */
export type Answer = Reply &
  Readonly<{
    model: string;
    status: "loading" | "incomplete" | "complete" | "error";
    steps: readonly Reply[];
    error: string;
    /** The code of the gateway's error. */
    errorCode?: string;
    /** Fields of the request that the provider could not be sent. */
    dropped: readonly string[];
  }>;

/** A question and its answers, one per lane (model). */
export type Turn = Readonly<{
  id: string;
  text: string;
  attachments: readonly Attachment[];
  answers: readonly Answer[];
}>;

export type ChatSettings = Readonly<{
  /** Empty: the user's own. */
  group: string;
  /** One, or up to four to compare. */
  models: readonly string[];
  /** Only those that were set: the model's own defaults apply to the others. */
  parameters: Parameters;
  system: string;
  /** The functions that the models may call, as the JSON list of the editor; empty: none. */
  tools: string;
  /** Results of functions that are answered by themselves, by name. */
  mocks: Readonly<Record<string, string>>;
  /** The JSON schema of answers as text; empty: any text. */
  schema: string;
  webSearch: boolean;
  /** Models that can answer as audio, too. */
  speaks: boolean;
}>;

export type Chat = Readonly<{ id: string; title: string; settings: ChatSettings; turns: readonly Turn[] }>;

export const MOST_LANES = 4;

export const DEFAULT_SETTINGS: ChatSettings = {
  group: "",
  models: ["gpt-4o-mini"],
  parameters: {},
  system: "",
  tools: "",
  mocks: {},
  schema: "",
  webSearch: false,
  speaks: false,
};

/** A chat from elsewhere in the console that the playground adds when it opens. */
export const chatToOpenAtom = atom<Chat | null>(null);

export const newChat = (settings: ChatSettings = DEFAULT_SETTINGS): Chat => ({
  id: crypto.randomUUID(),
  title: "",
  settings,
  turns: [],
});

export const EMPTY_REPLY: Reply = {
  content: "",
  reasoning: "",
  reasoningMs: 0,
  tools: [],
  images: [],
  audio: [],
  citations: [],
  promptTokens: 0,
  completionTokens: 0,
  firstMs: 0,
  totalMs: 0,
  requestId: "",
};

export const emptyAnswer = (model: string): Answer => ({
  ...EMPTY_REPLY,
  model,
  status: "loading",
  steps: [],
  error: "",
  dropped: [],
});

/** Whether the model waits for results of tool calls. */
export const needsResults = ({ status, tools }: Answer): boolean => status === "complete" && tools.length > 0;

/** Whether every call of the answer has a result, so that the model can go on. */
export const hasResults = (answer: Answer): boolean =>
  needsResults(answer) && answer.tools.every(({ result }) => result !== undefined);

/** The answer as it goes on after the results of its tool calls: what it had becomes a step. */
export function continued(answer: Answer): Answer {
  const { model, steps, status: _, error: __, errorCode: ___, dropped: ____, ...reply } = answer;
  return { ...emptyAnswer(model), steps: [...steps, reply] };
}

/** The calls of an answer with the results that the functions' mocks have for them. */
export const withMocks = (answer: Answer, mocks: ChatSettings["mocks"]): Answer => ({
  ...answer,
  tools: answer.tools.map((tool) => {
    const mock = Object.hasOwn(mocks, tool.name) ? mocks[tool.name] : undefined;
    return tool.result === undefined && mock ? { ...tool, result: mock } : tool;
  }),
});

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
