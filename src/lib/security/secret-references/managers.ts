import { readFile } from "node:fs/promises";
import { AwsV4Signer } from "aws4fetch";
import { nowSeconds } from "../../clock.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import type { SafeFetch, SafeRequest } from "../../outbound/safe-fetch.ts";
import { accessTokenForm, serviceAccountOf, TOKEN_LIFE_SECONDS } from "../service-account.ts";
import { createTokenCache } from "../token-cache.ts";
import { asObject, objectIn, type SecretReference, SecretReferenceError } from "./reference.ts";

/**
 * Reads what a secret manager has under the reference's path: a text, or the JSON of an object. Rejects SecretReferenceError.
 */
export type ReadSecret = (reference: SecretReference) => Promise<string>;

type Response = Readonly<{ status: number; body: Readonly<Record<string, unknown>> }>;

const LIMITS = { timeoutMs: 5000, maxBytes: 1_048_576, maxRedirects: 0 };

/**
 * Sends a request to a secret manager and resolves to its JSON. Redirects are not followed: they would take the credentials
 * along. Rejects SecretReferenceError where there is no answer.
 */
async function requestManager(
  fetch: SafeFetch,
  { text }: SecretReference,
  address: string,
  request: SafeRequest = {},
): Promise<Response> {
  try {
    const response = await fetch(address, { ...request, ...LIMITS });
    return { status: response.status, body: objectIn(response.text()) ?? {} };
  } catch (error) {
    if (error instanceof OutboundError) throw new SecretReferenceError(text, error.message);
    throw error;
  }
}

const LONGEST_REASON = 300;

/** The error of a manager that refuses; `reason`: its own words, which hold no secret. */
function refusedBy(manager: string, { text }: SecretReference, status: number, reason: unknown): Error {
  const words = typeof reason === "string" && reason !== "" ? `: ${reason.slice(0, LONGEST_REASON)}` : "";
  return new SecretReferenceError(text, `${manager} responded with HTTP ${status}${words}`);
}

/** A setting that the manager needs. Throws SecretReferenceError naming its variable. */
function required({ text }: SecretReference, variable: string, value: string | null): string {
  if (value !== null) return value;
  throw new SecretReferenceError(text, `${variable} is not set`);
}

export type AwsOptions = Readonly<{
  region: string | null;
  accessKeyId: string | null;
  secretAccessKey: string | null;
  sessionToken: string | null;
  endpoint: string | null;
}>;

const SERVICE = "secretsmanager";
/** The region stands in the fourth place of an ARN. */
const REGION_OF_ARN = /^arn:[^:]+:secretsmanager:([a-z0-9-]+):/;

/**
 * Reads secrets of AWS Secrets Manager, by name or ARN.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export function createAwsReader(options: AwsOptions, fetch: SafeFetch): ReadSecret {
  return async (reference) => {
    const { path } = reference;
    const region = required(reference, "AWS_REGION", REGION_OF_ARN.exec(path)?.[1] ?? options.region);
    const { sessionToken } = options;
    const suffix = region.startsWith("cn-") ? ".cn" : "";
    const signed = await new AwsV4Signer({
      method: "POST",
      url: `${options.endpoint ?? `https://${SERVICE}.${region}.amazonaws.com${suffix}`}/`,
      headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": `${SERVICE}.GetSecretValue` },
      body: JSON.stringify({ SecretId: path }),
      accessKeyId: required(reference, "AWS_ACCESS_KEY_ID", options.accessKeyId),
      secretAccessKey: required(reference, "AWS_SECRET_ACCESS_KEY", options.secretAccessKey),
      region,
      service: SERVICE,
      ...(sessionToken !== null && { sessionToken }),
    }).sign();
    const { status, body } = await requestManager(fetch, reference, signed.url.href, {
      method: "POST",
      headers: Object.fromEntries(signed.headers.entries()),
      body: JSON.stringify({ SecretId: path }),
    });
    if (status === 200 && typeof body.SecretString === "string") return body.SecretString;
    if (status === 200 && typeof body.SecretBinary === "string")
      return Buffer.from(body.SecretBinary, "base64").toString();
    const kind = typeof body.__type === "string" ? body.__type.split("#").at(-1) : "";
    throw refusedBy(
      "AWS Secrets Manager",
      reference,
      status,
      [kind, body.message ?? body.Message].filter(Boolean).join(": "),
    );
  };
}

export type GcpOptions = Readonly<{ credentialsFile: string | null; endpoint: string; metadataHost: string }>;

/** A token that expires within this time is replaced. */
const RENEW_BEFORE_S = 300;
/** The cache's only name. */
const TOKEN = "";
const SECRET = /^projects\/[^/]+\/(locations\/[^/]+\/)?secrets\/[^/]+$/;
const VERSION = /^projects\/[^/]+\/(locations\/[^/]+\/)?secrets\/[^/]+\/versions\/[^/]+$/;

/**
 * Reads secrets of Google Secret Manager: as the service account of a key file, else as the one of the machine.
 * https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access
 */
export function createGcpReader(options: GcpOptions, fetch: SafeFetch): ReadSecret {
  const tokens = createTokenCache(RENEW_BEFORE_S);

  return async (reference) => {
    const name = versionOf(reference);
    const token = await tokens.get(TOKEN, () => requestToken(options, fetch, reference));
    const url = `${options.endpoint}/v1/${name.split("/").map(encodeURIComponent).join("/")}:access`;
    const { status, body } = await requestManager(fetch, reference, url, {
      headers: { authorization: `Bearer ${token}` },
    });
    const data = asObject(body.payload)?.data;
    if (status === 200 && typeof data === "string") return Buffer.from(data, "base64").toString();
    if (status === 401) tokens.forget(TOKEN);
    throw refusedBy("Google Secret Manager", reference, status, asObject(body.error)?.message);
  };
}

/** The version that a reference names; without one the latest. */
function versionOf({ text, path }: SecretReference): string {
  if (VERSION.test(path)) return path;
  if (SECRET.test(path)) return `${path}/versions/latest`;
  throw new SecretReferenceError(
    text,
    "it must have the form secret://gcp/projects/PROJECT/secrets/NAME/versions/latest",
  );
}

async function requestToken(options: GcpOptions, fetch: SafeFetch, reference: SecretReference) {
  const { status, body } = await (options.credentialsFile === null
    ? requestManager(
        fetch,
        reference,
        `http://${options.metadataHost}/computeMetadata/v1/instance/service-accounts/default/token`,
        { headers: { "metadata-flavor": "Google" } },
      )
    : requestByKeyFile(options.credentialsFile, fetch, reference));
  if (status !== 200 || typeof body.access_token !== "string") {
    throw refusedBy("Google's token service", reference, status, body.error_description ?? body.error);
  }
  const lifeSeconds = typeof body.expires_in === "number" ? body.expires_in : TOKEN_LIFE_SECONDS;
  return { text: body.access_token, lifeSeconds };
}

async function requestByKeyFile(file: string, fetch: SafeFetch, reference: SecretReference) {
  const wrong = (reason: string) =>
    new SecretReferenceError(reference.text, `the file that GOOGLE_APPLICATION_CREDENTIALS names ${reason}: ${file}`);
  const content = await readFile(file, "utf8").catch(() => {
    throw wrong("can't be read");
  });
  const account = serviceAccountOf(content);
  if (!account) throw wrong("holds no key of a service account");
  const form = await accessTokenForm(account, nowSeconds()).catch(() => {
    throw wrong("holds no usable private key");
  });
  return requestManager(fetch, reference, account.tokenUri, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form,
  });
}

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
const VAULT_RENEW_BEFORE_S = 30;
const FORBIDDEN = 403;

/**
 * Reads secrets of HashiCorp Vault's or OpenBao's key-value engine, version 2: with a token, else signed in by a role of
 * Kubernetes or by AppRole. https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2
 */
export function createVaultReader(options: VaultOptions, fetch: SafeFetch): ReadSecret {
  const tokens = createTokenCache(VAULT_RENEW_BEFORE_S);

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
