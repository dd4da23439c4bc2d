import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AWS_KEY, startFakeSecretManagers, VAULT_TOKEN } from "../../../../test/support/lib/fake-secret-managers.ts";
import { SecretReferenceError } from "./reference.ts";
import { createSecretReader, type SecretManagers } from "./secret-reader.ts";

const VAULT = "secret://vault/secret/llm/openai#key";
const AWS = "secret://aws/prod/openai#key";
const GCP = "secret://gcp/projects/p/secrets/openai/versions/latest";

let managers: Awaited<ReturnType<typeof startFakeSecretManagers>>;
let folder = "";
beforeAll(async () => {
  managers = await startFakeSecretManagers();
  folder = await mkdtemp(join(tmpdir(), "sluice-references-"));
  await writeFile(join(folder, "account.json"), managers.serviceAccount);
  await writeFile(join(folder, "pod-token"), "token-of-the-pod\n");
});
afterAll(async () => {
  await managers.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  Object.assign(managers.state, { status: 200, signIns: 0, vaultToken: VAULT_TOKEN });
  managers.requests.clear();
  managers.secrets.clear();
  managers.secrets.set("secret/llm/openai", { key: "sk-vault", other: "sk-other" });
  managers.secrets.set("prod/openai", JSON.stringify({ key: "sk-aws" }));
  managers.secrets.set("plain", " sk-plain \n");
  managers.secrets.set("projects/p/secrets/openai/versions/latest", "sk-google");
});

type Changes = { [Group in keyof SecretManagers]?: Partial<SecretManagers[Group]> };

function openReader(changes: Changes = {}, refreshMs = 60_000) {
  return createSecretReader({
    refreshMs,
    vault: {
      ...{ address: managers.url, namespace: null, token: VAULT_TOKEN, roleId: null, secretId: null },
      ...{ kubernetesRole: null, kubernetesTokenFile: join(folder, "pod-token") },
      ...changes.vault,
    },
    aws: {
      ...{ region: AWS_KEY.region, accessKeyId: AWS_KEY.id, secretAccessKey: AWS_KEY.secret },
      ...{ sessionToken: null, endpoint: managers.url },
      ...changes.aws,
    },
    gcp: {
      ...{ credentialsFile: join(folder, "account.json"), endpoint: managers.url },
      metadataHost: new URL(managers.url).host,
      ...changes.gcp,
    },
  });
}

describe("a reference is resolved", () => {
  test.each([
    ["of Vault", VAULT, "sk-vault"],
    ["of AWS, a field", AWS, "sk-aws"],
    ["of AWS, the whole secret", "secret://aws/plain", "sk-plain"],
    ["of Google", GCP, "sk-google"],
    ["of Google, without a version", "secret://gcp/projects/p/secrets/openai", "sk-google"],
  ])("%s", async (_, reference, value) => {
    expect(await openReader().read(reference)).toBe(value);
  });

  test.each([
    ["AppRole", { roleId: "role", secretId: "secret" }],
    ["Kubernetes", { kubernetesRole: "sluice" }],
  ])("of Vault, signed in once by %s", async (_, role) => {
    const reader = openReader({ vault: { token: null, ...role } });
    managers.secrets.set("secret/second", { key: "sk-second" });
    expect(await Promise.all([reader.read(VAULT), reader.read("secret://vault/secret/second#key")])).toEqual([
      "sk-vault",
      "sk-second",
    ]);
    expect(managers.state.signIns).toBe(1);
  });

  test("of Google, as the service account of the machine", async () => {
    expect(await openReader({ gcp: { credentialsFile: null } }).read(GCP)).toBe("sk-google");
  });

  test("with one request for all fields of a secret", async () => {
    const reader = openReader();
    const values = await Promise.all([reader.read(VAULT), reader.read(VAULT.replace("#key", "#other"))]);
    expect(values).toEqual(["sk-vault", "sk-other"]);
    await reader.read(VAULT);
    expect(managers.requests.get("secret/llm/openai")).toBe(1);
  });

  test("again when its time is over", async () => {
    const reader = openReader({}, 1);
    expect(await reader.read(VAULT)).toBe("sk-vault");
    managers.secrets.set("secret/llm/openai", { key: "sk-rotated" });
    await Bun.sleep(5);
    expect(await reader.read(VAULT)).toBe("sk-rotated");
  });
});

describe("a reference is refused", () => {
  test.each([
    ["of an unknown manager", "secret://keychain/a#b", "must be one of vault, aws, gcp"],
    ["without a field of Vault", "secret://vault/secret/llm", "must have the form"],
    ["without a path of Vault", "secret://vault/secret#key", "must have the form"],
    ["that is encoded badly", "secret://aws/%E0%A4%A", "percent-encoded"],
    ["to nothing", "secret://aws/#key", "names no secret"],
    ["of Google in another form", "secret://gcp/openai", "must have the form"],
    ["to an unknown secret of Vault", "secret://vault/secret/none#key", "Vault responded with HTTP 404"],
    ["to an unknown field", "secret://vault/secret/llm/openai#none", 'no text in "none"'],
    ["to a name that every object has", "secret://vault/secret/llm/openai#constructor", "no text"],
    ["to a field of a secret that is no object", "secret://aws/plain#key", 'no text in "key"'],
    ["to an unknown secret of AWS", "secret://aws/none", "HTTP 400: ResourceNotFoundException: of the tests"],
    ["to an unknown secret of Google", "secret://gcp/projects/p/secrets/none", "HTTP 404: refused by the tests"],
  ])("%s", async (_, reference, reason) => {
    const error = await openReader()
      .read(reference)
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof SecretReferenceError)) throw new Error(`not refused: ${error}`);
    expect(error.message).toStartWith(`${reference}: `);
    expect(error.message).toContain(reason);
    for (const value of ["sk-vault", "sk-other", "sk-aws", "sk-plain", "sk-google"]) {
      expect(error.message).not.toContain(value);
    }
  });

  test.each([
    ["VAULT_ADDR", VAULT, { vault: { address: null } }],
    ["VAULT_TOKEN", VAULT, { vault: { token: null } }],
    ["AWS_REGION", AWS, { aws: { region: null } }],
    ["AWS_SECRET_ACCESS_KEY", AWS, { aws: { secretAccessKey: null } }],
    ["GOOGLE_APPLICATION_CREDENTIALS", GCP, { gcp: { credentialsFile: "/absent" } }],
  ])("where %s is missing", async (name, reference, changes) => {
    await expect(openReader(changes).read(reference)).rejects.toThrow(name);
  });

  test("where credentials are wrong, in the manager's words", async () => {
    await expect(openReader({ vault: { token: "wrong" } }).read(VAULT)).rejects.toThrow("HTTP 403: permission denied");
    await expect(openReader({ aws: { secretAccessKey: "wrong" } }).read(AWS)).rejects.toThrow("InvalidSignature");
    await expect(openReader({ vault: { token: null, roleId: "role", secretId: "wrong" } }).read(VAULT)).rejects.toThrow(
      "invalid role or secret ID",
    );
  });

  test("once, and resolved when the manager is back", async () => {
    const reader = openReader();
    managers.state.status = 503;
    await expect(reader.read(VAULT)).rejects.toThrow("HTTP 503: Vault is sealed");
    managers.state.status = 200;
    expect(await reader.read(VAULT)).toBe("sk-vault");
  });
});
