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
