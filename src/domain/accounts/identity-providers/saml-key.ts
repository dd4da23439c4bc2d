import { KeyObject } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { identityProviders } from "../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import type { Db } from "../../../../db/types.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { ProviderRow } from "./providers.ts";

/** The key that signs our requests to one SAML provider, and the certificate that its metadata shows; both in PEM. */
type SamlKey = Readonly<{ key: string; certificate: string }>;

const YEARS = 20;
const ALGORITHM = {
  ...{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 },
  publicExponent: new Uint8Array([1, 0, 1]),
};

/** The key of a provider, which is made when it is first asked for, once for all processes. */
export async function samlKeyOf(
  { db, vault }: Readonly<{ db: Db; vault: Vault }>,
  row: Pick<ProviderRow, "id" | "secretCipher">,
): Promise<SamlKey> {
  const stored = readKey(vault.decrypt(row.secretCipher));
  if (stored) return stored;
  const made = await makeKey(`sso-${row.id}`);
  const isRow = eq(identityProviders.id, row.id);
  await db
    .update(identityProviders)
    .set({ secretCipher: vault.encrypt(JSON.stringify(made)) })
    .where(and(isRow, eq(identityProviders.secretCipher, row.secretCipher)));
  const [now] = await db.select({ cipher: identityProviders.secretCipher }).from(identityProviders).where(isRow);
  return (now && readKey(vault.decrypt(now.cipher))) || made;
}

function readKey(text: string): SamlKey | null {
  // Else it is empty, or a text that was saved as a client's secret.
  if (!text.startsWith("{")) return null;
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null || !("key" in parsed) || !("certificate" in parsed)) return null;
  const { key, certificate } = parsed;
  return typeof key === "string" && typeof certificate === "string" ? { key, certificate } : null;
}

/** A certificate that vouches for itself: providers compare it with the one of the metadata, and nothing else. */
async function makeKey(name: string): Promise<SamlKey> {
  // Rarely used, so loaded with its first use; the second needs the first.
  await import("reflect-metadata");
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const [notBefore, notAfter] = [new Date(), new Date()];
  notAfter.setFullYear(notAfter.getFullYear() + YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: `CN=${name}`, notBefore, notAfter, signingAlgorithm: ALGORITHM, keys },
  });
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
  return { key, certificate: certificate.toString("pem") };
}
