import { join } from "node:path";
import type { Language } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { reasonOf, sayReason } from "../../../lib/reason.ts";
import { isSecretReference } from "../../../lib/security/secret-references/reference.ts";
import type { SecretReader } from "../../../lib/security/secret-references/secret-reader.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { openFolder } from "./folder.ts";
import { openS3 } from "./s3.ts";

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

export type PlaceKind = "folder" | "s3";

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
