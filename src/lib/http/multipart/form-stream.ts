import { open } from "node:fs/promises";
import { randomId } from "../request.ts";
import { directStream, type StreamedBody } from "../streamed-body.ts";
import type { FormPart } from "./read-form.ts";

/** What is sent: bytes, or a part of a file. */
type Piece = Uint8Array | Readonly<{ path: string; start: number; length: number }>;

const READ_BYTES = 65_536;
/** Some clients number the members of a list, which servers that know `name[]` do not take. */
const NUMBERED_NAME = /(\bname="[^"[]+)\[\d+\]"/i;

/** Rewrites a form: every part unchanged, except those with a new value (undefined: the part is left out). */
export async function outgoingForm(
  parts: readonly FormPart[],
  changes: Readonly<Record<string, string | undefined>>,
): Promise<StreamedBody> {
  const boundary = randomId("sluice-");
  const pieces: Piece[] = [];
  const add = (head: string, content: Piece) =>
    pieces.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from("\r\n"));
  for (const part of parts) {
    if (!Object.hasOwn(changes, part.name)) add(part.head.replace(NUMBERED_NAME, '$1[]"'), await contentOf(part));
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) add(`Content-Disposition: form-data; name="${name}"`, Buffer.from(value));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: pieces.reduce((sum, piece) => sum + piece.length, 0),
    stream: () => streamOf(pieces),
  };
}

async function contentOf(part: FormPart): Promise<Piece> {
  if ("value" in part) return Buffer.from(part.value);
  const { path, start, file } = part;
  return path === null ? new Uint8Array(await file.arrayBuffer()) : { path, start, length: file.size };
}

const streamOf = (pieces: readonly Piece[]): ReadableStream<Uint8Array> =>
  directStream(async (controller) => {
    for (const piece of pieces) {
      if (!("path" in piece)) controller.write(piece);
      else await sendFile(piece, controller);
    }
  });

async function sendFile(
  { path, start, length }: Exclude<Piece, Uint8Array>,
  controller: ReadableStreamDirectController,
): Promise<void> {
  const file = await open(path);
  try {
    const buffer = new Uint8Array(READ_BYTES);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, length - at), start + at);
      if (bytesRead === 0) throw new Error("a file of the form is gone");
      at += bytesRead;
      controller.write(buffer.subarray(0, bytesRead));
      await controller.flush();
    }
  } finally {
    await file.close();
  }
}
