import { readFile } from "node:fs/promises";
import { nowSeconds } from "../../clock.ts";
import type { SafeFetch } from "../../outbound/safe-fetch.ts";
import { accessTokenForm, serviceAccountOf, TOKEN_LIFE_SECONDS } from "../service-account.ts";
import { createTokenCache } from "../token-cache.ts";
import { type ReadSecret, refusedBy, requestManager } from "./manager.ts";
import { asObject, type SecretReference, SecretReferenceError } from "./reference.ts";

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
