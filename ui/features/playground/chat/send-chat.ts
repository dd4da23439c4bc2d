import { goToLogin } from "../../../api/login-redirect.ts";
import { fetchPlain, organizationHeader } from "../../../api/request.ts";
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
  const tell = (changes: Partial<Answer>) => {
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
    tell({ requestId: response.headers.get("x-request-id") ?? "" });
    if (response.status === 401) goToLogin();
    if (!response.ok || !response.body) return tell({ status: "error", error: await errorOf(response) });
    for await (const data of eventsOf(response.body)) tell(applyEvent(answer, data, elapsed()));
    if (answer.status !== "error") tell({ status: "complete" });
  } catch {
    // If nobody stopped the stream, the connection broke.
    tell(signal.aborted ? { status: "complete" } : { status: "error", error: translate("api.unreachable") });
  } finally {
    tell({ totalMs: elapsed() });
  }
}

async function errorOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } };
    return error?.message ?? text;
  } catch {
    return text || `HTTP ${response.status}`;
  }
}

type Delta = {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  images?: { image_url?: { url?: string } }[];
  tool_calls?: { index?: number; function?: { name?: string; arguments?: string } }[];
};
type Chunk = {
  choices?: { delta?: Delta }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
  error?: { message?: string };
};

/** Applies one stream event (the text after `data:`) to an answer, a number of milliseconds after the request. */
export function applyEvent(answer: Answer, data: string, elapsedMs: number): Answer {
  if (data === "[DONE]") return answer;
  const chunk = readChunk(data);
  if (!chunk) return answer;
  if (chunk.error) return { ...answer, status: "error", error: chunk.error.message ?? data };
  const delta = chunk.choices?.[0]?.delta;
  const says = delta && (delta.content || delta.reasoning_content || delta.reasoning || delta.tool_calls);
  return {
    ...answer,
    status: "incomplete",
    firstMs: answer.firstMs || (says ? elapsedMs : 0),
    content: answer.content + (delta?.content ?? ""),
    reasoning: answer.reasoning + (delta?.reasoning_content ?? delta?.reasoning ?? ""),
    tools: delta?.tool_calls ? withTools(answer.tools, delta.tool_calls) : answer.tools,
    images: [...answer.images, ...(delta?.images ?? []).flatMap(({ image_url }) => image_url?.url ?? [])],
    promptTokens: chunk.usage?.prompt_tokens ?? answer.promptTokens,
    completionTokens: chunk.usage?.completion_tokens ?? answer.completionTokens,
  };
}

function readChunk(data: string): Chunk | null {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    return null;
  }
}

function withTools(tools: readonly ToolCall[], parts: NonNullable<Delta["tool_calls"]>): readonly ToolCall[] {
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
