import { leaveForSignIn } from "../../../api/login-redirect.ts";
import { fetchPlain, organizationHeader } from "../../../api/request.ts";
import { isNumber, isRecord, readMembers, readRecord } from "../../../lib/json.ts";
import { translate } from "../../../state/i18n.ts";
import { readUser } from "../../../state/stored-user.ts";
import type { Answer, Citation, ToolCall } from "./chat.ts";
import type { ChatBody } from "./chat-body.ts";
import { DELTA, type Delta, isFailure, type ToolCallPart } from "./stream-shapes.ts";

/**
 * Sends a chat and reports the answer, which begins as `start`, as it streams. Resolves with it when it ends: failures are part
 * of the answer, and an aborted answer keeps what was received.
 */
export async function sendChat(
  body: ChatBody,
  start: Answer,
  onAnswer: (answer: Answer) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const startMs = performance.now();
  let answer = start;
  const apply = (changes: Partial<Answer>) => {
    answer = { ...answer, ...changes };
    onAnswer(answer);
  };
  const elapsed = () => Math.round(performance.now() - startMs);
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
    const dropped = (response.headers.get("x-sluice-dropped") ?? "").split(",").map((name) => name.trim());
    apply({
      requestId: response.headers.get("x-request-id") ?? "",
      dropped: dropped.filter((name) => name !== "" && !name.startsWith("stream_options")),
    });
    if (response.status === 401) leaveForSignIn();
    if (!response.ok || !response.body) apply({ status: "error", ...(await errorOf(response)) });
    else for await (const data of eventsOf(response.body)) apply(applyEvent(answer, data, elapsed()));
    if (answer.status !== "error") apply({ status: "complete" });
  } catch {
    // If nobody stopped the stream, the connection broke.
    apply(signal.aborted ? { status: "complete" } : { status: "error", error: translate("api.unreachable") });
  }
  apply({ totalMs: elapsed(), tools: answer.tools.map(withId) });
  return answer;
}

/** Some services stream calls without ids, which results need. */
const withId = (tool: ToolCall, index: number): ToolCall => (tool.id ? tool : { ...tool, id: `call_${index}` });

async function errorOf(response: Response): Promise<Pick<Answer, "error" | "errorCode">> {
  const text = await response.text();
  const failure = readRecord(text)?.error;
  const error = (isFailure(failure) && failure.message) || text || `HTTP ${response.status}`;
  return { error, ...(isRecord(failure) && typeof failure.code === "string" && { errorCode: failure.code }) };
}

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
  const reasoning = delta.reasoning_content || delta.reasoning || "";
  const { data: audio, transcript } = delta.audio ?? {};
  const says = delta.content || delta.tool_calls?.length || delta.images?.length || audio || transcript;
  const firstMs = answer.firstMs || (says || reasoning ? elapsedMs : 0);
  const endsReasoning = says && answer.reasoning !== "" && answer.reasoningMs === 0;
  return {
    ...answer,
    status: "incomplete",
    firstMs,
    content: answer.content + (delta.content ?? "") + (transcript ?? ""),
    reasoning: answer.reasoning + reasoning,
    reasoningMs: endsReasoning ? Math.max(1, elapsedMs - firstMs) : answer.reasoningMs,
    tools: delta.tool_calls ? withTools(answer.tools, delta.tool_calls) : answer.tools,
    images: [...answer.images, ...(delta.images ?? []).flatMap(({ image_url }) => image_url?.url ?? [])],
    audio: audio ? [...answer.audio, audio] : answer.audio,
    citations: withCitations(
      answer.citations,
      (delta.annotations ?? []).flatMap(({ url_citation: page }) =>
        page?.url ? [{ url: page.url, title: page.title || page.url }] : [],
      ),
    ),
    promptTokens: usage.prompt_tokens ?? answer.promptTokens,
    completionTokens: usage.completion_tokens ?? answer.completionTokens,
  };
}

function withTools(tools: readonly ToolCall[], parts: readonly ToolCallPart[]): readonly ToolCall[] {
  const next = [...tools];
  for (const { index = 0, id, function: part } of parts) {
    const known = next[index] ?? { id: "", name: "", arguments: "" };
    next[index] = {
      id: known.id || (id ?? ""),
      name: known.name + (part?.name ?? ""),
      arguments: known.arguments + (part?.arguments ?? ""),
    };
  }
  return next;
}

/** Each page once. */
const withCitations = (known: readonly Citation[], found: readonly Citation[]): readonly Citation[] =>
  found.length === 0 ? known : [...new Map([...known, ...found].map((page) => [page.url, page])).values()];

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
