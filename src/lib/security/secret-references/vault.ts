import { readFile } from "node:fs/promises";
import type { SafeFetch } from "../../outbound/safe-fetch.ts";
import { createTokenCache } from "../token-cache.ts";
import { type ReadSecret, refusedBy, requestManager, required } from "./manager.ts";
import { asObject, type SecretReference, SecretReferenceError } from "./reference.ts";

export type VaultOptions = Readonly<{
  address: string | null;
  namespace: string | null;
  token: string | null;
  roleId: string | null;
  secretId: string | null;
  kubernetesRole: string | null;
  kubernetesTokenFile: string;
}>;

/** A token that expires within this time is replaced. */
const RENEW_BEFORE_S = 30;
const FORBIDDEN = 403;
/** The cache's only name. */
const TOKEN = "";

/**
 * Reads secrets of HashiCorp Vault's or OpenBao's key-value engine, version 2: with a token, else signed in by a role of
 * Kubernetes or by AppRole. https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2
 */
export function createVaultReader(options: VaultOptions, fetch: SafeFetch): ReadSecret {
  const tokens = createTokenCache(RENEW_BEFORE_S);

  async function read(reference: SecretReference) {
    const token = options.token ?? (await tokens.get(TOKEN, () => signIn(options, fetch, reference)));
    const [mount = "", ...path] = reference.path.split("/").map(encodeURIComponent);
    const url = `${addressOf(options, reference)}/v1/${mount}/data/${path.join("/")}`;
    return requestManager(fetch, reference, url, {
      headers: { ...namespaceOf(options), "x-vault-token": token },
    });
  }
  return async (reference) => {
    let { status, body } = await read(reference);
    // The token may have been revoked before its time.
    if (status === FORBIDDEN && tokens.forget(TOKEN)) ({ status, body } = await read(reference));
    const secret = asObject(asObject(body.data)?.data);
    if (status === 200 && secret) return JSON.stringify(secret);
    throw refusedBy("Vault", reference, status, reasonIn(body));
  };
}

/** Requests a token. https://developer.hashicorp.com/vault/api-docs/auth/kubernetes and …/approle */
async function signIn(options: VaultOptions, fetch: SafeFetch, reference: SecretReference) {
  const { roleId, secretId, kubernetesRole, kubernetesTokenFile } = options;
  if (roleId === null && kubernetesRole === null) {
    throw new SecretReferenceError(
      reference.text,
      "set VAULT_TOKEN, VAULT_KUBERNETES_ROLE, or VAULT_ROLE_ID and VAULT_SECRET_ID",
    );
  }
  const [method, form] =
    kubernetesRole === null
      ? ["approle", { role_id: roleId, secret_id: secretId ?? "" }]
      : ["kubernetes", { role: kubernetesRole, jwt: await readToken(kubernetesTokenFile, reference) }];
  const { status, body } = await requestManager(
    fetch,
    reference,
    `${addressOf(options, reference)}/v1/auth/${method}/login`,
    {
      method: "POST",
      headers: { ...namespaceOf(options), "content-type": "application/json" },
      body: JSON.stringify(form),
    },
  );
  const auth = asObject(body.auth);
  if (status !== 200 || typeof auth?.client_token !== "string") {
    throw refusedBy(`Vault's sign-in by ${method}`, reference, status, reasonIn(body));
  }
  const lifeSeconds = typeof auth.lease_duration === "number" ? auth.lease_duration : 0;
  return { text: auth.client_token, lifeSeconds };
}

async function readToken(file: string, { text }: SecretReference): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    throw new SecretReferenceError(text, `the pod's service-account token can't be read: ${file}`);
  }
}

const addressOf = ({ address }: VaultOptions, reference: SecretReference): string =>
  required(reference, "VAULT_ADDR", address);

const namespaceOf = ({ namespace }: VaultOptions): Record<string, string> =>
  namespace === null ? {} : { "x-vault-namespace": namespace };

const reasonIn = ({ errors }: Readonly<Record<string, unknown>>): string =>
  Array.isArray(errors) ? errors.filter((error) => typeof error === "string").join("; ") : "";
