import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { type JsonObject, parseJson, recordOf } from "../dialects/json.ts";
import { audioSeconds } from "../lib/audio-duration.ts";
import { textOfBytes } from "../lib/bytes.ts";
import { RelayError } from "./errors.ts";

/** A request's body: as it came (unpacked), and read. */
export type ClientBody = Readonly<{
  bytes: Uint8Array<ArrayBuffer>;
  text: string;
  json: JsonObject;
  /** A multipart form; then `json` has its members, files by their size. */
  form?: FormData;
}>;

const unpackers = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** Reads a JSON body, unpacking gzip, br, zstd and deflate; `maxBytes` counts packed and unpacked. Rejects RelayError. */
export async function readBody(request: Request, maxBytes: number): Promise<ClientBody> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.headers.get("content-type")?.startsWith("multipart/form-data")) return readForm(request);
  const encoding = request.headers.get("content-encoding");
  const sent = await request.bytes();
  const bytes = encoding ? await unpack(encoding.trim().toLowerCase(), sent, maxBytes) : sent;
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  const text = textOfBytes(bytes);
  const json = recordOf(parseJson(text));
  if (!json) throw invalidRequest("The request body is not a JSON object.");
  return { bytes, text, json };
}

async function readForm(request: Request): Promise<ClientBody> {
  let form: FormData;
  try {
    form = (await request.formData()) as FormData;
  } catch {
    throw invalidRequest("The request body is not a valid multipart form.");
  }
  const sound = form.get("file");
  const seconds = sound instanceof Blob ? await audioSeconds(sound) : 0;
  const json: JsonObject = { seconds };
  for (const [name, value] of form) json[name] = typeof value === "string" ? value : { bytes: value.size };
  return { bytes: NO_BYTES, text: "", json, form };
}

const NO_BYTES = new Uint8Array(0);

async function unpack(
  encoding: string,
  sent: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === "identity" || encoding === "") return sent;
  const unpacker = encoding in unpackers ? unpackers[encoding as keyof typeof unpackers] : null;
  if (!unpacker)
    throw new RelayError(415, "unsupported_encoding", `The content encoding “${encoding}” is not supported.`);
  try {
    return new Uint8Array(await unpacker(sent, { maxOutputLength: maxBytes }));
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    throw invalidRequest(`The request body is not valid ${encoding}.`);
  }
}

export const invalidRequest = (message: string, param = ""): RelayError =>
  new RelayError(400, "invalid_request", message, { type: "invalid_request_error", param });

const tooLarge = (maxBytes: number): RelayError =>
  new RelayError(413, "request_too_large", `The request body is larger than ${Math.floor(maxBytes / 1_048_576)} MB.`, {
    type: "invalid_request_error",
  });
