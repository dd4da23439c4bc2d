import { recordOf, textOf } from "../../json.ts";
import { citedPages } from "./message-steps.ts";

/** Collects the output of a response for a local token count or the content log. */
export type OutputSink = {
  text(piece: string): void;
  toolCall(): void;
  other(): void;
  /** The id of a part that the upstream stores: audio. */
  part?(id: string): void;
  /** The response cites web pages. */
  cited?(): void;
};

/**
 * Feeds one parsed response (chat or text completion) or stream chunk into the sink: texts, reasoning, refusals, tool
 * names and arguments, and whether it has other output (audio). Returns whether it has a finish reason.
 */
export function collectOutput(answer: unknown, sink: OutputSink): boolean {
  const response = recordOf(answer);
  const choices = response?.choices;
  if (!response || !Array.isArray(choices)) return false;
  if (citedPages(response).size > 0) sink.cited?.();
  let finished = false;
  for (const item of choices) {
    const choice = recordOf(item);
    if (!choice) continue;
    if (typeof choice.finish_reason === "string") finished = true;
    addText(choice.text, sink);
    const message = recordOf(choice.delta) ?? recordOf(choice.message);
    if (!message) continue;
    addText(message.content, sink);
    addText(message.reasoning_content, sink);
    if (message.reasoning_content === undefined) addText(message.reasoning, sink);
    addText(message.refusal, sink);
    const audio = recordOf(message.audio);
    if (audio) {
      sink.other();
      const id = textOf(audio.id);
      if (id) sink.part?.(id);
    }
    if (Array.isArray(message.annotations) && message.annotations.length > 0) sink.cited?.();
    if (recordOf(message.function_call)) addCall(message.function_call, sink);
    if (Array.isArray(message.tool_calls)) {
      for (const call of message.tool_calls) addCall(recordOf(call)?.function ?? recordOf(call)?.custom, sink);
    }
  }
  return finished;
}

function addCall(value: unknown, sink: OutputSink): void {
  const called = recordOf(value);
  if (textOf(called?.name)) sink.toolCall();
  addText(called?.name, sink);
  addText(called?.arguments ?? called?.input, sink);
}

function addText(value: unknown, sink: OutputSink): void {
  if (typeof value === "string") {
    if (value !== "") sink.text(value);
  } else if (Array.isArray(value)) {
    for (const part of value) addText(recordOf(part)?.text ?? recordOf(part)?.thinking, sink);
  }
}
