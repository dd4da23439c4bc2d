import { AwsV4Signer } from "aws4fetch";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";

/** The credentials that the fake managers take. */
export const VAULT_TOKEN = "hvs.of-the-tests";
export const AWS_KEY = { id: "access-key-of-the-tests", secret: "aws-secret-of-the-tests", region: "eu-central-1" };

/**
 * Vault, AWS Secrets Manager, Google Secret Manager and Google's token service on one port of loopback, each with the checks
 * of the documented API. `secrets` holds what they have: objects by `mount/path` for Vault, texts by name for AWS, texts by
 * the name of the version for Google. `status` makes them refuse everything. `requests` counts reads by name.
 */
export async function startFakeSecretManagers() {
  const secrets = new Map<string, unknown>();
  const requests = new Map<string, number>();
  const state = { status: 200, signIns: 0, vaultToken: VAULT_TOKEN };
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });

  const find = (name: string): unknown => {
    requests.set(name, (requests.get(name) ?? 0) + 1);
    return secrets.get(name);
  };
  const signIn = (isAllowed: boolean) => {
    if (!isAllowed) return Response.json({ errors: ["invalid role or secret ID"] }, { status: 400 });
    state.signIns += 1;
    return Response.json({ auth: { client_token: state.vaultToken, lease_duration: 3600 } });
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/v1/auth/approle/login": async (request) => {
        const body = await request.json();
        return signIn(body.role_id === "role" && body.secret_id === "secret");
      },
      "/v1/auth/kubernetes/login": async (request) => {
        const body = await request.json();
        return signIn(body.role === "sluice" && body.jwt === "token-of-the-pod");
      },
      "/token": async (request) => {
        const form = new URLSearchParams(await request.text());
        const { payload } = await jwtVerify(form.get("assertion") ?? "", publicKey, { issuer: "robot@example.test" });
        if (payload.scope !== "https://www.googleapis.com/auth/cloud-platform")
          return new Response("", { status: 400 });
        return Response.json({ access_token: "google-token", expires_in: 3600 });
      },
      "/computeMetadata/v1/instance/service-accounts/default/token": (request) =>
        request.headers.get("metadata-flavor") === "Google"
          ? Response.json({ access_token: "google-token", expires_in: 3600 })
          : new Response("", { status: 403 }),
    },
    async fetch(request) {
      const { pathname, href } = new URL(request.url);
      const { status } = state;
      if (request.headers.has("x-amz-target")) {
        const body = await request.text();
        if (!(await isSigned(request, href, body))) return amazonError(400, "InvalidSignatureException");
        if (status !== 200) return amazonError(status, "InternalServiceError");
        const value = find(JSON.parse(body).SecretId);
        return value === undefined
          ? amazonError(400, "ResourceNotFoundException")
          : Response.json({ Name: "x", SecretString: value });
      }
      if (pathname.endsWith(":access")) {
        if (request.headers.get("authorization") !== "Bearer google-token") return googleError(401);
        const value = find(pathname.slice("/v1/".length, -":access".length));
        if (status !== 200 || value === undefined) return googleError(status === 200 ? 404 : status);
        return Response.json({ payload: { data: Buffer.from(String(value)).toString("base64") } });
      }
      const isAllowed = request.headers.get("x-vault-token") === state.vaultToken;
      if (!isAllowed) return Response.json({ errors: ["permission denied"] }, { status: 403 });
      const data = find(decodeURIComponent(pathname.replace(/^\/v1\/([^/]+)\/data\//, "$1/")));
      if (status !== 200) return Response.json({ errors: ["Vault is sealed"] }, { status });
      return data === undefined
        ? Response.json({ errors: [] }, { status: 404 })
        : Response.json({ data: { data, metadata: { version: 1 } } });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    secrets,
    requests,
    state,
    /** The key file of a service account that the token service knows. */
    serviceAccount: JSON.stringify({
      client_email: "robot@example.test",
      private_key: await exportPKCS8(privateKey),
      private_key_id: "1",
      token_uri: `${url}/token`,
    }),
    stop: () => server.stop(true),
  };
}

/** Whether the request's signature is the one that its content must have. */
async function isSigned(request: Request, url: string, body: string): Promise<boolean> {
  const { headers } = request;
  const signed = await new AwsV4Signer({
    method: "POST",
    url,
    headers: {
      "content-type": headers.get("content-type") ?? "",
      "x-amz-target": headers.get("x-amz-target") ?? "",
    },
    body,
    accessKeyId: AWS_KEY.id,
    secretAccessKey: AWS_KEY.secret,
    region: AWS_KEY.region,
    service: "secretsmanager",
    datetime: headers.get("x-amz-date") ?? "",
  }).sign();
  return signed.headers.get("authorization") === headers.get("authorization");
}

const amazonError = (status: number, type: string): Response =>
  Response.json({ __type: `com.amazonaws#${type}`, message: "of the tests" }, { status });

const googleError = (status: number): Response =>
  Response.json({ error: { code: status, message: "refused by the tests" } }, { status });
