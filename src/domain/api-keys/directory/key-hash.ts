import { createHash } from "node:crypto";
import type { Vault } from "../../../lib/security/crypto.ts";

type Hasher = Pick<Vault, "keyedHash">;

/**
 * The keyed hash of a key of which only the SHA-256 is known (hex, of the key with `sk-`), as LiteLLM stores it. `sha256:`
 * keeps it apart from the hashes of keys.
 */
export const hashOfDigest = (vault: Hasher, digest: string): string =>
  vault.keyedHash(`sha256:${digest.toLowerCase()}`);

/** How a key without `sk-` is found if it was imported by its SHA-256. */
export const importedKeyHash = (vault: Hasher, key: string): string =>
  hashOfDigest(vault, createHash("sha256").update(`sk-${key}`).digest("hex"));

/** A key, and the channel that an administrator names behind it; null: none, NaN: its id is no number. */
export type KeyForm = Readonly<{ key: string; channelId: number | null }>;

const CHANNEL_ID = /^\d{1,9}$/;

/**
 * What a text with or without `sk-` may mean, in the order in which to look: keys that came from other gateways have dashes, and a
 * dash may come before a channel's id as well.
 */
export function keyForms(text: string): readonly [KeyForm, ...KeyForm[]] {
  const bare = text.startsWith("sk-") ? text.slice(3) : text;
  if (!bare.includes("-")) return [{ key: bare, channelId: null }];
  const [key = "", suffix = ""] = bare.split("-");
  const end = bare.lastIndexOf("-");
  const last = bare.slice(end + 1);
  return [
    { key: bare, channelId: null },
    ...(CHANNEL_ID.test(last) ? [{ key: bare.slice(0, end), channelId: Number(last) }] : []),
    { key, channelId: suffix === "" ? null : CHANNEL_ID.test(suffix) ? Number(suffix) : Number.NaN },
  ];
}
