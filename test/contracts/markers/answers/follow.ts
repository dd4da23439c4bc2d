import { anthropicClientCodec } from "../../../../src/formats/anthropic/index.ts";
import type { ClientCodec } from "../../../../src/formats/conversation/codec.ts";
import { type Reply, ReplyCollector, stepsOf } from "../../../../src/formats/conversation/collect-reply.ts";
import { emptyConversation } from "../../../../src/formats/conversation/conversation.ts";
import { geminiClientCodec } from "../../../../src/formats/gemini/index.ts";
import { interactionsClientCodec } from "../../../../src/formats/gemini-interactions/index.ts";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { openaiChatClientCodec } from "../../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../../../src/formats/openai-responses/index.ts";
import { codecOf } from "../../../../src/providers/registry.ts";
import { replyContext, stepsOfStream, written } from "../../../support/formats/fixtures.ts";
import type { Leaf } from "../requests/build.ts";
import { legible, objectsIn } from "../requests/follow.ts";

export const clientCodecs: readonly ClientCodec[] = [
  openaiChatClientCodec,
  openaiResponsesClientCodec,
  anthropicClientCodec,
  geminiClientCodec,
  interactionsClientCodec,
];

/** An answer of a provider's format, and the members by which it is followed. */
export type Answer = Readonly<{
  format: string;
  body: JsonObject;
  leaves: readonly Leaf[];
  /** The same answer as its format streams it. */
  stream?: string | null;
}>;

/**
 * How an answer reaches the client: complete; complete, for a client that asked for a stream; as a stream of the provider's
 * format, made from the answer or recorded in `streams.ts`, read and written for the client.
 */
export type Way = "complete" | "as stream" | "from stream" | "own stream";

/** A member of an answer that the client does not get. */
export type Loss = Readonly<{
  path: string;
  value: unknown;
  format: string;
  client: string;
  way: Way;
  body: JsonObject;
  /** What the client gets. */
  sent: string;
}>;

/** The client's text of the answer; null: the format's decoder takes it for none. */
function send(format: string, client: ClientCodec, body: JsonObject, way: Way): string | null {
  const codec = codecOf(format);
  const reply = codec.decodeReply(body);
  if (!reply) return null;
  const request = { ...emptyConversation(client.dialect, "asked"), wantsUsage: true };
  if (way === "complete") return JSON.stringify(client.encodeReply(reply, replyContext(), request));
  const stream = way === "as stream" ? reply : readAgain(format, reply);
  return stream && written(client, [...stepsOf(stream)], stream.usage ?? undefined, request);
}

/** The answer's stream in its own format, read by the format's decoder; null: no client speaks the format. */
function readAgain(format: string, reply: Reply): Reply | null {
  const text = ownStream(format, reply);
  if (text === null) return null;
  const collector = new ReplyCollector();
  for (const step of stepsOfStream(codecOf(format), text)) collector.push(step);
  return collector.reply;
}

function ownStream(format: string, reply: Reply | null): string | null {
  const own = clientCodecs.find(({ dialect }) => dialect === format);
  if (!own || !reply) return null;
  const request = { ...emptyConversation(own.dialect, "asked"), wantsUsage: true };
  return written(own, [...stepsOf(reply)], reply.usage ?? undefined, request);
}

/** Follows each member of an answer to a client of another format, on every way: clients of the same get its bytes. */
export function follow(
  { format, body, leaves, stream }: Answer,
  client: ClientCodec,
  isAllowed: (loss: Loss) => boolean,
): Loss[] {
  if (client.dialect === format) return [];
  const reached = objectsIn(body);
  const present = leaves.filter(
    ({ owner, key }) => reached.has(owner) && Reflect.get(owner, key) !== undefined && Reflect.get(owner, key) !== null,
  );
  const losses: Loss[] = [];
  let before: ReadonlySet<Leaf> = new Set(present);
  for (const way of ["complete", "as stream", "from stream"] as const) {
    const sent = send(format, client, body, way);
    if (sent === null) {
      if (way === "complete")
        losses.push({ path: "", value: null, format, client: client.dialect, way, body, sent: "" });
      break;
    }
    const found = legible(sent);
    const arrived = new Set<Leaf>();
    for (const leaf of before) {
      const value: unknown = Reflect.get(leaf.owner, leaf.key);
      const loss = { path: leaf.path, value, format, client: client.dialect, way, body, sent };
      if (leaf.marker !== null && found.includes(leaf.marker)) arrived.add(leaf);
      else if (isAllowed(loss)) continue;
      else if (differs(leaf, () => send(format, client, body, way) !== sent)) arrived.add(leaf);
      else losses.push(loss);
    }
    // What is lost one way is reported once, and what the provider's stream would not have isn't followed.
    before = way === "as stream" ? inOwnStream(format, body, arrived) : arrived;
  }
  if (stream) losses.push(...lostInStream({ format, body, stream }, present, client, isAllowed));
  return losses;
}

/** Follows what is in a stream of the provider's format to a client. */
function lostInStream(
  { format, body, stream }: Readonly<{ format: string; body: JsonObject; stream: string }>,
  leaves: readonly Leaf[],
  client: ClientCodec,
  isAllowed: (loss: Loss) => boolean,
): Loss[] {
  const steps = stepsOfStream(codecOf(format), stream);
  const usage = steps.flatMap((step) => (step.type === "usage" ? [step.usage] : [])).at(-1);
  const sent = written(client, steps, usage, { ...emptyConversation(client.dialect, "asked"), wantsUsage: true });
  const found = legible(sent);
  return leaves.flatMap((leaf): Loss[] => {
    const { marker, path } = leaf;
    if (marker === null || !stream.includes(marker) || found.includes(marker)) return [];
    const value: unknown = Reflect.get(leaf.owner, leaf.key);
    const loss = { path, value, format, client: client.dialect, way: "own stream" as const, body, sent };
    return isAllowed(loss) ? [] : [loss];
  });
}

/** The members that are in the answer's stream in its own format. */
function inOwnStream(format: string, body: JsonObject, leaves: ReadonlySet<Leaf>): ReadonlySet<Leaf> {
  const own = () => ownStream(format, codecOf(format).decodeReply(body));
  const text = own();
  if (text === null) return leaves;
  const found = legible(text);
  const isThere = (leaf: Leaf) =>
    (leaf.marker !== null && found.includes(leaf.marker)) || differs(leaf, () => own() !== text);
  return new Set([...leaves].filter(isThere));
}

/** Whether another value of the member makes a difference: numbers are added up, words translated. */
function differs({ owner, key, others, marker }: Leaf, isOther: () => boolean): boolean {
  const value: unknown = Reflect.get(owner, key);
  if (marker !== null && typeof value !== "number") return false;
  const tries = typeof value === "number" ? [value + 1] : others.length > 0 ? others : [undefined];
  return tries.some((other) => {
    Reflect.set(owner, key, other);
    const isDifferent = isOther();
    Reflect.set(owner, key, value);
    return isDifferent;
  });
}
