import { randomInt } from "node:crypto";
import type { Vault } from "../../lib/security/crypto.ts";

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_LENGTH = 48;

/** The columns of a key that nobody has had before. */
export function newKey(vault: Vault): { keyHash: string; keyCipher: string } {
  const key = Array.from({ length: KEY_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return { keyHash: vault.keyedHash(key), keyCipher: vault.encrypt(key) };
}
