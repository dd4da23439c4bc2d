import { goToLogin } from "../../../api/login-redirect.ts";
import { fetchPlain, organizationHeader } from "../../../api/request.ts";
import {
  isListOf,
  isNullable,
  isNumber,
  isOptional,
  isRecord,
  isShape,
  isText,
  readMembers,
  readRecord,
} from "../../../lib/json.ts";
import { translate } from "../../../state/i18n.ts";
import { readUser } from "../../../state/stored-user.ts";
import { type Answer, type ChatBody, emptyAnswer, type ToolCall } from "./chat.ts";

/**
 * Sends a chat and reports the answer as it streams. Resolves when it ends: failures are part of the answer, and an
 * aborted answer keeps what was received.
 */
export async function sendChat(body: ChatBody, onAnswer: (answer: Answer) => void, signal: AbortSignal): Promise<void> {
  const start = performance.now();
  let answer = emptyAnswer(body.model);
  const apply = (changes: Partial<Answer>) => {
    answer = { ...answer, ...changes };
    onAnswer(answer);
  };
  const elapsed = () => Math.round(performance.now() - start);
  try {
    const user = readUser();
    const response = await fetchPlain("/pg/chat/completions", {
      method: "POST",
      credentials: "same-origin",
      headers: {
        "Content-Type": "application/json",
        "Accept-Language": document.documentElement.lang || "en",
        ...(user && { "Sluice-User": String(user.id) }),
        ...organizationHeader(),
      },
      body: JSON.stringify(body),
      signal,
    });
    apply({ requestId: response.headers.get("x-request-id") ?? "" });
    if (response.status === 401) goToLogin();
    if (!response.ok || !response.body) return apply({ status: "error", ...(await errorOf(response)) });
    for await (const data of eventsOf(response.body)) apply(applyEvent(answer, data, elapsed()));
    if (answer.status !== "error") apply({ status: "complete" });
  } catch {
    // If nobody stopped the stream, the connection broke.
    apply(signal.aborted ? { status: "complete" } : { status: "error", error: translate("api.unreachable") });
  } finally {
    apply({ totalMs: elapsed() });
  }
}

async function errorOf(response: Response): Promise<Pick<Answer, "error" | "errorCode">> {
  const text = await response.text();
  const failure = readRecord(text)?.error;
  const error = (isFailure(failure) && failure.message) || text || `HTTP ${response.status}`;
  return { error, ...(isRecord(failure) && typeof failure.code === "string" && { errorCode: failure.code }) };
}

/** A member that may be missing or null. */
const isMaybe = <Value>(isValue: (value: unknown) => value is Value) => isOptional(isNullable(isValue));

type Failure = { message?: string | null };
const isFailure = isShape<Failure>({ message: isMaybe(isText) });

type ToolCallPart = { index?: number; function?: { name?: string | null; arguments?: string | null } };
const isToolCallPart = isShape<ToolCallPart>({
  index: isOptional(isNumber),
  function: isOptional(
    isShape<NonNullable<ToolCallPart["function"]>>({ name: isMaybe(isText), arguments: isMaybe(isText) }),
  ),
});

type ImagePart = { image_url?: { url?: string } };
const isImage = isShape<ImagePart>({ image_url: isOptional(isShape<{ url?: string }>({ url: isOptional(isText) })) });

type Delta = {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  images?: ImagePart[] | null;
  tool_calls?: ToolCallPart[] | null;
};
const DELTA = {
  content: isMaybe(isText),
  reasoning_content: isMaybe(isText),
  reasoning: isMaybe(isText),
  images: isMaybe(isListOf(isImage)),
  tool_calls: isMaybe(isListOf(isToolCallPart)),
};

type Usage = { prompt_tokens: number; completion_tokens: number };
const USAGE = { prompt_tokens: isNumber, completion_tokens: isNumber };

/** Applies one stream event (the text after `data:`) to an answer, a number of milliseconds after the request. */
export function applyEvent(answer: Answer, data: string, elapsedMs: number): Answer {
  if (data === "[DONE]") return answer;
  const chunk = readRecord(data);
  if (!chunk) return answer;
  const { error } = chunk;
  if (error) return { ...answer, status: "error", error: (isFailure(error) && error.message) || data };
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : null;
  const delta = readMembers<Delta>(isRecord(choice) ? choice.delta : null, DELTA);
  const usage = readMembers<Usage>(chunk.usage, USAGE);
  const says = delta.content || delta.reasoning_content || delta.reasoning || delta.tool_calls;
  return {
    ...answer,
    status: "incomplete",
    firstMs: answer.firstMs || (says ? elapsedMs : 0),
    content: answer.content + (delta.content ?? ""),
    reasoning: answer.reasoning + (delta.reasoning_content ?? delta.reasoning ?? ""),
    tools: delta.tool_calls ? withTools(answer.tools, delta.tool_calls) : answer.tools,
    images: [...answer.images, ...(delta.images ?? []).flatMap(({ image_url }) => image_url?.url ?? [])],
    promptTokens: usage.prompt_tokens ?? answer.promptTokens,
    completionTokens: usage.completion_tokens ?? answer.completionTokens,
  };
}

function withTools(tools: readonly ToolCall[], parts: readonly ToolCallPart[]): readonly ToolCall[] {
  const next = [...tools];
  for (const { index = 0, function: part } of parts) {
    const known = next[index] ?? { name: "", arguments: "" };
    next[index] = { name: known.name + (part?.name ?? ""), arguments: known.arguments + (part?.arguments ?? "") };
  }
  return next;
}

/** Splits a byte stream into the texts after `data:`. */
export async function* eventsOf(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const lines = (rest + step.value).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data:")) yield line.slice(5).trim();
  }
  if (rest.startsWith("data:")) yield rest.slice(5).trim();
}
