import { timingSafeEqual } from "node:crypto";
import type { drawingTasks, mediaTasks } from "../../../db/schema/tasks.ts";
import { sayStored } from "../../lib/reason.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SettingsReader } from "../../settings/settings.ts";

/** What an address without an API key is good for. */
type SignedPurpose = "mj-image" | "mj-notify";

const SIGNATURE_CHARACTERS = 32;

/** The number of a task as addresses carry it that nobody is to guess: `17-5f2c…`. */
const signId = (vault: Pick<Vault, "keyedHash">, purpose: SignedPurpose, id: number): string =>
  `${id}-${signatureOf(vault, purpose, id)}`;

/** The number that was signed for this purpose; null: it was not. */
export function readSignedId(vault: Pick<Vault, "keyedHash">, purpose: SignedPurpose, signed: string): number | null {
  const [number = "", signature = ""] = signed.split("-");
  const id = Number(number);
  if (!Number.isSafeInteger(id) || id <= 0 || signature.length !== SIGNATURE_CHARACTERS) return null;
  const right = Buffer.from(signatureOf(vault, purpose, id));
  const input = Buffer.from(signature);
  return input.length === right.length && timingSafeEqual(input, right) ? id : null;
}

const signatureOf = (vault: Pick<Vault, "keyedHash">, purpose: SignedPurpose, id: number): string =>
  vault.keyedHash(`${purpose}:${id}`).slice(0, SIGNATURE_CHARACTERS);

export type DrawingRow = typeof drawingTasks.$inferSelect;
export type MediaRow = typeof mediaTasks.$inferSelect;

/** What addresses of this site depend on. */
export type Site = Readonly<{ settings: SettingsReader; vault: Pick<Vault, "keyedHash"> }>;

/** A drawing task as the drawing protocol has it. */
export const viewDrawing = (site: Site, row: DrawingRow) => ({
  id: row.mjId,
  action: row.action,
  customId: row.customId,
  botType: row.botType,
  prompt: row.prompt,
  promptEn: row.promptEn,
  description: row.description,
  state: row.state,
  submitTime: row.submitTime,
  startTime: row.startTime,
  finishTime: row.finishTime,
  imageUrl: imageUrlOf(site, row),
  status: row.status,
  progress: row.progress,
  failReason: sayStored(row.failReason, "en"),
  buttons: row.buttons ?? [],
  maskBase64: "",
  properties: row.properties ?? {},
});

/** Where clients fetch the image: through the gateway (MjForwardUrlEnabled), else where the upstream says. */
function imageUrlOf(site: Site, row: Image): string {
  const path = imagePathOf(site, row);
  return path === row.imageUrl ? path : siteAddress(site.settings) + path;
}

type Image = Pick<DrawingRow, "id" | "imageUrl" | "status" | "progress">;

/** The same on this very site. Unfinished images change, so their address does too. */
export function imagePathOf({ settings, vault }: Site, row: Image): string {
  if (row.imageUrl === "" || !settings.get("MjForwardUrlEnabled")) return row.imageUrl;
  const path = `/mj/image/${signId(vault, "mj-image", row.id)}`;
  return row.status === "SUCCESS" ? path : `${path}?rand=${encodeURIComponent(row.progress)}`;
}

/** Where the upstream of a drawing task may report its state. */
export const callbackUrlOf = ({ settings, vault }: Site, id: number): string =>
  `${siteAddress(settings)}/mj/notify/${signId(vault, "mj-notify", id)}`;

const siteAddress = (settings: SettingsReader): string => settings.get("ServerAddress").replace(/\/+$/, "");

/** A music task as the music protocol has it; times in seconds. */
export const viewSong = (row: MediaRow) => ({
  task_id: row.taskId,
  action: row.action,
  status: row.status,
  fail_reason: sayStored(row.failReason, "en"),
  submit_time: row.submitTime,
  start_time: row.startTime,
  finish_time: row.finishTime,
  progress: row.progress,
  data: row.data,
});
