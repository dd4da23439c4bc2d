import type { ProviderCodec } from "../../formats/conversation/codec.ts";
import { stepsOf } from "../../formats/conversation/collect-reply.ts";
import type { ReplyEvent } from "../../formats/conversation/reply.ts";
import { parseJson, recordOf, recordsOf } from "../../formats/json.ts";
import { collectOutput } from "../../formats/openai-chat/response/output.ts";
import { chunkOf } from "../../formats/openai-chat/response/stream.ts";
import { randomId } from "../../lib/http/request.ts";
import { readEvents, splitEvents } from "../../lib/http/sse.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import type { Outcome } from "../upstream/adapter.ts";

const FILTERED = "content_filter";

/** Judges an answer in OpenAI's format: a complete body, or the complete events so far. */
export function outcomeOfChat(bytes: Uint8Array): Outcome {
  const text = textOfBytes(bytes);
  const body = parseJson(text);
  let hasOutput = false;
  const note = () => {
    hasOutput = true;
  };
  const sink = { text: note, toolCall: note, other: note };
  let isFinished = false;
  let isFiltered = false;
  for (const chunk of body === undefined ? splitEvents(text).map(chunkOf) : [body]) {
    if (collectOutput(chunk, sink)) isFinished = true;
    isFiltered ||= recordsOf(recordOf(chunk)?.choices).some(({ finish_reason: reason }) => reason === FILTERED);
  }
  return outcomeOf({ hasOutput, isFinished, isFiltered });
}

/** The same in the format of a codec. */
export function outcomeOfConversation(codec: ProviderCodec, bytes: Uint8Array): Outcome {
  const state = { hasOutput: false, isFinished: false, isFiltered: false };
  for (const step of readSteps(codec, textOfBytes(bytes))) {
    if (step.type === "finish") {
      state.isFinished = true;
      state.isFiltered ||= step.reason === FILTERED;
    } else state.hasOutput ||= isOutput(step);
  }
  return outcomeOf(state);
}

function readSteps(codec: ProviderCodec, text: string): Iterable<ReplyEvent> {
  const body = parseJson(text);
  if (body !== undefined) {
    const answer = recordOf(body);
    const reply = answer && codec.decodeReply(answer);
    return reply ? stepsOf(reply) : [];
  }
  const decoder = codec.streamDecoder(randomId);
  return readEvents(text).flatMap((event) => decoder.push(event));
}

function isOutput(step: ReplyEvent): boolean {
  switch (step.type) {
    case "text":
    case "reasoning":
    case "tool-input":
      return step.text !== "";
    case "tool-start":
    case "media":
    case "native":
    case "error":
      return true;
    default:
      return false;
  }
}

function outcomeOf(state: Readonly<{ hasOutput: boolean; isFinished: boolean; isFiltered: boolean }>): Outcome {
  if (state.hasOutput) return "answered";
  if (!state.isFinished) return "pending";
  return state.isFiltered ? "filtered" : "answered";
}
