import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { type EventText, readEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import { EventBuffer } from "../../upstream/event-buffer.ts";
import type { McpEvents, McpTurn } from "./turn.ts";

type Options = Readonly<{
  turn: McpTurn;
  events: McpEvents;
  /** The next round's response. */
  next(): Promise<Response>;
  /** Makes the calls of a round. */
  makeCalls(response: JsonObject): Promise<void>;
  /** The response is complete. */
  complete(): Promise<void>;
  /** The client has left. */
  leave(): void;
  /** All is over, however it ended. */
  close(): void;
  /** What keeps a connection open while tools run, and how often; 0: never. */
  ping: string;
  pingMs: number;
}>;

/** The streams of all rounds as one, from the first round's on. Cancelling it leaves the round under way. */
export function streamRounds(first: Response, options: Options): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  const texts = rounds(first, options, (opened) => {
    reader = opened;
  });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    async cancel() {
      options.leave();
      await reader?.cancel().catch(() => {});
      await texts.return(undefined);
    },
  });
}

async function* rounds(
  first: Response,
  { turn, events, next, makeCalls, complete, close, ping, pingMs }: Options,
  onOpen: (reader: ReadableStreamDefaultReader<Uint8Array>) => void,
): AsyncGenerator<string, void> {
  try {
    for (let answer = first; ; answer = await next()) {
      const reader = answer.ok ? answer.body?.getReader() : null;
      if (!reader) {
        yield events.fail(recordOf(parseJson(await answer.text())) ?? {});
        return;
      }
      onOpen(reader);
      for await (const text of forward(reader, events, ping)) yield text;
      const response = events.takeResponse();
      // A round that failed has reported it in its stream.
      if (!response) return;
      for await (const text of withPings(makeCalls(response), ping, pingMs)) yield text;
      yield events.results();
      if (turn.goesOn()) continue;
      await complete();
      yield events.end();
      return;
    }
  } finally {
    close();
  }
}

/** What the client gets of one round. */
async function* forward(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  events: McpEvents,
  ping: string,
): AsyncGenerator<string> {
  const buffer = new EventBuffer();
  for (;;) {
    const { value, done } = await reader.read();
    const block = textOfBytes(done ? buffer.takePending() : buffer.push(Buffer.from(value)));
    const read = readEvents(block);
    // A comment keeps the connection open.
    const text = read.length === 0 ? block && ping : read.map((event: EventText) => events.push(event)).join("");
    if (text !== "") yield text;
    if (done) return;
  }
}

async function* withPings(work: Promise<void>, ping: string, pingMs: number): AsyncGenerator<string> {
  if (pingMs === 0) return await work;
  for (;;) {
    const { promise: waited, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, pingMs, false);
    const isDone = await Promise.race([work.then(() => true), waited]).finally(() => clearTimeout(timer));
    if (isDone) return;
    yield ping;
  }
}
