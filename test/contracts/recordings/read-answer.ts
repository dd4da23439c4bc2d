import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";

/** What an answer says, read without the code under test: of a recording, and of what a client gets for it. */
export type ReadAnswer = Readonly<{
  /** Reasoning, then text; without the tags that some models put between, which other formats have no place for. */
  text: string;
  calls: readonly Readonly<{ name: string; input: unknown }>[];
  usage: Readonly<{ prompt: number; cached: number; completion: number }> | null;
}>;

export type AnswerFormat = "chat" | "responses" | "messages" | "gemini" | "converse" | "dashscope";

type Draft = { thought: string; text: string; calls: { name: string; input: string }[]; usage: ReadAnswer["usage"] };
/** Adds what one record of a stream, or a complete answer, says. */
type Read = (record: JsonObject, draft: Draft) => void;

const count = (value: unknown): number => numberOf(value) ?? 0;
/** A text, or the texts of a list of parts. */
const textIn = (value: unknown): string =>
  typeof value === "string"
    ? value
    : recordsOf(value)
        .map(({ type, text, thinking }) => (type === "thinking" ? textIn(thinking) : (textOf(text) ?? "")))
        .join("");

function addCall(draft: Draft, { name, input, at }: { name: unknown; input: unknown; at?: unknown }): void {
  const call = numberOf(at) === null ? undefined : draft.calls[count(at)];
  const piece = typeof input === "string" ? input : input === undefined ? "" : JSON.stringify(input);
  if (call) call.input += piece;
  else draft.calls.push({ name: textOf(name) ?? "", input: piece });
}

const chat: Read = ({ choices, usage, object }, draft) => {
  for (const { delta: piece, message } of recordsOf(choices)) {
    // Perplexity writes both: in a stream the message so far, in an answer an empty piece.
    const delta = object === "chat.completion" ? null : recordOf(piece);
    const { content, reasoning_content, reasoning, tool_calls } = delta ?? recordOf(message) ?? {};
    const parts = recordsOf(content);
    draft.thought += textOf(reasoning_content) ?? textOf(reasoning) ?? "";
    draft.thought += textIn(parts.filter(({ type }) => type === "thinking"));
    draft.text += typeof content === "string" ? content : textIn(parts.filter(({ type }) => type !== "thinking"));
    for (const { index, function: called } of recordsOf(tool_calls)) {
      const { name, arguments: input } = recordOf(called) ?? {};
      addCall(draft, { name, input, at: delta ? (index ?? draft.calls.length) : undefined });
    }
  }
  const counted = recordOf(usage);
  if (!counted || numberOf(counted.prompt_tokens) === null) return;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = counted;
  const cached = recordOf(prompt_tokens_details)?.cached_tokens ?? counted.num_cached_tokens ?? counted.cached_tokens;
  draft.usage = { prompt: count(prompt_tokens), cached: count(cached), completion: count(completion_tokens) };
};

const responses: Read = (record, draft) => {
  const final = recordOf(record.response);
  if (final && !/^response\.(completed|incomplete)$/.test(textOf(record.type) ?? "")) return;
  const { output, usage } = final ?? record;
  for (const item of recordsOf(output)) {
    if (item.type === "function_call") addCall(draft, { name: item.name, input: item.arguments });
    if (item.type === "reasoning") draft.thought += textIn(item.summary) + textIn(item.content);
    if (item.type === "message") draft.text += textIn(item.content);
  }
  const counted = recordOf(usage);
  if (!counted) return;
  const cached = count(recordOf(counted.input_tokens_details)?.cached_tokens);
  draft.usage = { prompt: count(counted.input_tokens), cached, completion: count(counted.output_tokens) };
};

const messages: Read = (record, draft) => {
  const blocks = recordsOf(record.content);
  const started = recordOf(record.content_block);
  for (const block of started ? [started] : blocks) {
    draft.thought += textOf(block.thinking) ?? "";
    draft.text += textOf(block.text) ?? "";
    if (block.type === "tool_use") addCall(draft, { name: block.name, input: started ? "" : block.input });
  }
  const { thinking, text, partial_json } = recordOf(record.delta) ?? {};
  draft.thought += textOf(thinking) ?? "";
  draft.text += textOf(text) ?? "";
  if (partial_json !== undefined) addCall(draft, { name: "", input: partial_json, at: draft.calls.length - 1 });
  const counted = recordOf(record.usage) ?? recordOf(recordOf(record.message)?.usage);
  if (!counted) return;
  const before = draft.usage ?? { prompt: 0, cached: 0, completion: 0 };
  const read = counted.cache_read_input_tokens ?? counted.cached_tokens;
  const cached = read === undefined ? before.cached : count(read);
  draft.usage = {
    cached,
    prompt:
      counted.input_tokens === undefined
        ? before.prompt
        : count(counted.input_tokens) + cached + count(counted.cache_creation_input_tokens),
    completion: count(counted.output_tokens),
  };
};

const gemini: Read = ({ candidates, usageMetadata }, draft) => {
  for (const { content } of recordsOf(candidates)) {
    for (const { text, thought, functionCall } of recordsOf(recordOf(content)?.parts)) {
      draft[thought === true ? "thought" : "text"] += textOf(text) ?? "";
      const called = recordOf(functionCall);
      if (called) addCall(draft, { name: called.name, input: called.args ?? {} });
    }
  }
  const counted = recordOf(usageMetadata);
  if (!counted) return;
  draft.usage = {
    prompt: count(counted.promptTokenCount) + count(counted.toolUsePromptTokenCount),
    cached: count(counted.cachedContentTokenCount),
    completion: count(counted.candidatesTokenCount) + count(counted.thoughtsTokenCount),
  };
};

const converse: Read = ({ output, start, delta, usage }, draft) => {
  const started = recordOf(recordOf(start)?.toolUse);
  if (started) addCall(draft, { name: started.name, input: "" });
  const piece = recordOf(delta);
  for (const block of piece ? [piece] : recordsOf(recordOf(recordOf(output)?.message)?.content)) {
    const { text, toolUse, reasoningContent } = block;
    const thought = recordOf(reasoningContent);
    draft.text += textOf(text) ?? "";
    draft.thought += textOf(recordOf(thought?.reasoningText)?.text) ?? textOf(thought?.text) ?? "";
    const called = recordOf(toolUse);
    if (called)
      addCall(draft, { ...called, name: called.name, input: called.input, at: piece && draft.calls.length - 1 });
  }
  const counted = recordOf(usage);
  if (!counted) return;
  const cached = count(counted.cacheReadInputTokens);
  const prompt = count(counted.inputTokens) + cached + count(counted.cacheWriteInputTokens);
  draft.usage = { prompt, cached, completion: count(counted.outputTokens) };
};

const dashscope: Read = ({ output, usage }, draft) => {
  chat({ choices: recordsOf(recordOf(output)?.choices).map(({ message }) => ({ delta: message })) }, draft);
  draft.text += textOf(recordOf(output)?.text) ?? "";
  const counted = recordOf(usage);
  if (!counted) return;
  const { input_tokens, output_tokens, prompt_tokens_details } = counted;
  const cached = count(recordOf(prompt_tokens_details)?.cached_tokens);
  draft.usage = { prompt: count(input_tokens), cached, completion: count(output_tokens) };
};

const READERS: Readonly<Record<AnswerFormat, Read>> = { chat, responses, messages, gemini, converse, dashscope };

/** The records of an answer: of one JSON value, or of the events of a stream. */
const recordsIn = (text: string): JsonObject[] => {
  const complete = recordOf(parseJson(text));
  return complete
    ? [complete]
    : recordsOf([...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => parseJson(data)));
};

/** Reads an answer in a format. */
export function readAnswer(format: AnswerFormat, text: string): ReadAnswer {
  const draft: Draft = { thought: "", text: "", calls: [], usage: null };
  for (const record of recordsIn(text)) READERS[format](record, draft);
  const bare = (draft.thought + draft.text).replace(/<\/?think>/g, "");
  return {
    text: bare.replace(/\s+/g, " ").trim(),
    calls: draft.calls.map(({ name, input }) => ({ name, input: parseJson(input === "" ? "{}" : input) })),
    usage: draft.usage,
  };
}
