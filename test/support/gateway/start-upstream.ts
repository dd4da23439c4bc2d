type Received = { path: string; headers: Headers; text: string; aborted: boolean };
type Answering = (received: Received, request: Request, count: number) => Response | Promise<Response>;

/** What it is besides: a WebSocket, whose messages are requests and whose frames are the lines of the answers. */
type Kind = Readonly<{
  webSocket?: boolean;
  /** Answers what is not to be remembered; null: it is. */
  otherPaths?(path: string, request: Request): Promise<Response | null>;
}>;

/** An upstream on a free loopback port that answers as a test says and remembers what it was sent. */
export function startUpstream(answer: Answering, { webSocket = false, otherPaths }: Kind = {}) {
  const received: Received[] = [];
  const server = Bun.serve<{ request: Request }>({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    websocket: {
      async message(socket, message) {
        const { request } = socket.data;
        const { headers, url } = request;
        const entry = { path: new URL(url).pathname, headers, text: String(message), aborted: false };
        received.push(entry);
        const text = await (await answer(entry, request, received.length)).text();
        for (const frame of text.split("\n")) if (frame !== "") socket.send(frame);
        socket.close();
      },
    },
    async fetch(request, self) {
      if (webSocket && self.upgrade(request, { data: { request } })) return;
      const aside = await otherPaths?.(new URL(request.url).pathname, request);
      if (aside) return aside;
      const entry: Received = {
        path: new URL(request.url).pathname,
        headers: request.headers,
        text: await request.text(),
        aborted: false,
      };
      received.push(entry);
      request.signal.addEventListener("abort", () => {
        entry.aborted = true;
      });
      return answer(entry, request, received.length);
    },
    error: () => new Response(null, { status: 500 }),
  });
  return { url: `http://127.0.0.1:${server.port}`, received, stop: () => server.stop(true) };
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** A complete chat answer in OpenAI's form. */
export const chatReply = (fields: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello there" }, finish_reason: "stop" }],
  usage: USAGE,
  ...fields,
});

/** One chunk of a chat stream as an event. */
export const chunk = (delta: object, rest: object = {}, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "gpt-4o",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...rest,
  })}\n\n`;

export const usageChunk = (usage: object = USAGE): string => chunk({}, { choices: [], usage });
export const DONE = "data: [DONE]\n\n";

export const sse = (body: BodyInit): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

/** Text to send, milliseconds to wait, something else to wait for, or how the connection breaks. */
export type PacedStep = string | number | (() => Promise<void>) | Error;

/** A stream of events, step by step. */
export function pacedSse(steps: readonly PacedStep[], onCancel: () => void = () => {}): Response {
  const rest = [...steps];
  let cancelled = false;
  return sse(
    new ReadableStream({
      async pull(controller) {
        for (;;) {
          const step = rest.shift();
          if (step === undefined) return controller.close();
          if (step instanceof Error) return controller.error(step);
          if (typeof step === "string") return controller.enqueue(Buffer.from(step));
          await (typeof step === "number" ? Bun.sleep(step) : step());
          if (cancelled) return;
        }
      },
      cancel() {
        cancelled = true;
        onCancel();
      },
    }),
  );
}
