import type { Attachment } from "./chat.ts";

/** What can be picked, pasted and dropped. */
export const ACCEPTED = "image/*,application/pdf,audio/*,.mp3,.wav,.m4a,.ogg,.flac";

/** Requests have a limit too; a file grows by a third on the way. */
const MOST_BYTES = 20 * 1_048_576;

/** Why a file is not attached. */
export class AttachmentError extends Error {
  override name = "AttachmentError";
  constructor(
    readonly reason: "type" | "size",
    readonly file: string,
  ) {
    super(reason);
  }
}

/** The file as a part of a question. Rejects AttachmentError when no model takes it. */
export async function toAttachment(file: File): Promise<Attachment> {
  const kind = kindOf(file);
  if (!kind) throw new AttachmentError("type", file.name);
  if (file.size > MOST_BYTES) throw new AttachmentError("size", file.name);
  return { kind, name: file.name, url: await dataUrlOf(file) };
}

function kindOf({ type, name }: File): Attachment["kind"] | null {
  if (type.startsWith("image/")) return "image";
  if (type.startsWith("audio/") || /\.(mp3|wav|m4a|ogg|flac)$/i.test(name)) return "audio";
  return type === "application/pdf" || /\.pdf$/i.test(name) ? "file" : null;
}

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
