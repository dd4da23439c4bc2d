import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { isDeeperThan, type JsonObject, MOST_DEPTH, parseJson, recordOf } from "../../formats/json.ts";
import {
  findBrokenLimit,
  findLikeName,
  findUnclearMember,
  type NumberLimit,
  type RequestRules,
  type UnclearMember,
} from "../../formats/request-rules.ts";
import { bytesUpTo, declaredLength } from "../../lib/http/limited-body.ts";
import { type FormPart, FormTooLarge, readForm } from "../../lib/http/multipart/read-form.ts";
import { MalformedForm } from "../../lib/http/multipart/scanner.ts";
import type { Sentence } from "../../lib/messages.ts";
import type { Reason } from "../../lib/reason.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import type { Config } from "../../server/config.ts";
import type { ClientBody } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import { createDeadlineWheel, type HasDeadline } from "../call/progress.ts";
import type { Uses } from "../call/services.ts";
import { type BodyMemory, FREE_BYTES, isWide, takeMemory } from "./body-memory.ts";

/** What `readBody` works with. */
export type ReadBodyContext = Uses<"config"> & BodyMemory;

/** The folder for large files of forms while their call lasts. */
export const formFolder = ({ dataDir }: Pick<Config, "dataDir">): string => join(dataDir, "forms");

const unpackers = lookupTable({
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
});

/**
 * Reads a JSON body, decompressing gzip, br, zstd and deflate, or a form, whose large files are on disk until
 * discarded. The size limit applies to the compressed and decompressed body; forms may have a limit of their own.
 * It takes memory until the request has ended. Rejects GatewayError, also for a body that violates the rules of its format.
 */
export async function readBody(
  context: ReadBodyContext,
  request: Request,
  rules: RequestRules,
  maxFormBytes = context.services.config.maxRequestBodyBytes,
): Promise<ClientBody> {
  const { config } = context.services;
  const contentType = request.headers.get("content-type");
  const isForm = contentType?.startsWith("multipart/form-data") === true;
  const maxBytes = isForm ? maxFormBytes : config.maxRequestBodyBytes;
  const length = declaredLength(request);
  if ((length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { requestBodyTimeoutMs } = config;
  if (isForm) {
    const reading = readFormBody(request, contentType, { maxBytes, folder: formFolder(config) }, rules);
    const read = await withBodyDeadline(reading, length ?? maxBytes, requestBodyTimeoutMs);
    if (length !== null) return read;
    return refuseIfTrailed(request).then(
      () => read,
      async (error) => {
        await read.form?.discard();
        throw error;
      },
    );
  }
  let owedBytes = length ?? 0;
  const take = (bytes: number) => {
    owedBytes += bytes;
    if (owedBytes <= FREE_BYTES) return;
    takeMemory(context, request, owedBytes);
    owedBytes = 0;
  };
  take(0);
  const encoding = request.headers.get("content-encoding");
  const reading = length === null ? bytesUpTo(request, maxBytes, take) : request.bytes();
  const sent = await withBodyDeadline(reading, length ?? maxBytes, requestBodyTimeoutMs);
  if (!sent) throw tooLarge(maxBytes);
  if (length === null) await refuseIfTrailed(request);
  const bytes = encoding ? await unpack(encoding.trim().toLowerCase(), sent, maxBytes, take) : sent;
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  const body = jsonBody(textOfBytes(bytes), bytes.byteLength, rules);
  if (isWide(body)) take(body.size);
  return body;
}

/** How long a declared trailer may take: its fields follow the body, mostly in the same packet. */
const TRAILER_WAIT_MS = 100;

/**
 * The runtime closes a connection whose chunked body ends with trailer fields: call before anything is sent to an upstream, so
 * that nothing is generated for a client that gets no answer. Rejects GatewayError.
 */
async function refuseIfTrailed({ headers, signal }: Request): Promise<void> {
  if (!signal.aborted) await Bun.sleep(0);
  for (let waitedMs = 0; headers.has("trailer") && !signal.aborted && waitedMs < TRAILER_WAIT_MS; waitedMs += 10) {
    await Bun.sleep(10);
  }
  if (signal.aborted) throw new GatewayError(499, "client_left", { code: "gateway_client_left" });
}

/** A body by its text; `size` is that of its bytes. Throws GatewayError if it violates the rules of its format. */
export function jsonBody(text: string, size: number, rules: RequestRules): ClientBody {
  const json = recordOf(parseJson(text));
  if (!json) throw invalidRequest(explainBody(text));
  checkRequest(text, json, rules);
  return { text, size, json };
}

/** Why a text is no body. */
function explainBody(text: string): Sentence {
  try {
    if (isDeeperThan(JSON.parse(text), MOST_DEPTH)) {
      return { code: "gateway_body_too_deep", params: { most: MOST_DEPTH } };
    }
  } catch {
    // Not valid, or deeper than the parser goes.
  }
  return { code: "gateway_body_no_object" };
}

async function readFormBody(
  request: Request,
  contentType: string,
  limits: Parameters<typeof readForm>[2],
  rules: RequestRules,
): Promise<ClientBody> {
  const form = await readForm(request, contentType, limits).catch((error) => {
    if (error instanceof FormTooLarge) throw tooLarge(limits.maxBytes);
    if (error instanceof MalformedForm) throw invalidRequest({ code: "gateway_body_no_form" });
    throw error;
  });
  const json: JsonObject = {};
  for (const part of form.parts) {
    if ("value" in part) json[part.name] = part.value;
    else
      json[part.name] =
        part.name in json ? [json[part.name], { bytes: part.file.size }].flat() : { bytes: part.file.size };
  }
  try {
    checkForm(form.parts, json, rules);
  } catch (error) {
    await form.discard();
    throw error;
  }
  const audio = form.parts.find(({ name }) => name === "file");
  if (audio && "file" in audio) {
    // Loaded with the first audio file: most gateways never receive one.
    const { audioSeconds } = await import("../../lib/values/audio-duration.ts");
    json.seconds = await audioSeconds(audio.file);
  }
  return { text: "", size: 0, json, form };
}

async function unpack(
  encoding: string,
  sent: Uint8Array<ArrayBuffer>,
  maxBytes: number,
  take: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === "identity" || encoding === "") return sent;
  const unpacker = unpackers[encoding];
  if (!unpacker)
    throw new GatewayError(415, "unsupported_encoding", { code: "gateway_body_encoding", params: { encoding } });
  // Most are unpacked to a few times their size; only the others need the memory of the largest.
  const usualBytes = Math.min(maxBytes, sent.byteLength * USUAL_RATIO);
  for (let most = usualBytes, taken = 0; ; taken = most, most = maxBytes) {
    take(most - taken);
    try {
      const unpacked = await unpacker(sent, { maxOutputLength: most });
      return new Uint8Array(unpacked.buffer, unpacked.byteOffset, unpacked.byteLength);
    } catch (error) {
      if (!(error instanceof RangeError)) {
        throw invalidRequest({ code: "gateway_body_not_encoded", params: { encoding } });
      }
      if (most === maxBytes) throw tooLarge(maxBytes);
    }
  }
}

/** How often a packed body is unpacked to at most. */
const USUAL_RATIO = 16;

/** The error of a request that cannot be served as it is; `param`: the member at fault. */
export const invalidRequest = (reason: Reason, param = ""): GatewayError =>
  new GatewayError(400, "invalid_request", reason, { type: "invalid_request_error", param });

/** The error of a body above the limit; bytes. */
export const tooLarge = (maxBytes: number): GatewayError =>
  new GatewayError(
    413,
    "request_too_large",
    { code: "gateway_body_too_large", params: { megabytes: Math.floor(maxBytes / 1_048_576) } },
    {
      type: "invalid_request_error",
    },
  );

/** The slowest accepted connection: 128 kbit/s. */
const MIN_BYTES_PER_MS = 16;

const deadlines = createDeadlineWheel();

/**
 * Resolves with the result of `reading`. Rejects GatewayError 408 after `timeoutMs` plus the time that `bytes` need
 * over a slow line: clients that trickle a body would otherwise hold a connection indefinitely.
 */
export async function withBodyDeadline<Body>(reading: Promise<Body>, bytes: number, timeoutMs: number): Promise<Body> {
  // Most bodies have arrived together with the headers.
  if (Bun.peek.status(reading) !== "pending") return reading;
  const { promise, resolve, reject } = Promise.withResolvers<Body>();
  const deadlineMs = performance.now() + timeoutMs + bytes / MIN_BYTES_PER_MS;
  const watched: HasDeadline = {
    place: -1,
    check(nowMs) {
      if (nowMs >= deadlineMs) reject(new GatewayError(408, "request_timeout", { code: "gateway_body_late" }, LATE));
    },
  };
  deadlines.add(watched);
  reading.then(resolve, reject);
  try {
    return await promise;
  } finally {
    deadlines.remove(watched);
  }
}

const LATE = { type: "invalid_request_error", isBodyUnread: true };

/**
 * Rejects a request that a provider may parse differently than this gateway, whose numbers cannot be priced, or with a switch
 * that is no boolean. `json` is the parsed `text`; null: its members are checked already. Throws GatewayError 400 that names the
 * member.
 */
export function checkRequest(
  text: string | null,
  json: JsonObject,
  { members, numbers, switches }: RequestRules,
): void {
  const unclear = text === null ? null : findUnclearMember(text, json, members);
  if (unclear) throw unclearMember(unclear);
  const broken = findBrokenLimit(json, numbers);
  if (broken) throw brokenLimit(broken);
  for (const name of switches) {
    const value = json[name];
    if (value != null && typeof value !== "boolean")
      throw invalidMember(name, { code: "gateway_not_boolean", params: { name } });
  }
}

/** Form fields that may have brackets or repeat: files, objects, and lists that some clients write without brackets. */
const LISTS: ReadonlySet<string> = new Set(
  `image images input_reference video timestamp_granularities include known_speaker_names known_speaker_references`.split(
    " ",
  ),
);

/** The same for a form; `json` has its fields. Throws GatewayError 400 that names the field. */
function checkForm(parts: readonly FormPart[], json: JsonObject, { members, numbers }: RequestRules): void {
  const seen = new Set<string>();
  for (const { name } of parts) {
    const [plain = name, bracket] = name.split(/(?=\[)/, 2);
    const isList = LISTS.has(plain);
    const likeName =
      findLikeName(plain, members) ?? (bracket !== undefined && !isList ? decidedBy(plain, members) : null);
    if (likeName !== null) throw unclearMember({ path: name, likeName });
    if (seen.has(name) && !isList && !name.endsWith("]")) throw unclearMember({ path: name, likeName: null });
    seen.add(name);
  }
  const broken = findBrokenLimit(json, numbers, true);
  if (broken) throw brokenLimit(broken);
}

/** The member that a form field sets, if the gateway reads it: PHP and others treat `model[]` as `model`. */
const decidedBy = (name: string, { isFreeByName }: RequestRules["members"]): string | null =>
  isFreeByName.get(name) === false ? name : null;

function unclearMember({ path, likeName }: UnclearMember): GatewayError {
  return invalidMember(
    path,
    likeName === null
      ? { code: "gateway_member_twice", params: { path } }
      : { code: "gateway_member_like", params: { path, name: likeName } },
  );
}

function brokenLimit({ path, min, max, isInteger, code }: NumberLimit): GatewayError {
  const reason = isInteger ? "gateway_integer_range" : "gateway_number_range";
  return invalidMember(path, { code: reason, params: { path, min, max } }, code);
}

const invalidMember = (param: string, reason: Sentence, code = "invalid_request"): GatewayError =>
  new GatewayError(400, code, reason, { type: "invalid_request_error", param });
