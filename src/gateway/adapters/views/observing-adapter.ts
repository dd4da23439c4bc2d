import { replyOf } from "../../../formats/conversation/collect-reply.ts";
import type { ChatDialect, Part } from "../../../formats/conversation/conversation.ts";
import type { ReplyEvent } from "../../../formats/conversation/reply.ts";
import { numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { chunkOf } from "../../../formats/openai-chat/response/stream.ts";
import { randomId } from "../../../lib/http/request.ts";
import { readEvents, splitEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import { codecOf } from "../../../providers/registry.ts";
import type { StepFilter } from "../../call/guardrails/answer/step-filter.ts";
import type { Adapter } from "../../upstream/adapter.ts";
import { adapterLike, viewLike } from "./adapter-like.ts";

type Body = Buffer<ArrayBuffer>;

/** What an upstream's answer says: complete, and block by block. */
type Reads = Readonly<{
  complete(body: Body): readonly ReplyEvent[];
  stream(): (block: Buffer) => readonly ReplyEvent[];
}>;

/** An adapter like `inner` whose answers others take notes of: its client gets them as it would without. */
export function observingAdapter(inner: Adapter, reads: Reads, observers: readonly (() => StepFilter)[]): Adapter {
  const observe = (steps: readonly ReplyEvent[], taking: readonly StepFilter[]) => {
    for (const step of steps) for (const take of taking) take(step);
  };
  const observeAll = (body: Body) =>
    observe(
      reads.complete(body),
      observers.map((make) => make()),
    );
  return adapterLike(inner, {
    ...(inner.awaitResult && { awaitResult: (body, ask) => inner.awaitResult?.(body, ask) ?? Promise.resolve(body) }),
    ...(inner.gathersStream && { gathersStream: true }),
    readResponse(body, contentType) {
      observeAll(body);
      return inner.readResponse(body, contentType);
    },
    synthesizeStream(body, contentType) {
      observeAll(body);
      return inner.synthesizeStream(body, contentType);
    },
    streamView() {
      const taking = observers.map((make) => make());
      const read = reads.stream();
      const view = inner.streamView();
      return viewLike(view, (block) => {
        observe(read(block), taking);
        return view.take(block);
      });
    },
  });
}

/** Reads chats of a format. */
export const observeChat = (dialect: ChatDialect): Reads => ({
  complete: (body) =>
    (replyOf(codecOf(dialect), textOfBytes(body), randomId)?.choices ?? []).flatMap(({ parts }, choice) => [
      ...parts.flatMap((part, index) => stepsOf(part, choice, index)),
      finishOf(choice),
    ]),
  stream() {
    const decoder = codecOf(dialect).streamDecoder(randomId);
    return (block) => readEvents(textOfBytes(block)).flatMap((event) => decoder.push(event));
  },
});

/** Reads text completions. */
export const observeCompletion: Reads = {
  complete: (body) => stepsOfChoices(recordOf(parseJson(textOfBytes(body)))?.choices, true),
  stream: () => (block) =>
    splitEvents(textOfBytes(block)).flatMap((event) => stepsOfChoices(chunkOf(event)?.choices, false)),
};

const finishOf = (choice: number): ReplyEvent => ({ type: "finish", choice, reason: "stop", native: null });

const stepsOfChoices = (choices: unknown, isComplete: boolean): readonly ReplyEvent[] =>
  recordsOf(choices).flatMap(({ index, text, finish_reason: reason }, at): ReplyEvent[] => {
    const choice = numberOf(index) ?? at;
    const message: ReplyEvent = { type: "text", choice, text: textOf(text) ?? "" };
    return isComplete || textOf(reason) !== null ? [message, finishOf(choice)] : [message];
  });

function stepsOf(part: Part, choice: number, index: number): ReplyEvent[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: part.type, choice, text: part.text }];
    case "reasoning":
      return [{ type: "reasoning", choice, text: part.text }];
    case "tool-call":
      return [
        { type: "tool-start", choice, index, id: part.id, name: part.name, kind: "function" },
        { type: "tool-input", choice, index, text: part.input },
      ];
    default:
      return [];
  }
}
