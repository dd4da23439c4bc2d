import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { declaredLength } from "../limited-body.ts";
import { MalformedForm, MultipartScanner, type ScannedPart } from "./scanner.ts";

/** A member of a form. `head` has its header lines as they came; a file with a `path` lies there from `start` on. */
export type FormPart = Readonly<{ name: string; head: string }> &
  (Readonly<{ value: string }> | Readonly<{ fileName: string; file: Blob; path: string | null; start: number }>);

/** A form that was read; a large one lies on the disk until `discard`. */
export type Form = Readonly<{ parts: readonly FormPart[]; discard(): Promise<void> }>;

/** The form is larger than it may be. */
export class FormTooLarge extends Error {
  override name = "FormTooLarge";
}

type Limits = Readonly<{
  /** For the whole body. */
  maxBytes: number;
  /** Where large forms are kept; made when it is not there. */
  folder: string;
}>;

/** Forms up to this size stay in memory. */
const MOST_BYTES_IN_MEMORY = 262_144;
/** A member that is no file. */
const MOST_TEXT_BYTES = 1_048_576;
const READ_BYTES = 262_144;

/**
 * Reads a multipart form. A large one goes to the disk as it comes, so that it needs little memory and can be read again.
 * Rejects MalformedForm or FormTooLarge; then nothing is left on the disk.
 */
export async function readForm(request: Request, contentType: string, { maxBytes, folder }: Limits): Promise<Form> {
  const boundary = /boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType);
  if (!boundary) throw new MalformedForm("the content type names no boundary");
  const scanner = new MultipartScanner(boundary[1] ?? boundary[2] ?? "");
  const reported = declaredLength(request);
  if (reported !== null && reported > maxBytes) throw new FormTooLarge();
  if (reported !== null && reported <= MOST_BYTES_IN_MEMORY) {
    const bytes = await request.bytes();
    scanner.push(bytes);
    scanner.end();
    return { parts: await partsOf(scanner.parts, new Blob([bytes]), null), discard: async () => {} };
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, Bun.randomUUIDv7());
  const discard = () => rm(path, { force: true });
  try {
    if (reported !== null) await Bun.write(path, new Response(request.body));
    else await writeUpTo(path, request.body, maxBytes);
    await scan(scanner, path);
    return { parts: await partsOf(scanner.parts, Bun.file(path), path), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** A body without a declared length is written as it comes, up to the limit. */
async function writeUpTo(path: string, body: Request["body"], maxBytes: number): Promise<void> {
  const file = Bun.file(path).writer({ highWaterMark: READ_BYTES });
  try {
    let written = 0;
    for await (const piece of body ?? []) {
      written += piece.byteLength;
      if (written > maxBytes) throw new FormTooLarge();
      file.write(piece);
      await file.flush();
      // Its memory is given back now: collected later, a large form's pieces would add up.
      if (piece.byteLength === piece.buffer.byteLength) piece.buffer.transfer(0);
    }
  } finally {
    await file.end();
  }
}

/** Reads the file piece by piece into the same memory. */
async function scan(scanner: MultipartScanner, path: string): Promise<void> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(READ_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      scanner.push(buffer.subarray(0, bytesRead));
    }
    scanner.end();
  } finally {
    await file.close();
  }
}

const partsOf = (parts: readonly ScannedPart[], body: Blob, path: string | null): Promise<FormPart[]> =>
  Promise.all(parts.map((part) => partOf(part, body, path)));

async function partOf({ head, start, end }: ScannedPart, body: Blob, path: string | null): Promise<FormPart> {
  const parameters = parametersOf(onlyHeader(head, "content-disposition"));
  const name = parameters.get("name") ?? null;
  const fileName = parameters.get("filename") ?? null;
  if (name === null) throw new MalformedForm("a part has no name");
  if (fileName !== null) {
    const type = onlyHeader(head, "content-type") || "application/octet-stream";
    return { name, head, fileName, file: body.slice(start, end, type), path, start };
  }
  if (end - start > MOST_TEXT_BYTES) throw new FormTooLarge();
  return { name, head, value: await body.slice(start, end).text() };
}

/** Other readers take the first or the last of two headers of a name: parts that have two are refused. */
function onlyHeader(head: string, name: string): string {
  const values = head.split("\r\n").flatMap((line) => {
    const colon = line.indexOf(":");
    return colon > 0 && line.slice(0, colon).trim().toLowerCase() === name ? [line.slice(colon + 1).trim()] : [];
  });
  if (values.length > 1) throw new MalformedForm(`a part has two headers “${name}”`);
  return values[0] ?? "";
}

/** `form-data; name="a"; filename="b"`: a parameter with its blanks, its value in quotes or bare. */
const PARAMETER = /\s*;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

/**
 * The parameters of a disposition by their names in lower case; browsers write quotes and line ends in values as %22, %0D and
 * %0A. Throws MalformedForm where readers could differ: a name that stands twice, and what is no parameter.
 */
function parametersOf(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const type = /^[^\s;]*/.exec(header)?.[0] ?? "";
  PARAMETER.lastIndex = type.length;
  let end = type.length;
  for (let found = PARAMETER.exec(header); found; found = PARAMETER.exec(header)) {
    end = PARAMETER.lastIndex;
    const [, name = "", quoted, bare = ""] = found;
    const key = name.toLowerCase();
    if (parameters.has(key) || key === "name*") throw new MalformedForm("a part has two names");
    const text = quoted?.replace(/\\(["\\])/g, "$1") ?? bare;
    parameters.set(
      key,
      text.replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code)),
    );
  }
  if (!/^[\s;]*$/.test(header.slice(end))) throw new MalformedForm("a part has a malformed name");
  return parameters;
}
