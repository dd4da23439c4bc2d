import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { askService, failedAt } from "./provider.ts";

/** Public-key signatures only: with a shared secret, or none, anybody with the client's data could sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const CLOCK_TOLERANCE_SECONDS = 60;

type Expected = Readonly<{
  /** The provider as people know it. */
  label: string;
  /** Where its keys are. */
  keys: string;
  issuer: string;
  audience: string;
  /** "" when the browser built the address by itself. */
  nonce: string;
}>;

/** The claims of an id token whose signature, issuer, audience, time and nonce are right. Throws OperationError. */
export async function verifyIdToken(
  fetch: SafeFetch,
  { label, keys, issuer, audience, nonce }: Expected,
  token: unknown,
): Promise<JWTPayload> {
  if (typeof token !== "string") throw failedAt(label, "the answer has no id token");
  const set = await askService(fetch, label, keys);
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(set as unknown as JSONWebKeySet), {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["sub", "exp", "iat"],
    });
    if (nonce !== "" && payload.nonce !== nonce) throw new Error("it has another nonce");
    // The party that the token was issued to (OpenID Connect Core 1.0, 3.1.3.7).
    if (payload.azp !== undefined && payload.azp !== audience) throw new Error('unexpected "azp" claim value');
    return payload;
  } catch (error) {
    throw failedAt(label, `the id token was refused: ${messageOf(error)}`);
  }
}
