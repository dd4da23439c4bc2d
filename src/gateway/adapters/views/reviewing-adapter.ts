import { type Reply, ReplyCollector, replyOf } from "../../../formats/conversation/collect-reply.ts";
import type { ChatDialect } from "../../../formats/conversation/conversation.ts";
import { numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { foldCompletion, isEventStream } from "../../../formats/openai-chat/response/fold-stream.ts";
import { randomId } from "../../../lib/http/request.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import { codecOf } from "../../../providers/registry.ts";
import type { AnswerReview } from "../../call/guardrails/answer/review-answer.ts";
import type { Adapter } from "../../upstream/adapter.ts";
import { adapterLike } from "./adapter-like.ts";

type Body = Buffer<ArrayBuffer>;
/** An answer that has been read to its end, and what it says; null: it is none. */
type Read = (body: Body) => Readonly<{ body: Body; reply: Reply | null }>;

/** An adapter like `inner` that reads answers to their end, has them reviewed, and only then passes them on, also as a stream. */
export const reviewingAdapter = (inner: Adapter, read: Read, review: Pick<AnswerReview, "take">): Adapter =>
  adapterLike(inner, {
    gathersStream: true,
    async awaitResult(body, ask) {
      const { body: result, reply } = read((await inner.awaitResult?.(body, ask)) ?? body);
      if (reply) await review.take(reply);
      return result;
    },
  });

/** Reads chats of a format. */
export const readChat =
  (dialect: ChatDialect): Read =>
  (body) => ({ body, reply: replyOf(codecOf(dialect), textOfBytes(body), randomId) });

/** Reads text completions; of a stream it makes the complete one. */
export const readCompletion: Read = (received) => {
  const folded = isEventStream(received) ? foldCompletion(received) : null;
  const body = folded ? Buffer.from(JSON.stringify(folded)) : received;
  const choices = recordsOf(recordOf(folded ?? parseJson(textOfBytes(received)))?.choices);
  const collector = new ReplyCollector();
  for (const [at, choice] of choices.entries())
    collector.push({ type: "text", choice: numberOf(choice.index) ?? at, text: textOf(choice.text) ?? "" });
  return { body, reply: choices.length > 0 ? collector.reply : null };
};
