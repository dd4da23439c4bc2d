import type { Catalog } from "../../catalog/catalog.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import { type JsonObject, numberOf, parseJson, recordOf } from "../../formats/json.ts";
import { isErrorAnswer, readError } from "../../formats/openai-chat/errors.ts";
import { embeddingUsage } from "../../formats/openai-chat/response/stream.ts";
import { readUsage } from "../../formats/openai-chat/response/usage.ts";
import { LARGE_BYTES, LongStrings } from "../../lib/http/json-body.ts";
import type { StreamedBody } from "../../lib/http/streamed-body.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { type FormFile, formatFor, type NativeFormat, type PollRequest } from "../../providers/contract/chat.ts";
import { isText } from "../../providers/shared/recognize-response.ts";
import type { Call } from "../call/call.ts";
import { ruledChanges } from "../call/overrides.ts";
import type { Route, SentBody } from "../call/route.ts";
import { OutputMeter } from "../money/output-meter.ts";
import {
  type Adapter,
  type CompleteResponse,
  type EncodedRequest,
  type StreamView,
  UNKNOWN_FAILURE,
} from "../upstream/adapter.ts";
import { isOpenAiEmbedding } from "./passthrough-adapter.ts";
import { EventsView, responseAsEvents } from "./views/events-view.ts";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 3_000;
const GIVE_UP_MS = 300_000;
const IS_MEDIA = /^(image|audio|video)\//;
const IS_BYTES = /^((image|audio|video)\/|application\/octet-stream)/;
const IMAGE_CAPABILITIES: ReadonlySet<string> = new Set(["images", "image-edits"]);
const JSON_TYPE = "application/json";

/** Handles calls other than chats for a provider with a format of its own; waits for jobs. */
export class NativeAdapter implements Adapter {
  readonly readError = readError;
  #sent: JsonObject = {};
  #first: JsonObject | undefined;
  #parsed: Readonly<{ body: Uint8Array<ArrayBuffer>; answer: JsonObject | null }> | null = null;

  constructor(
    private readonly call: Call,
    private readonly route: Route,
    private readonly format: NativeFormat,
    private readonly catalog: Catalog,
    /** Takes memory for the form's files, which are read into it here. Throws GatewayError. */
    private readonly takeMemory: (bytes: number) => void,
  ) {}

  async encode(): Promise<EncodedRequest> {
    const { body, endpoint } = this.call;
    const { channel, provider, key, upstreamModel: model } = this.route;
    const dialect = formatFor(provider, model, key);
    const dropped = new Set<string>();
    const files = await this.#files();
    const encoded = this.format.encode(body.json, model, dropped, files);
    const ask = { capability: endpoint.capability, dialect, model, stream: false, catalog: this.catalog };
    const set = { ...encoded, ...channel.paramOverride };
    this.#sent = channel.overrideRules ? { ...set, ...ruledChanges(this.call, this.route, set) } : set;
    const formFiles = this.format.formFiles?.(body.json, model, files);
    const isLarge = body.size > LARGE_BYTES || files.length > 0;
    const urlTail = this.format.urlTail?.(body.json);
    return {
      ask: urlTail === undefined ? ask : { ...ask, urlTail },
      body: formFiles ? await formOf(this.#sent, formFiles) : jsonOf(this.#sent, isLarge),
      dropped: [...dropped],
    };
  }

  /** Polls a job until it is done; returns its last response. */
  async awaitResult(
    body: Buffer<ArrayBuffer>,
    ask: (poll: PollRequest) => Promise<Buffer<ArrayBuffer>>,
  ): Promise<Buffer<ArrayBuffer>> {
    const { format } = this;
    const { channel } = this.route;
    const first = format.pending ? this.#answerOf(body) : null;
    if (!first) return body;
    const job = { sent: this.#sent, first };
    this.#first = first;
    let answer = body;
    const until = performance.now() + GIVE_UP_MS;
    for (let waitMs = FIRST_WAIT_MS; performance.now() < until; waitMs = Math.min(MAX_WAIT_MS, waitMs * 1.5)) {
      const parsed = this.#answerOf(answer);
      const next = parsed && format.pending?.(channel, parsed, job);
      if (!next) break;
      await Bun.sleep(waitMs);
      answer = await ask(next);
    }
    return answer;
  }

  findError(body: Uint8Array<ArrayBuffer>): string | null {
    const answer = this.#answerOf(body);
    if (!answer) return null;
    const failure = this.format.failure?.(answer);
    if (failure) return JSON.stringify({ error: { ...failure, type: "upstream_error", param: null } });
    return isErrorAnswer(answer) ? textOfBytes(body) : null;
  }

  findStreamError(): string | null {
    return null;
  }

  /** Never called: this adapter never requests a stream. */
  startsResponse(): boolean {
    return true;
  }

  statusOf(error: string): number {
    return numberOf(recordOf(recordOf(parseJson(error))?.error)?.status) ?? UNKNOWN_FAILURE;
  }

  readResponse(body: Uint8Array<ArrayBuffer>, contentType: string): CompleteResponse | null {
    const { endpoint, body: request } = this.call;
    const content = this.#content(body, contentType);
    if (content) return content;
    const answer = this.#decode(body, contentType);
    if (!answer) return null;
    const write = (complete: JsonObject): string => {
      const written = JSON.stringify(complete);
      const amended = endpoint.amend?.(request.json, Buffer.from(written));
      return typeof amended === "string" ? amended : amended ? JSON.stringify(amended) : written;
    };
    const lacksUsage = isOpenAiEmbedding(endpoint) && this.#reported(answer) === null;
    const complete = lacksUsage
      ? (billed: Usage) => write({ ...answer, usage: embeddingUsage(billed) })
      : write(answer);
    return this.#answered(answer, complete, JSON_TYPE);
  }

  synthesizeStream(body: Uint8Array<ArrayBuffer>, contentType: string): CompleteResponse | null {
    // Audio is not sent as events, even if the client requests a stream.
    const content = this.#content(body, contentType);
    if (content) return content;
    const answer = this.#decode(body, contentType);
    const { capability } = this.call.endpoint;
    return answer && this.#answered(answer, responseAsEvents(capability, answer), "text/event-stream; charset=utf-8");
  }

  streamView(): StreamView {
    return new EventsView(() => null);
  }

  async #files(): Promise<FormFile[]> {
    const parts = this.call.body.form?.parts.filter((part) => "file" in part) ?? [];
    this.takeMemory(parts.reduce((sum, { file }) => sum + file.size, 0));
    return Promise.all(parts.map(async ({ name, file }) => ({ name, bytes: await file.bytes(), type: file.type })));
  }

  #content(body: Uint8Array<ArrayBuffer>, contentType: string): CompleteResponse | null {
    const answer = IS_MEDIA.test(contentType) ? null : this.#answerOf(body);
    const { body: request, endpoint } = this.call;
    const content = answer && this.format.content?.(answer, request.json);
    if (!content) return null;
    const written = endpoint.wrapAudio?.(content, request.json) ?? content;
    return this.#answered(this.#decode(body, contentType), written.body, written.contentType);
  }

  #decode(body: Uint8Array<ArrayBuffer>, contentType: string): JsonObject | null {
    const { endpoint, body: request } = this.call;
    const answer = IS_MEDIA.test(contentType) ? null : this.#answerOf(body);
    const decoded = answer
      ? this.format.decode(answer, request.json, this.#first)
      : IS_BYTES.test(contentType) && !isText(body, contentType)
        ? (this.format.decodeBytes?.(body) ?? null)
        : null;
    const model = isOpenAiEmbedding(endpoint) && { model: this.call.summary.model };
    return (
      decoded && {
        ...model,
        ...decoded,
        ...(IMAGE_CAPABILITIES.has(endpoint.capability) && { created: this.call.createdAt }),
      }
    );
  }

  #answered(answer: JsonObject | null, body: CompleteResponse["body"], contentType: string): CompleteResponse {
    const meter = new OutputMeter();
    meter.other();
    return { body, contentType, reported: this.#reported(answer), meter: meter };
  }

  /** The body as an object, parsed once: it may hold megabytes of audio or images as text. */
  #answerOf(body: Uint8Array<ArrayBuffer>): JsonObject | null {
    if (this.#parsed?.body !== body) this.#parsed = { body, answer: recordOf(parseJson(textOfBytes(body))) };
    return this.#parsed.answer;
  }

  #reported(answer: JsonObject | null): Usage | null {
    return this.call.endpoint.meter?.(this.call, answer, this.route.price, this.catalog) ?? readUsage(answer?.usage);
  }
}

function jsonOf(value: JsonObject, isLarge: boolean): SentBody {
  if (!isLarge) return JSON.stringify(value);
  const long = new LongStrings();
  return long.body(long.stringify(value), value);
}

/** A form of these fields and files; lists are fields of the same name, objects are JSON. */
async function formOf(fields: JsonObject, files: readonly FormFile[]): Promise<StreamedBody> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const each of Array.isArray(value) ? value : [value])
      form.append(name, typeof each === "object" ? JSON.stringify(each) : String(each));
  }
  for (const { name, bytes, type: stated } of files) {
    const type = stated || "image/png";
    form.append(name, new Blob([bytes], { type }), `${name}.${type.split("/")[1]}`);
  }
  // Its type names the boundary.
  const encoded = await new Response(form).blob();
  return { contentType: encoded.type, contentLength: encoded.size, stream: () => encoded.stream() };
}
