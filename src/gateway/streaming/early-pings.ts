import { requestIdOf } from "../../lib/http/request.ts";
import { EVENT_STREAM_HEADERS } from "../../lib/http/sse.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { corsHeaders, requestIdHeaders } from "../request/headers.ts";
import { errorEvents } from "./respond.ts";

/**
 * Keeps the connection of a client that wants a stream open while an upstream works. If the response has not begun after one interval, opens
 * the stream with a comment, and sends another every interval until the response begins. A failure after that can no
 * longer have its HTTP status, so it becomes an error event.
 */
export function withEarlyPings(
  { services: { settings }, bodies }: Uses<"settings"> & Pick<CallTools, "bodies">,
  call: Call,
  answer: Promise<Response>,
): Promise<Response> {
  if (!settings.values["general_setting.ping_interval_enabled"]) return answer;
  bodies.keep(call.request);
  const release = () => bodies.release(call.request);
  answer.then(release, release);
  return pingUntilAnswered(call, answer, settings.values["general_setting.ping_interval_seconds"] * 1000);
}

async function pingUntilAnswered(call: Call, answer: Promise<Response>, intervalMs: number): Promise<Response> {
  const { request } = call;
  const { promise: waited, resolve: wake } = Promise.withResolvers<null>();
  const first = setTimeout(() => wake(null), intervalMs);
  const early = await Promise.race([answer, waited]).finally(() => clearTimeout(first));
  return (
    early ??
    new Response(new ReadableStream(new PingedAnswer(answer, intervalMs, call)), {
      headers: {
        ...corsHeaders(request),
        ...EVENT_STREAM_HEADERS,
        "content-type": call.endpoint.codec.streamType,
        ...requestIdHeaders(call.endpoint.codec.dialect, requestIdOf(request)),
      },
    })
  );
}

class PingedAnswer implements UnderlyingDefaultSource<Uint8Array> {
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #left = false;

  get #ping(): Uint8Array {
    return Buffer.from(this.call.endpoint.codec.ping);
  }

  constructor(
    private readonly answer: Promise<Response>,
    private readonly intervalMs: number,
    private readonly call: Call,
  ) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    controller.enqueue(this.#ping);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const reader = this.#reader ?? (await this.#open(controller));
    if (!reader) return;
    const { value, done } = await reader.read();
    if (this.#left) return;
    if (done) controller.close();
    else controller.enqueue(value);
  }

  cancel(): Promise<void> | undefined {
    this.#left = true;
    return this.#reader?.cancel();
  }

  /**
   * Waits for the response, with a comment every interval; null if it failed, after which the stream is closed with the
   * error.
   */
  async #open(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<ReadableStreamDefaultReader<Uint8Array> | null> {
    const pings = setInterval(() => {
      if (!this.#left) controller.enqueue(this.#ping);
    }, this.intervalMs);
    try {
      const { body } = await this.answer;
      this.#reader = body?.getReader() ?? null;
      if (this.#left) await this.#reader?.cancel();
      return this.#left ? null : this.#reader;
    } catch (error) {
      if (this.#left) return null;
      const known =
        error instanceof GatewayError ? error : new GatewayError(500, "internal_error", { code: "gateway_internal" });
      controller.enqueue(Buffer.from(errorEvents(this.call, known)));
      controller.close();
      return null;
    } finally {
      clearInterval(pings);
    }
  }
}
