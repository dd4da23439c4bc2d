import { type Behavior, behaviorOf } from "./behaviors.ts";
import * as payloads from "./payloads.ts";

/** A request as the upstream received it. */
export type ReceivedRequest = {
  method: string;
  path: string;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
  /** The caller went away before the answer was complete. */
  aborted: boolean;
  /** Bytes of the answer were sent to the end. */
  completed: boolean;
};

export type FakeUpstream = Readonly<{
  /** Base address for a channel, without /v1. */
  url: string;
  /** Every request so far, oldest first; empty it as you like. */
  requests: ReceivedRequest[];
  /** Streams that are open now. */
  openStreams: () => number;
  /** Streams that wait for release(). */
  waitingStreams: () => number;
  /** Lets every stream that waits (hold-after-N) go on to its end. */
  release: () => void;
  stop: () => Promise<void>;
}>;

export const UPSTREAM_KEY = "sk-upstream-key";
const UPSTREAM_MODELS = ["gpt-4o", "gpt-4o-mini", "text-embedding-3-small"] as const;

/**
 * Starts an upstream that speaks OpenAI's API (chat and text completions, embeddings, images, orders of videos, models, billing) on a free loopback port.
 * How it answers follows from the model's name, see behaviorOf. Calls need a bearer key; "sk-wrong" is refused.
 */
export function startFakeUpstream(): FakeUpstream {
  const requests: ReceivedRequest[] = [];
  const state = { open: 0, waiting: 0, gate: Promise.withResolvers<void>() };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    // Streams that die on purpose would else be reported as errors of the test run.
    development: false,
    error: () => errorReply(500),
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const text = await request.text();
      const received: ReceivedRequest = {
        method: request.method,
        path: pathname,
        headers: request.headers,
        body: parse(text),
        aborted: false,
        completed: false,
      };
      requests.push(received);
      request.signal.addEventListener("abort", () => {
        received.aborted = !received.completed;
      });
      const key = request.headers.get("authorization")?.replace(/^Bearer /, "");
      if (!key || key === "sk-wrong") return errorReply(401);
      if (pathname === "/v1/models") return Response.json(payloads.modelList(UPSTREAM_MODELS));
      const balance = payloads.BALANCES[pathname];
      if (balance) return Response.json(balance);
      const reply = await answer(received, state);
      if (
        !(reply.body instanceof ReadableStream) ||
        !reply.headers.get("content-type")?.startsWith("text/event-stream")
      ) {
        received.completed = true;
      }
      return reply;
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    openStreams: () => state.open,
    waitingStreams: () => state.waiting,
    release() {
      state.gate.resolve();
      state.gate = Promise.withResolvers();
    },
    stop: () => server.stop(true),
  };
}

type State = { open: number; waiting: number; gate: PromiseWithResolvers<void> };

async function answer(received: ReceivedRequest, state: State): Promise<Response> {
  const model = String(received.body?.model ?? "");
  const behavior = behaviorOf(model);
  if (behavior.firstByteMs) await Bun.sleep(behavior.firstByteMs);
  if (behavior.errorStatus !== null) return errorReply(behavior.errorStatus);
  const streamed = received.body?.stream === true;
  switch (received.path) {
    case "/v1/chat/completions":
      return streamed
        ? eventStream(chatChunks(received.body, model, behavior), behavior, received, state)
        : json(payloads.chatCompletion(model, behavior.usage, behavior.calls), behavior);
    case "/v1/completions":
      return streamed
        ? eventStream(
            payloads.textChunks(model, includesUsage(received.body) ? behavior.usage : null),
            behavior,
            received,
            state,
          )
        : json(payloads.textCompletion(model, behavior.usage ?? payloads.DEFAULT_USAGE), behavior);
    case "/v1/embeddings":
      return json(embed(received.body, model), behavior);
    case "/v1/images/generations":
      return json({ created: 1, data: [{ url: "https://images.example/1.png" }] }, behavior);
    case "/v1/videos":
      return json({ id: "video_1", object: "video", model, status: "queued", progress: 0, seconds: "4" }, behavior);
    default:
      return unknownUrl(received.path);
  }
}

/** OpenAI's answer at a path that it does not have. */
const unknownUrl = (path: string): Response => {
  const error = { message: `Invalid URL (POST ${path})`, type: "invalid_request_error", param: null, code: null };
  return Response.json({ error }, { status: 404 });
};

type Body = Readonly<{ input?: unknown; encoding_format?: string; stream_options?: { include_usage?: boolean } }>;

function includesUsage(body: Body): boolean {
  return body.stream_options?.include_usage === true;
}

function chatChunks(body: Body, model: string, behavior: Behavior): object[] {
  return payloads.chatChunks(model, {
    includeUsage: includesUsage(body),
    usage: behavior.usage,
    usageWithChoices: behavior.usageWithChoices,
    calls: behavior.calls,
    ...(behavior.words === null ? {} : { words: Array.from({ length: behavior.words }, (_, index) => ` w${index}`) }),
  });
}

function embed(body: Body, model: string) {
  const inputs = Array.isArray(body.input) ? body.input.length : 1;
  return payloads.embeddings(model, inputs, body.encoding_format === "base64");
}

function json(body: object, behavior: Behavior): Response {
  if (!behavior.gzip) return Response.json(body, { headers: { "x-request-id": "req_upstream" } });
  return new Response(Bun.gzipSync(JSON.stringify(body)), {
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
  });
}

function errorReply(status: number): Response {
  const headers = status === 429 ? { "retry-after": "1" } : undefined;
  return Response.json(payloads.errorBody(status), { status, ...(headers && { headers }) });
}

/** Streams the chunks as server-sent events, and does on the way what the behavior says. */
function eventStream(chunks: object[], behavior: Behavior, received: ReceivedRequest, state: State): Response {
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
  const encoder = new TextEncoder();
  let sent = 0;
  let closed = false;
  state.open += 1;
  const close = () => {
    if (!closed) state.open -= 1;
    closed = true;
  };
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (behavior.after?.chunks === sent) {
        if (behavior.after.next === "die") {
          close();
          controller.error(new Error("the upstream died"));
          return;
        }
        if (behavior.after.next === "silence") await new Promise(() => {});
        state.waiting += 1;
        await state.gate.promise;
        state.waiting -= 1;
      }
      if (behavior.gapMs && sent > 0) await Bun.sleep(behavior.gapMs);
      if (closed) return;
      controller.enqueue(encoder.encode(events[sent]));
      sent += 1;
      if (sent < events.length) return;
      received.completed = true;
      close();
      controller.close();
    },
    cancel() {
      received.aborted = true;
      close();
    },
  });
  return new Response(stream, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
  });
}

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return text;
  }
}
