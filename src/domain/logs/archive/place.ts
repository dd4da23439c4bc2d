import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import type { Language } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch, SafeResponse } from "../../../lib/outbound/safe-fetch.ts";
import { reasonOf, sayReason } from "../../../lib/reason.ts";
import { isSecretReference } from "../../../lib/security/secret-references/reference.ts";
import type { SecretReader } from "../../../lib/security/secret-references/secret-reader.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

/** Where archived files lie. Every operation rejects with a reason that holds no secret. */
export type ArchivePlace = Readonly<{
  kind: PlaceKind;
  /** The folder, or host and bucket. */
  target: string;
  /** Resolves when the file is stored for good. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The bytes from `start` to before `end`; rejects where there are fewer. */
  read(name: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Deletes the file if there is one. */
  remove(name: string): Promise<void>;
}>;

type PlaceKind = "folder" | "s3";

export type PlaceDeps = Readonly<{
  settings: Pick<SettingsReader, "get">;
  fetch: SafeFetch;
  secretReader: Pick<SecretReader, "read">;
  config: Readonly<{ dataDir: string; archiveDir: string | null }>;
}>;

/** The folder of archives. */
const archiveFolder = ({ dataDir, archiveDir }: PlaceDeps["config"]): string => archiveDir ?? join(dataDir, "archive");

/** Opens a place as the settings describe it now. Rejects OperationError where these are incomplete. */
export async function openPlace(kind: PlaceKind, deps: PlaceDeps): Promise<ArchivePlace> {
  if (kind === "folder") return openFolder(archiveFolder(deps.config));
  const { settings, fetch, secretReader } = deps;
  const [url, bucket] = [settings.get("ArchiveS3Url"), settings.get("ArchiveS3Bucket")];
  const keys = [settings.get("ArchiveS3AccessKeyId"), settings.get("ArchiveS3SecretAccessKey")];
  if ([url, bucket, ...keys].some((text) => text === "")) throw new OperationError("archive_s3_incomplete");
  const [accessKeyId = "", secretAccessKey = ""] = await Promise.all(
    keys.map((key) => (isSecretReference(key) ? secretReader.read(key) : key)),
  );
  const region = settings.get("ArchiveS3Region");
  return openS3({ url, bucket, region, prefix: settings.get("ArchiveS3Prefix"), accessKeyId, secretAccessKey }, fetch);
}

/** Writes, reads and deletes a small file. Throws OperationError with the reason when that fails. */
export async function testPlace(deps: PlaceDeps, language: Language): Promise<void> {
  const kind = deps.settings.get("LogArchive");
  if (kind === "off") throw new OperationError("archive_off");
  const name = `test-${Bun.randomUUIDv7()}`;
  const bytes = new TextEncoder().encode(name);
  try {
    const place = await openPlace(kind, deps);
    await place.write(name, bytes);
    const read = await place.read(name, 0, bytes.length);
    await place.remove(name);
    if (!Buffer.from(read).equals(bytes)) throw new Error("the file that was read is not the one that was written");
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError("archive_place_failed", { reason: sayReason(reasonOf(error), language) });
  }
}

/** A folder of this host, or one that all hosts share. */
function openFolder(root: string): ArchivePlace {
  return {
    kind: "folder",
    target: root,
    async write(name, bytes) {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(`${path}.part`, "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.part`, path);
      await syncFolder(dirname(path));
    },
    async read(name, start, end) {
      const bytes = await Bun.file(join(root, name)).slice(start, end).bytes();
      if (bytes.length !== end - start) throw new Error(`${name} ends before byte ${end}`);
      return bytes;
    },
    async remove(name) {
      await rm(join(root, `${name}.part`), { force: true });
      await rm(join(root, name), { force: true });
    },
  };
}

/** Makes the name of a new file survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

type S3Options = Readonly<{
  url: string;
  region: string;
  bucket: string;
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}>;

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 256 * 1024 * 1024;
const LONGEST_REJECTION = 200;

/**
 * S3-compatible storage with path-style addresses, which AWS, MinIO and R2 understand.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
function openS3({ url, region, bucket, prefix, ...keys }: S3Options, fetch: SafeFetch): ArchivePlace {
  const folder = prefix.replace(/^\/+|\/+$/g, "");
  const request = async (
    method: "GET" | "PUT" | "DELETE",
    name: string,
    { headers = {}, body }: Readonly<{ headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> }>,
    accepted: readonly number[],
  ): Promise<SafeResponse> => {
    const path = [bucket, ...(folder ? [folder] : []), name].join("/");
    const signed = await new AwsV4Signer({
      method,
      url: `${url.replace(/\/+$/, "")}/${path}`,
      headers: { ...headers, "x-amz-content-sha256": Bun.SHA256.hash(body ?? "", "hex") },
      ...{ region, service: "s3", ...keys },
    }).sign();
    const response = await fetch(signed.url.href, {
      ...{ method, headers: Object.fromEntries(signed.headers.entries()), timeoutMs: TIMEOUT_MS },
      ...{ maxBytes: MAX_BYTES, maxRedirects: 0, ...(body && { body }) },
    });
    if (accepted.includes(response.status)) return response;
    const detail = response.text().replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_REJECTION);
    throw new Error(`HTTP ${response.status}${detail && `: ${detail}`}`);
  };
  return {
    kind: "s3",
    target: `${URL.parse(url)?.host ?? ""}/${bucket}`,
    async write(name, body) {
      const headers = { "content-type": "application/vnd.apache.parquet" };
      await request("PUT", name, { headers, body }, [200]);
    },
    async read(name, start, end) {
      const { body } = await request("GET", name, { headers: { range: `bytes=${start}-${end - 1}` } }, [206]);
      if (body.length !== end - start) throw new Error(`${name} ends before byte ${end}`);
      return new Uint8Array(body);
    },
    async remove(name) {
      await request("DELETE", name, {}, [200, 204, 404]);
    },
  };
}
