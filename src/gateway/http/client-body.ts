import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { type JsonObject, parseJson, recordOf } from "../../formats/json.ts";
import type { RequestRules } from "../../formats/request-rules/request-rules.ts";
import { bytesUpTo, declaredLength } from "../../lib/http/limited-body.ts";
import { type Form, FormTooLarge, readForm } from "../../lib/http/multipart/read-form.ts";
import { MalformedForm } from "../../lib/http/multipart/scanner.ts";
import type { Reason } from "../../lib/reason.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import type { Config } from "../../server/config.ts";
import { GatewayError } from "../call/errors.ts";
import { withBodyDeadline } from "./body-deadline.ts";
import { checkForm, checkRequest } from "./check-request.ts";

/** A request's body: as text (decompressed), and parsed. */
export type ClientBody = Readonly<{
  text: string;
  /** Size of the text in bytes. */
  size: number;
  json: JsonObject;
  /** A multipart form; then `json` has its fields, with files by their size. */
  form?: Form;
}>;

type BodyConfig = Pick<Config, "maxRequestBodyBytes" | "requestBodyTimeoutMs" | "dataDir">;

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
 * Rejects GatewayError, also for a body that violates the rules of its format.
 */
export async function readBody(
  request: Request,
  config: BodyConfig,
  rules: RequestRules,
  maxFormBytes = config.maxRequestBodyBytes,
): Promise<ClientBody> {
  const contentType = request.headers.get("content-type");
  const isForm = contentType?.startsWith("multipart/form-data") === true;
  const maxBytes = isForm ? maxFormBytes : config.maxRequestBodyBytes;
  const length = declaredLength(request);
  if ((length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const inTime = <Body>(reading: Promise<Body>) =>
    withBodyDeadline(reading, length ?? maxBytes, config.requestBodyTimeoutMs);
  if (isForm) return inTime(readFormBody(request, contentType, { maxBytes, folder: formFolder(config) }, rules));
  const encoding = request.headers.get("content-encoding");
  if (encoding === null && length !== null) return jsonBody(await inTime(request.text()), length, rules);
  const sent = await inTime(length === null ? bytesUpTo(request, maxBytes) : request.bytes());
  if (!sent) throw tooLarge(maxBytes);
  const bytes = encoding ? await unpack(encoding.trim().toLowerCase(), sent, maxBytes) : sent;
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  return jsonBody(textOfBytes(bytes), bytes.byteLength, rules);
}

function jsonBody(text: string, size: number, rules: RequestRules): ClientBody {
  const json = recordOf(parseJson(text));
  if (!json) throw invalidRequest({ code: "gateway_body_no_object" });
  checkRequest(text, json, rules);
  return { text, size, json };
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
  const json: JsonObject = Object.fromEntries(
    form.parts.map((part) => [part.name, "value" in part ? part.value : { bytes: part.file.size }]),
  );
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
): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === "identity" || encoding === "") return sent;
  const unpacker = unpackers[encoding];
  if (!unpacker)
    throw new GatewayError(415, "unsupported_encoding", { code: "gateway_body_encoding", params: { encoding } });
  try {
    return new Uint8Array(await unpacker(sent, { maxOutputLength: maxBytes }));
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    throw invalidRequest({ code: "gateway_body_not_encoded", params: { encoding } });
  }
}

export const invalidRequest = (reason: Reason, param = ""): GatewayError =>
  new GatewayError(400, "invalid_request", reason, { type: "invalid_request_error", param });

export const tooLarge = (maxBytes: number): GatewayError =>
  new GatewayError(
    413,
    "request_too_large",
    { code: "gateway_body_too_large", params: { megabytes: Math.floor(maxBytes / 1_048_576) } },
    {
      type: "invalid_request_error",
    },
  );
