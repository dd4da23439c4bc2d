import { timingSafeEqual } from "node:crypto";
import type { Vault } from "../../lib/security/crypto.ts";

/** What an address without an API key is good for. */
export type SignedPurpose = "mj-image" | "mj-notify";

const SIGNATURE_CHARACTERS = 32;

/** The number of a task as addresses carry it that nobody is to guess: `17-5f2c…`. */
export const signId = (vault: Pick<Vault, "keyedHash">, purpose: SignedPurpose, id: number): string =>
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
