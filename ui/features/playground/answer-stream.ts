import type { Answer, ToolCall } from "./chat.ts";

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

/** An answer after one more event of its stream (the text behind `data:`), so many milliseconds after the send. */
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

/** Splits a stream of bytes into the texts behind `data:`. */
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
