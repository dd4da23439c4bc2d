import { createPrivateKey, createPublicKey, type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { PaymentServiceError } from "./service.ts";

/** Keys are pasted as PEM, also without its line breaks, or as the bare base64 that Alipay's tools give out. */
const derOf = (text: string): Buffer => Buffer.from(text.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");

function firstOf(readers: readonly (() => KeyObject)[], what: string): KeyObject {
  for (const read of readers) {
    try {
      return read();
    } catch {
      // The next form may fit.
    }
  }
  throw new PaymentServiceError(`${what} cannot be read`);
}

function privateKey(text: string): KeyObject {
  const key = derOf(text);
  const forms = ["pkcs8", "pkcs1"] as const;
  return firstOf(
    forms.map((type) => () => createPrivateKey({ key, format: "der", type })),
    "the private key",
  );
}

/** A public key, or that of a certificate. */
function publicKey(text: string): KeyObject {
  const key = derOf(text);
  const readers = [
    () => createPublicKey({ key, format: "der", type: "spki" }),
    () => new X509Certificate(key).publicKey,
    () => createPublicKey({ key, format: "der", type: "pkcs1" }),
  ];
  return firstOf(readers, "the public key");
}

/** RSA with SHA-256, base64. Throws PaymentServiceError when the key cannot be read. */
export const signRsa = (text: string, key: string): string =>
  sign("sha256", Buffer.from(text), privateKey(key)).toString("base64");

/** Whether a text was signed by the owner of a public key. Throws PaymentServiceError when the key cannot be read. */
export const isSignedBy = (text: string, signature: string, key: string): boolean =>
  signature !== "" && verify("sha256", Buffer.from(text), publicKey(key), Buffer.from(signature, "base64"));
