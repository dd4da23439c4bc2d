import { isRecord, isText, readMembers } from "../../../lib/json.ts";
import type { Answer, Attachment, ChatSettings, Reply, ToolCall, Turn } from "./chat.ts";

export type Part =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } }
  | { type: "input_audio"; input_audio: { data: string; format: string } };

type WireCall = { id: string; type: "function"; function: { name: string; arguments: string } };

export type WireMessage =
  | { role: "system" | "user"; content: string | Part[] }
  | { role: "assistant"; content: string | null; tool_calls?: WireCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

export type ChatBody = {
  model: string;
  group?: string;
  messages: WireMessage[];
  [parameter: string]: unknown;
  stream: true;
  stream_options: { include_usage: true };
};

/** A function that models may call, as OpenAI's APIs define it. */
type FunctionTool = Readonly<{ type: "function"; function: Readonly<{ name: string; [member: string]: unknown }> }>;

const VOICE = "alloy";

/** The request of a lane for the last of these turns, and for what its answer already has. */
export function bodyOf(settings: ChatSettings, turns: readonly Turn[], lane: number): ChatBody {
  const { group, models, parameters, system, webSearch, speaks } = settings;
  const messages: WireMessage[] = system.trim() ? [{ role: "system", content: system }] : [];
  turns.forEach((turn, index) => {
    messages.push({ role: "user", content: questionOf(turn) });
    const answer = turn.answers[lane] ?? turn.answers[0];
    if (answer) messages.push(...answerMessages(answer, index < turns.length - 1));
  });
  const tools = readTools(settings.tools) ?? [];
  const { stop, thinking_budget: budget, ...numbers } = parameters;
  const model = models[lane] ?? "";
  return {
    model,
    ...(group && { group }),
    messages,
    ...numbers,
    ...(typeof stop === "string" && { stop: stop.split("\n").filter((line) => line !== "") }),
    ...(budget !== undefined && { reasoning: { max_tokens: budget } }),
    ...(tools.length > 0 && { tools }),
    ...responseFormat(settings.schema),
    ...(webSearch && { web_search_options: {} }),
    // Streams have audio in this format alone.
    ...(speaks && { modalities: ["text", "audio"], audio: { voice: VOICE, format: "pcm16" } }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** What the answer adds to the conversation: its calls with their results, and, once it is past, its text. */
function answerMessages({ steps, ...last }: Answer, isPast: boolean): WireMessage[] {
  const messages = steps.flatMap(stepMessages);
  // Providers refuse a call without a result: of one that nobody answered only the text remains.
  const isAnswered = last.tools.length > 0 && last.tools.every(({ result }) => result !== undefined);
  if (isPast && isAnswered) messages.push(...stepMessages(last));
  else if (isPast && last.content) messages.push({ role: "assistant", content: last.content });
  return messages;
}

const stepMessages = ({ content, tools }: Reply): WireMessage[] => [
  { role: "assistant", content: content || null, tool_calls: tools.map(wireCall) },
  ...tools.map(({ id, result = "" }) => ({ role: "tool" as const, tool_call_id: id, content: result })),
];

const wireCall = ({ id, name, arguments: text }: ToolCall): WireCall => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

const questionOf = ({ text, attachments }: Turn): string | Part[] =>
  attachments.length === 0 ? text : [...(text ? [{ type: "text" as const, text }] : []), ...attachments.map(partOf)];

function partOf({ kind, name, url }: Attachment): Part {
  switch (kind) {
    case "image":
      return { type: "image_url", image_url: { url } };
    case "file":
      return { type: "file", file: { filename: name, file_data: url } };
    case "audio":
      return { type: "input_audio", input_audio: { data: url.slice(url.indexOf(",") + 1), format: audioFormat(url) } };
  }
}

/** The format's name in OpenAI's API: of `data:audio/mpeg;base64,` it is mp3. */
function audioFormat(url: string): string {
  const type = /^data:audio\/(?:x-)?([\w.+-]+)/.exec(url)?.[1] ?? "wav";
  return type === "mpeg" ? "mp3" : type === "wave" ? "wav" : type;
}

const DEFAULT_SCHEMA_NAME = "answer";

/** A schema, or `{name, schema, strict}` as the API wants it. */
function responseFormat(text: string): { response_format?: object } {
  const value = readJson(text);
  if (!isRecord(value)) return {};
  const isNamed = isText(value.name) && isRecord(value.schema);
  const json_schema = isNamed ? value : { name: DEFAULT_SCHEMA_NAME, schema: value, strict: true };
  return { response_format: { type: "json_schema", json_schema } };
}

/** The functions in the editor's text: a list of definitions, bare or as `{type, function}`; null: it is none. */
export function readTools(text: string): FunctionTool[] | null {
  if (text.trim() === "") return [];
  const value = readJson(text);
  const list = Array.isArray(value) ? value : [value];
  const tools = list.map(readTool);
  return tools.every((tool) => tool !== null) ? tools : null;
}

function readTool(value: unknown): FunctionTool | null {
  const definition = isRecord(value) && isRecord(value.function) ? value.function : value;
  const { name } = readMembers<{ name: string }>(definition, { name: isText });
  return name && isRecord(definition) ? { type: "function", function: { ...definition, name } } : null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
